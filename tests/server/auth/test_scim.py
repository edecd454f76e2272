"""A directory that adds people, puts them in groups and takes them out, by SCIM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth import accounts as accounting
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.auth.group_roles import GroupRoles
from fourcorners.server.auth.second_factor import SecondFactors
from fourcorners.server.errors import TooManyRequests
from fourcorners.server.rate_limit import RateLimiter
from fourcorners.server.scim import directory as scim
from fourcorners.server.store.mail import Digest, find_mailbox, set_mailbox
from fourcorners.settings import OidcRoleSettings, OidcSettings
from tests.server.auth.test_team import PASSWORD, bearer, sign_in, trail
from tests.server.conftest import LEASE, Room

pytest.importorskip("scim2_models")
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
ROLES = (
    OidcRoleSettings(group="legal", role="reviewer", collection="Mill"),
    OidcRoleSettings(group="it", role="admin"),
)


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    from argon2 import PasswordHasher

    monkeypatch.setattr(accounting, "_hasher", lambda: PasswordHasher(1, 8, 1))


class Directory:
    """A firm's directory, which calls the server with a token."""

    def __init__(self, room: Room, headers: dict[str, str]) -> None:
        self.room, self.headers = room, headers

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        headers = {**self.headers, "Content-Type": "application/scim+json"}
        answer = self.room.client.request(method, f"/scim/v2{path}", json=body, headers=headers)
        assert "password" not in answer.text.casefold()
        return answer.status_code, answer.json() if answer.content else None

    def add(self, user_name: str, **more: object) -> tuple[int, Any]:
        body = {"schemas": [USER], "userName": user_name, **more}
        return self.call("POST", "/Users", body)

    def patch(self, path: str, *operations: dict[str, Any]) -> tuple[int, Any]:
        return self.call("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)})


@pytest.fixture
def room(make_room: Callable[..., Room]) -> Room:
    room = make_room(team=True, oidc=OidcSettings(roles=ROLES))  # groups, and no provider
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "bram"):
            accounts.add(name, PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.grant("bram", Role.READER, "Mill", by="test")
    return room


@pytest.fixture
def directory(room: Room) -> Directory:
    return Directory(room, bearer(room, "ada", Scope.SCIM))


def test_a_defect_is_answered_as_scim_answers(
    directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(scim.Directory, "list_users", fail)
    status, answer = directory.call("GET", "/Users")
    assert (status, answer["status"]) == (500, "500")
    assert "ZeroDivisionError" not in str(answer)


def test_entra_adds_finds_and_disables_somebody(room: Room, directory: Directory) -> None:
    query = "/Users?filter=userName+eq+%22Eva%40firm.example%22"
    assert directory.call("GET", query)[1]["totalResults"] == 0
    status, eva = directory.add(
        "eva@firm.example",
        externalId="0a21",
        active=True,
        name={"givenName": "Eva"},
        emails=[{"type": "work", "value": "eva@firm.example", "primary": True}],
    )
    assert status == 201
    assert eva["externalId"] == "0a21"
    assert directory.add("EVA@firm.example")[0] == 409
    assert directory.call("GET", query)[1]["Resources"][0]["id"] == eva["id"]
    place = f"/Users/{eva['id']}"
    entra = {"op": "Replace", "path": "active", "value": "False"}
    assert directory.patch(place, entra)[1]["active"] is False
    assert directory.patch(place, {"op": "Add", "path": "title", "value": "x"})[0] in (200, 204)
    assert directory.call("GET", place)[1]["active"] is False
    okta = {"op": "replace", "value": {"active": True}}
    assert directory.patch(place, okta)[1]["active"] is True
    events = [(event, detail.get("by"), detail.get("through")) for event, detail in trail(room)]
    assert ("user added", "ada", "SCIM") in events
    assert ("user disabled", "ada", "SCIM") in events
    assert ("user enabled", "ada", "SCIM") in events
    with room.app.state.server.connection_pool.library() as library:
        (account,) = [each for each in Accounts(library).users() if each.name == eva["id"]]
    assert (account.provider, account.password) == ("expected", False)


def test_who_is_taken_out_is_out_at_once_everywhere(room: Room, directory: Directory) -> None:
    room.put({"lease.txt": LEASE}, "Mill")
    program = bearer(room, "bram")
    with room.app.state.server.connection_pool.library() as library:
        feed = ApiTokens(library).add("bram", [Scope.READ], "calendar", 1, by="test")
    assert sign_in(room.client, "bram") == 303
    assert room.client.get("/c/Mill").status_code == 200
    assert directory.call("DELETE", "/Users/bram") == (204, None)
    assert room.client.get("/c/Mill").status_code == 303
    assert room.client.get("/api/v1/documents", headers=program).status_code == 401
    assert room.client.get(f"/dates/calendar.ics?token={feed}").status_code == 401
    assert sign_in(room.client, "bram") == 422
    assert directory.call("GET", "/Users/bram")[0] == 404
    assert directory.call("DELETE", "/Users/bram")[0] == 404


def test_who_is_added_again_has_nothing_of_whoever_had_the_name(
    room: Room, directory: Directory
) -> None:
    room.put({"lease.txt": LEASE}, "Mill")
    program, pool = bearer(room, "bram"), room.app.state.server.connection_pool
    group = {"schemas": [GROUP], "displayName": "legal", "members": [{"value": "bram"}]}
    assert directory.call("POST", "/Groups", group)[0] == 201
    with pool.library() as library:
        ApiTokens(library).add("bram", [Scope.READ], "calendar", 1, by="test")
        SecondFactors(library).begin("bram")
        set_mailbox(library, "bram", "bram@firm.example", Digest.AT_ONCE)
        library.execute("INSERT INTO server_oidc_people VALUES ('issuer', 'subject', 'bram')")
        library.execute("INSERT INTO server_visits VALUES ('bram', 'mill', 1)")
        library.execute(
            "INSERT INTO server_markups VALUES (1, ?, 'sale', 'bram', 'now', '{}')",
            (library.document_ids()[0],),
        )
        for name, shared in (("Mine", 0), ("Ours", 1)):
            view = ("mill", "sale", "bram", name, "", shared, "now")
            library.execute(
                "INSERT INTO server_views(collection, playbook, person, name, query, shared, at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                view,
            )
    assert directory.call("DELETE", "/Users/bram")[0] == 204
    status, bram = directory.add("BRAM")
    assert (status, bram["id"], bram["active"]) == (201, "bram", True)
    assert sign_in(room.client, "bram") == 422
    assert room.client.get("/api/v1/documents", headers=program).status_code == 401
    assert directory.call("GET", "/Groups")[1]["Resources"][0].get("members") is None
    with pool.library() as library:
        (account,) = [each for each in Accounts(library).users() if each.name == "bram"]
        assert (account.roles, account.password, account.provider) == ({}, False, "expected")
        assert ApiTokens(library).list("bram") == []
        assert find_mailbox(library, "bram").address == ""
        assert library.execute("SELECT name FROM server_views") == [("Ours",)]
        for table in (
            *("server_second_factors", "server_oidc_people", "server_visits", "server_markups"),
        ):
            assert library.execute(f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608 - ours
    lost = [detail for event, detail in trail(room) if event == "role" and detail["by"] == "ada"]
    assert [(each["user"], each["role"], each["through"]) for each in lost] == [
        ("bram", "none", "SCIM")
    ]
    assert "user removed" in {event for event, _ in trail(room)}


def test_a_directory_that_asks_too_often_waits(
    room: Room, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = directory.headers
    left = room.client.get("/scim/v2/Users", headers=headers).headers["RateLimit"]
    assert left.startswith('"requests";r=299;')

    def refuse(*_: object) -> None:
        raise TooManyRequests("too many requests.", after=3)

    monkeypatch.setattr(RateLimiter, "spend", refuse)
    answer = room.client.get("/scim/v2/Users", headers=headers)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "3")
    assert answer.json()["status"] == "429"


def test_groups_give_and_take_roles_apart_from_those_by_hand(
    room: Room, directory: Directory
) -> None:
    def roles(name: str) -> dict[str, Role]:
        with room.app.state.server.connection_pool.library() as library:
            return dict(Accounts(library).principal(name, Role.ADMIN, "").roles)

    body = {"schemas": [GROUP], "displayName": "legal", "externalId": "g1"}
    status, legal = directory.call("POST", "/Groups", {**body, "members": [{"value": "bram"}]})
    assert status == 201
    assert roles("bram") == {"mill": Role.REVIEWER}
    place = f"/Groups/{legal['id']}"
    path = 'members[value eq "bram"]'
    assert directory.patch(place, {"op": "remove", "path": path})[0] == 200
    assert roles("bram") == {"mill": Role.READER}  # that by hand
    members = [{"value": "bram"}]
    assert directory.patch(place, {"op": "Add", "path": "members", "value": members})[0] == 200
    assert roles("bram") == {"mill": Role.REVIEWER}
    entra = {"op": "Remove", "path": "members", "value": members}
    assert directory.patch(place, entra)[0] == 200
    assert roles("bram") == {"mill": Role.READER}
    assert directory.call("PUT", place, {**body, "members": members})[0] == 200
    assert roles("bram") == {"mill": Role.REVIEWER}
    found = directory.call("GET", "/Groups?filter=displayName+eq+%22legal%22")[1]["Resources"]
    assert [each["value"] for each in found[0]["members"]] == ["bram"]
    bare = directory.call("GET", f"{place}?excludedAttributes=members")[1]
    assert "members" not in bare
    renamed = {"op": "replace", "path": "displayName", "value": "advocates"}
    assert directory.patch(place, renamed)[0] == 200
    assert roles("bram") == {"mill": Role.READER}
    changed = OidcSettings(
        roles=(OidcRoleSettings(group="advocates", role="editor", collection="Mill"),)
    )
    with room.app.state.server.connection_pool.library() as library:
        GroupRoles(library, changed).refresh()  # as at the next start
    assert roles("bram") == {"mill": Role.EDITOR}
    assert directory.call("DELETE", place)[0] == 204
    assert roles("bram") == {"mill": Role.READER}
    events = [detail["role"] for event, detail in trail(room) if event == "role by group"]
    assert events == ["reviewer", "none"] * 3 + ["editor", "none"]
    assert directory.call("PUT", place, body)[0] == 404
    stranger = {**body, "members": [{"value": "nobody"}]}
    assert directory.call("POST", "/Groups", stranger)[0] == 404
    assert directory.call("GET", "/Groups")[1]["totalResults"] == 0


def test_only_its_own_token_opens_it_and_it_opens_nothing_else(
    room: Room, directory: Directory
) -> None:
    for headers, status in (
        ({}, 401),
        ({"Authorization": "Bearer fc_none"}, 401),
        (bearer(room, "ada", Scope.ADMIN), 401),
        (bearer(room, "bram", Scope.SCIM), 403),
        (directory.headers, 200),
    ):
        answer = Directory(room, headers).call("GET", "/Users")
        assert answer[0] == status
        assert (answer[1]["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]) == (
            status != 200
        )
    assert sign_in(room.client, "ada") == 303  # a cookie does not, either
    assert Directory(room, {}).call("DELETE", "/Users/bram")[0] == 401
    room.client.cookies.clear()
    for path, status in (("/api/v1/users", 401), ("/api/v1/documents", 401), ("/people", 303)):
        assert room.client.get(path, headers=directory.headers).status_code == status
    with (
        room.app.state.server.connection_pool.library() as library,
        pytest.raises(ConfigError, match="no other scope"),
    ):
        ApiTokens(library).add("ada", [Scope.SCIM, Scope.READ], "", 1, by="test")


def test_a_directory_does_not_shut_out_whose_token_it_has(directory: Directory) -> None:
    off = {"op": "replace", "path": "active", "value": False}
    assert directory.patch("/Users/ada", off)[0] == 403
    assert directory.call("DELETE", "/Users/ada")[0] == 403
    assert directory.call("GET", "/Users/ada")[1]["active"] is True


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/Users", {"schemas": [USER], "userName": "b\0b"}),
        ("POST", "/Groups", {"schemas": [GROUP], "displayName": "b\0b"}),
        ("PUT", "/Users/bram", {"schemas": [USER], "userName": "bram", "externalId": "b\0b"}),
        ("PATCH", "/Users/bram", {"schemas": [PATCH], "Operations": [{"op": "a\0"}]}),
        ("GET", "/Users/b%00b", None),
        ("GET", "/Users?filter=userName%20eq%20%22b%00b%22", None),
        ("DELETE", "/Groups/b%00b", None),
    ],
)
def test_a_nul_character_is_refused(
    directory: Directory, method: str, path: str, body: object
) -> None:
    status, answer = directory.call(method, path, body)
    assert (status, answer["scimType"]) == (400, "invalidSyntax")


def test_what_is_no_scim_is_refused(directory: Directory) -> None:
    for method, path, body in (
        ("POST", "/Users", {"schemas": [USER]}),
        ("POST", "/Users", {"schemas": [USER], "userName": "no name"}),
        ("POST", "/Users", {"schemas": [USER], "userName": "<b>"}),
        ("POST", "/Users", ["x"]),
        ("PATCH", "/Users/bram", {"schemas": [PATCH], "Operations": [{"op": "fly"}]}),
        ("PATCH", "/Users/bram", {"schemas": [PATCH], "Operations": "x"}),
        ("GET", "/Users?filter=userName+eq", None),
        ("GET", "/Users?filter=(((((userName", None),
        ("GET", "/Users?count=x", None),
        ("POST", "/Groups", {"schemas": [GROUP]}),
    ):
        status, answer = directory.call(method, path, body)
        assert (status, answer["status"]) == (400, "400"), (method, path, body, answer)
