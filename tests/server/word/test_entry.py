"""What Word asks for: a manifest that it takes, a pane that it may show, Office.js, a code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from lxml import etree

from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.security import POLICY
from fourcorners.settings import WordSettings
from tests.server.conftest import LEASE, Room

SCHEMA = Path(__file__).parents[2] / "word" / "manifest.xsd"
PASSWORD = "a short sentence is good"  # noqa: S105 - of a test
WEB = ("https://*.officeapps.live.com", "https://firm.sharepoint.com")


@pytest.fixture
def office(tmp_path: Path) -> Path:
    """A folder as the operator supplies it, with what must not leave it next to it."""
    folder = tmp_path / "office-js"
    (folder / "en-us").mkdir(parents=True)
    (folder / "office.js").write_text("window.Office = {};")
    (folder / "en-us" / "strings.js").write_text("Strings = {};")
    (folder / "notes.txt").write_text("of the operator")
    (tmp_path / "secret.js").write_text("secret")
    (folder / "out.js").symlink_to(tmp_path / "secret.js")
    return folder


@pytest.fixture
def team(make_room: Callable[..., Room], office: Path) -> Room:
    """A team's server, where Ada edits Mill and administers all, and Bram reads Grain."""
    room = make_room(team=True, word=WordSettings(office_js=office, frames=WEB))
    room.put({"lease.txt": LEASE}, "Mill")
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        accounts.add("ada", PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.add("bram", PASSWORD, by="test")
        accounts.grant("bram", Role.EDITOR, "Mill", by="test")
    return room


def manifest(room: Room) -> bytes:
    answer = room.client.get("/word/manifest.xml")
    assert answer.status_code == 200, answer.text
    return bytes(answer.content)


def test_the_manifest_holds_the_schema(team: Room) -> None:
    schema = etree.XMLSchema(etree.parse(SCHEMA))
    read = etree.fromstring(manifest(team))
    schema.assertValid(read)
    given = [each.get("DefaultValue", "") for each in read.iter()]
    addresses = [each for each in given if "://" in each]
    assert len(addresses) >= 6
    assert all(each.startswith("https://firm.test/") for each in addresses)
    # A schema that lets everything through shows nothing.
    for name in ("Id", "Hosts", "Url"):
        broken = etree.fromstring(manifest(team))
        for each in list(broken.iter(f"{{*}}{name}")):
            above = each.getparent()
            assert above is not None
            above.remove(each)
        assert not schema.validate(broken), name


def test_the_manifest_s_id_is_that_of_the_address(make_room: Callable[..., Room]) -> None:
    def identity(name: str, address: str) -> str:
        settings = WordSettings(office_js=Path(), address=address)
        read = etree.fromstring(manifest(make_room(f"{name}.db", word=settings)))
        return str(read[0].text)

    first = identity("a", "https://one.firm.test")
    assert first == identity("b", "https://one.firm.test")
    assert first != identity("c", "https://two.firm.test")


def test_the_manifest_is_read_by_microsoft_s_parser(team: Room, tmp_path: Path) -> None:
    folder = os.environ.get("OFFICE_ADDIN_MANIFEST", "")
    node = shutil.which("node")
    if node is None or not folder:
        pytest.skip("set OFFICE_ADDIN_MANIFEST to a folder with the npm package in node_modules")
    path = tmp_path / "manifest.xml"
    path.write_bytes(manifest(team))
    script = (
        "const { OfficeAddinManifest } = require('office-addin-manifest');"
        f"OfficeAddinManifest.readManifestFile({json.dumps(str(path))})"
        ".then((read) => console.log(JSON.stringify(read)));"
    )
    made = subprocess.run(
        [node, "-e", script], cwd=folder, capture_output=True, text=True, check=True, timeout=60
    )
    read = json.loads(made.stdout)
    assert read["displayName"] == "Fourcorners"
    assert read["officeAppType"] == "TaskPaneApp"
    assert read["hosts"] == ["Document"]
    assert read["permissions"] == "ReadWriteDocument"
    assert read["defaultSettings"]["sourceLocation"] == "https://firm.test/word/pane"


def test_without_https_the_manifest_says_what_to_do(
    make_room: Callable[..., Room], office: Path
) -> None:
    answer = make_room(word=WordSettings(office_js=office)).client.get("/word/manifest.xml")
    assert answer.status_code == 400
    assert "HTTPS" in answer.json()["detail"]


def test_without_the_setting_nothing_is_served(room: Room) -> None:
    for path in ("/word/manifest.xml", "/word/pane", "/word/office/office.js", "/word/start"):
        assert room.client.get(path).status_code == 404, path


def test_office_js_comes_from_the_folder_and_nothing_else_does(team: Room) -> None:
    client = team.client
    answer = client.get("/word/office/office.js")
    assert (answer.status_code, answer.text) == (200, "window.Office = {};")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert client.get("/word/office/en-us/strings.js").text == "Strings = {};"
    for path in (
        *("notes.txt", "out.js", "missing.js", "../secret.js", "%2e%2e/secret.js"),
        *("..%2fsecret.js", "en-us/..%2f..%2fsecret.js", "", "/etc/passwd", "%00.js"),
    ):
        answer = client.get(f"/word/office/{path}")
        assert answer.status_code in (404, 307, 422), path
        assert "secret" not in answer.text, path


def test_icons_are_those_of_the_manifest(team: Room) -> None:
    for size in (16, 32, 64, 80):
        answer = team.client.get(f"/word/icons/{size}.png")
        assert answer.headers["content-type"] == "image/png"
        assert int.from_bytes(answer.content[16:20], "big") == size
    assert team.client.get("/word/icons/17.png").status_code == 404


def test_only_the_pane_may_be_framed_and_only_by_the_sites_named(team: Room) -> None:
    headers = team.client.get("/word/pane").headers
    assert f"frame-ancestors {' '.join(WEB)};" in headers["content-security-policy"]
    assert "x-frame-options" not in headers
    rest = headers["content-security-policy"].replace(f"frame-ancestors {' '.join(WEB)}", "")
    assert rest == POLICY.replace("frame-ancestors 'none'", "")
    for path in ("/", "/sign-in", "/word/connect", "/word/start", "/word/pane/", "/WORD/pane"):
        headers = team.client.get(path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert headers["x-frame-options"] == "DENY", path


def test_without_sites_no_page_may_be_framed(make_room: Callable[..., Room], office: Path) -> None:
    headers = make_room(word=WordSettings(office_js=office)).client.get("/word/pane").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("site", ["https://a.b; script-src *", "http://a.b", "*", "https://*"])
def test_a_site_is_an_origin(site: str) -> None:
    with pytest.raises(ValueError, match="frames"):
        WordSettings(frames=(site,))


def test_the_pane_says_nothing_to_who_is_not_connected(team: Room) -> None:
    page = team.client.get("/word/pane")
    assert page.status_code == 200
    assert "Mill" not in page.text
    for path in (
        "/word/start",
        "/word/d/0000000000000000/cards",
        "/word/documents?task=a",
    ):
        answer = team.client.get(path)
        assert answer.status_code == 401, path
        assert answer.headers["content-type"] == "application/problem+json"
    assert team.client.get("/word/connect").headers["location"] == "/sign-in?to=%2Fword%2Fconnect"


class Person:
    """Someone who signs in with a browser, and connects a pane that has no cookies."""

    def __init__(self, room: Room, name: str) -> None:
        self.room = room
        self.browser = TestClient(room.app, base_url="https://firm.test", follow_redirects=False)
        form = {"name": name, "password": PASSWORD}
        assert self.browser.post("/sign-in", data=form).status_code == 303
        self.pane = TestClient(room.app, base_url="https://firm.test", follow_redirects=False)

    def code(self) -> str:
        page = self.browser.get("/word/connect").text
        token = page.partition('name="csrf-token" content="')[2].partition('"')[0]
        answer = self.browser.post("/word/connect", data={"csrf": token})
        return str(answer.text.partition('class="code">')[2].partition("<")[0])

    def connect(self, code: str) -> int:
        answer = self.pane.post("/word/token", data={"code": code})
        if answer.status_code == 200:
            self.pane.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        assert "set-cookie" not in answer.headers
        return int(answer.status_code)


def test_a_code_connects_a_pane_once(team: Room) -> None:
    bram = Person(team, "bram")
    code = bram.code()
    assert bram.connect(code.lower().replace("-", " ")) == 200
    start = bram.pane.get("/word/start")
    assert "Mill" in start.text
    assert bram.connect(code) == 401
    form = start.text.partition('data-form-token="')[2].partition('"')[0]
    asked, headers = {"q": "tenant", "from": ""}, {"X-CSRF-Token": form}
    assert bram.pane.post("/word/precedents", data=asked).status_code == 403
    assert bram.pane.post("/word/precedents", data=asked, headers=headers).status_code == 200


def test_a_newer_code_replaces_an_older_one(team: Room) -> None:
    bram = Person(team, "bram")
    first, second = bram.code(), bram.code()
    assert bram.connect(first) == 401
    assert bram.connect(second) == 200


def test_codes_and_panes_end(team: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    bram = Person(team, "bram")
    code, now = bram.code(), time.time()
    monkeypatch.setattr(time, "time", lambda: now + 301)
    assert bram.connect(code) == 401
    monkeypatch.setattr(time, "time", lambda: now)
    assert bram.connect(bram.code()) == 200
    assert bram.pane.get("/word/start").status_code == 200
    monkeypatch.setattr(time, "time", lambda: now + 8 * 3600 + 1)
    assert bram.pane.get("/word/start").status_code == 401


def test_a_pane_s_secret_is_no_cookie_and_no_administrator(team: Room) -> None:
    ada = Person(team, "ada")
    assert ada.connect(ada.code()) == 200
    secret = ada.pane.headers["Authorization"].partition(" ")[2]
    assert ada.browser.get("/people").status_code == 200
    assert ada.pane.get("/people").status_code == 403
    cookies = {"__Host-fourcorners": secret}
    other = TestClient(team.app, base_url="https://firm.test", cookies=cookies)
    assert other.get("/word/start").status_code == 401
    stolen = ada.browser.cookies["__Host-fourcorners"]
    other = TestClient(team.app, base_url="https://firm.test")
    headers = {"Authorization": f"Bearer {stolen}"}
    assert other.get("/word/start", headers=headers).status_code == 401


PANE_CALLS = {
    *("GET /word/start", "GET /word/documents", "POST /word/documents", "GET /word/d/{document}"),
    *("POST /word/d/{document}", "GET /word/d/{document}/cards", "GET /word/d/{document}/marked"),
    *("POST /word/d/{document}/decide", "POST /word/d/{document}/include"),
    *("POST /word/precedents", "POST /word/ask", "GET /word/answers/{identity}"),
    "GET /api/v1/tasks/{task}",
}
FOR_ANYBODY = (
    *("/healthz", "/readyz", "/static/", "/favicon.ico", "/sign-in", "/sign-out/oidc"),
    *("/word/manifest.xml", "/word/icons/", "/word/office/", "/word/pane", "/word/token"),
    *("/api/v1/openapi", "/api/v1/docs"),
)


def routes_of(router: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield each method and path that a router answers, those of routers in it included."""
    for each in router.routes:
        if inner := getattr(each, "original_router", None):
            yield from routes_of(inner, prefix + each.include_context.prefix)
        else:
            for method in each.methods or {"GET", "POST"}:
                yield method, prefix + each.path


def test_a_pane_s_secret_opens_what_the_pane_calls_and_nothing_else(
    make_room: Callable[..., Room], office: Path
) -> None:
    team = make_room(team=True, word=WordSettings(office_js=office))
    with team.app.state.server.connection_pool.library() as library:
        Accounts(library).add("ada", PASSWORD, by="test")
        Accounts(library).grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
    ada = Person(team, "ada")
    assert ada.connect(ada.code()) == 200
    form = ada.pane.get("/word/start").text.partition('data-form-token="')[2].partition('"')[0]
    ada.pane.headers["X-CSRF-Token"] = form
    opened, refused = set(), 0
    for method, path in routes_of(team.app.router):
        if path.startswith(FOR_ANYBODY) or method == "HEAD":
            continue
        sent = re.sub(r"\{\w+(:\w+)?\}", "1", path)
        status = ada.pane.request(method, sent).status_code
        if status == 403:
            refused += 1
        else:
            opened.add(f"{method} {path}")
    assert opened == PANE_CALLS
    assert refused > 200


def test_panes_end_with_the_browser_s_session_and_on_the_account_s_page(team: Room) -> None:
    bram, ada = Person(team, "bram"), Person(team, "ada")
    assert ada.connect(ada.code()) == 200
    assert bram.connect(bram.code()) == 200
    page = bram.browser.get("/account").text
    csrf = page.partition('name="csrf-token" content="')[2].partition('"')[0]
    session = page.partition('name="session" value="')[2].partition('"')[0]
    assert page.count("End the session in Word") == 1
    sent = {"csrf": csrf, "session": session}
    assert bram.browser.post("/account/sessions/end", data=sent).status_code == 303
    assert bram.pane.get("/word/start").status_code == 401
    assert "End the session in Word" not in bram.browser.get("/account").text
    assert bram.connect(bram.code()) == 200
    waiting = bram.code()
    assert bram.browser.post("/sign-out", data={"csrf": csrf}).status_code == 303
    assert bram.pane.get("/word/start").status_code == 401
    assert bram.connect(waiting) == 401
    assert ada.pane.get("/word/start").status_code == 200


def test_who_is_shut_out_has_no_pane(team: Room) -> None:
    bram = Person(team, "bram")
    code = bram.code()
    assert bram.connect(code) == 200
    with team.app.state.server.connection_pool.library() as library:
        Accounts(library).set_disabled("bram", True, by="test")
    assert bram.pane.get("/word/start").status_code == 401


def test_another_site_gets_no_secret_and_guesses_are_slowed(team: Room) -> None:
    bram = Person(team, "bram")
    headers = {"Origin": "https://evil.test"}
    answer = bram.pane.post("/word/token", data={"code": bram.code()}, headers=headers)
    assert answer.status_code == 403
    tries = [bram.pane.post("/word/token", data={"code": "AAAAAAAAAA"}) for _ in range(30)]
    assert tries[-1].status_code == 429


def test_one_person_s_server_needs_no_connecting(
    make_room: Callable[..., Room], office: Path
) -> None:
    room = make_room(word=WordSettings(office_js=office))
    assert room.client.get("/word/start").status_code == 200
    assert room.client.get("/word/connect").status_code == 404
    assert room.client.post("/word/token", data={"code": "AAAAAAAAAA"}).status_code == 404
