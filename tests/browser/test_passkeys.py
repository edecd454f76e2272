"""Passkeys in a real Chromium, with an authenticator that its developers' tools simulate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fourcorners.library.store import Library
from tests.browser.test_accessibility import PASSWORD, axe, examine, serving  # noqa: F401
from tests.browser.test_server_library import visit, wait

if TYPE_CHECKING:
    from tests.browser.conftest import Page

pytest.importorskip("webauthn")
pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from fourcorners.operations.principal import Role
    from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts

    path = tmp_path_factory.mktemp("passkeys") / "library.db"
    with Library.open(path, create=True) as library:
        Accounts(library).add("ada", PASSWORD, by="test")
        Accounts(library).grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
    with serving(path, team=True) as address:
        yield address
    with Library.open(path) as library:
        events = [
            (each.event, json.loads(each.detail).get("user")) for each in library.audit_trail()
        ]
    assert ("passkey added", "ada") in events
    assert ("passkey removed", "ada") in events
    assert events.count(("signed in", "ada")) == 2  # by the password, and by the passkey


@pytest.fixture
def authenticator(page: Page) -> Iterator[str]:
    """A device that holds passkeys, and recognises its owner."""
    page.call("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
    }
    added = page.call("WebAuthn.addVirtualAuthenticator", options=options)
    yield str(added["authenticatorId"])
    page.call("WebAuthn.disable")


def press(page: Page, form: str) -> None:
    page.eval(f"document.querySelector('form{form} button').click()")


def test_a_passkey_is_added_signs_in_and_is_removed(
    page: Page,
    team: str,
    authenticator: str,
    axe: str,  # noqa: F811
) -> None:
    page.view(390)
    page.call("Network.clearBrowserCookies")
    visit(page, f"{team}/sign-in?to=/account")
    page.eval(
        "(() => { const form = document.querySelector('form[action=\"/sign-in\"]');"
        f"form.elements.name.value = 'ada'; form.elements.password.value = '{PASSWORD}';"
        "form.requestSubmit() })()"
    )
    wait(page, "document.querySelector('#passkeys form') !== null")
    page.eval("document.querySelector('#called').value = 'Ada’s phone'")
    press(page, "[data-passkey=create]")
    wait(page, "document.querySelector('#passkeys .rows bdi')?.textContent === 'Ada’s phone'")
    examine(page, axe)
    assert page.eval("document.documentElement.scrollWidth") <= 390
    held = page.call("WebAuthn.getCredentials", authenticatorId=authenticator)["credentials"]
    assert [each["isResidentCredential"] for each in held] == [True]

    page.call("Network.clearBrowserCookies")
    visit(page, f"{team}/sign-in?to=/account")
    page.call("WebAuthn.setUserVerified", authenticatorId=authenticator, isUserVerified=False)
    press(page, "[data-passkey=get]")  # whoever holds the device is not its owner
    wait(page, "document.querySelector('[data-passkey-status]').textContent.includes('again')")
    page.call("WebAuthn.setUserVerified", authenticatorId=authenticator, isUserVerified=True)
    press(page, "[data-passkey=get]")
    wait(page, "location.pathname === '/account' && document.querySelector('#passkeys') !== null")

    press(page, '[action="/account/passkeys/remove"]')
    wait(page, "document.querySelector('#passkeys .rows') === null")
    page.call("Network.clearBrowserCookies")
    visit(page, f"{team}/sign-in?to=/account")
    press(page, "[data-passkey=get]")
    wait(page, "document.querySelector('[role=alert]') !== null")
    assert "does not sign anyone in" in page.eval(
        "document.querySelector('[role=alert]').innerText"
    )
