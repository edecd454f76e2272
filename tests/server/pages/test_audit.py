"""The audit trail in words and columns, by date and collection, for its admins, and as CSV."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Callable
from html import unescape

from fourcorners.library.audit import utc_now
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.store import audit_trail as trail
from fourcorners.server.store.audit_trail import AuditQuery
from tests.server.conftest import LEASE, SUPPLY, Room

PASSWORD = "a short sentence is good"  # noqa: S105 - of a test


def rows(page: str) -> list[list[str]]:
    """Return the cells of the table, without its heads and without numbers and times."""
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("<tr>")[1:]]
    plain = [[unescape(re.sub(r"<[^>]+>", "", each)) for each in row] for row in cells]
    return [[row[1], row[2], *row[4:]] for row in plain if len(row) > 1]


def test_entries_are_in_words_and_columns(room: Room) -> None:
    room.put({"lease.txt": LEASE}, "Mill")
    document = room.document("lease.txt")
    with room.app.state.server.connection_pool.library() as library:
        library.record("read", {"document": document, "by": "Bram"})
        library.record("role", {"user": "cleo", "role": "editor", "collection": "Elm", "by": "Ada"})
        library.record("task", {"task": "1", "kind": "review", "collection": "Mill", "by": "Ada"})
        library.record("export", {"as": "xlsx", "playbook": "nda", "collection": "Mill", "by": "A"})
        library.record("something new", {"by": "Ada", "first_look": 3})
    found = rows(room.client.get("/activity/audit").text)
    assert found[:5] == [
        ["Something new", "Ada", "—", "—", "first look: 3"],
        ["Report exported", "A", "Mill", "—", "as: xlsx; nda"],
        ["Review started", "Ada", "Mill", "—", "—"],
        ["Role changed", "Ada", "Elm", "—", "cleo; editor"],
        ["Document opened", "Bram", "Mill", "lease.txt", "—"],
    ]
    assert found[5][0] == "Document added"
    page = room.client.get("/activity/audit").text
    assert '<option value="read">Document opened</option>' in page
    for name in ("sha256", "fingerprint", str(room.folder)):
        assert name not in page


def test_dates_and_collections_narrow_it(room: Room) -> None:
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": SUPPLY}, "Grain")
    today = utc_now()[:10]
    for query, count in (
        ("", 2),
        (f"?since={today}", 2),
        (f"?until={today}", 2),
        (f"?since={today}&until={today}", 2),
        ("?until=2020-01-01", 0),
        ("?since=2150-01-01", 0),
        ("?c=mill", 1),
        ("?c=Grain&event=add", 1),
        ("?c=Grain&event=read", 0),
    ):
        page = room.client.get(f"/activity/audit{query}").text
        assert len([row for row in rows(page) if row[0] == "Document added"]) == count, query
    assert room.client.get("/activity/audit?since=yesterday").status_code == 400
    assert room.client.get("/activity/audit?c=Elm").status_code == 404


def test_a_long_trail_is_cut_by_days_without_being_read(room: Room) -> None:
    count, day = 100_000, 2_000
    with room.app.state.server.connection_pool.library() as library:
        first = library.execute("SELECT coalesce(max(seq), 0) FROM audit")[0][0]
        with library.transaction():
            for number in range(count):
                at = f"{2000 + number // day // 12:04d}-{number // day % 12 + 1:02d}-01T00:00:00"
                library.execute(
                    "INSERT INTO audit VALUES (?, ?, 'read', ?, '', '')",
                    (int(str(first)) + number + 1, at, json.dumps({"by": "Ada"})),
                )
        import datetime

        query = AuditQuery(
            since=datetime.date(2001, 3, 1), until=datetime.date(2001, 4, 15), event="read"
        )
        began = time.perf_counter()
        found = trail.latest_entries(library, query, 0, 10_000)
        took = time.perf_counter() - began
    assert {each.at[:10] for each in found} == {"2001-03-01", "2001-04-01"}
    assert len(found) == 2 * day
    assert took < 2


def test_the_file_is_safe_to_open_in_a_spreadsheet(room: Room) -> None:
    starts = ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1")
    with room.app.state.server.connection_pool.library() as library:
        for word in starts:
            library.record("tags", {"tags": word, "by": word, "collection": word})
    for address in ("/activity/audit.csv", "/api/v1/audit/export?since=2020-01-01"):
        answer = room.client.get(address)
        assert answer.headers["content-type"].startswith("text/csv")
        assert answer.content.startswith("\ufeffNo.,Time (UTC),Event".encode())
        table = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
        written = [row for row in table if row[2] == "Tags changed"]
        assert len(written) == len(starts)
        for row in written:
            for cell in row[3:7]:
                assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝")), cell
    only = room.client.get("/activity/audit.csv?event=export").text
    assert only.count("Report exported") == 2


def test_the_admin_of_a_collection_reads_its_trail_and_no_other(
    make_room: Callable[..., Room],
) -> None:
    room = make_room(team=True)
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": SUPPLY}, "Grain")
    with room.app.state.server.connection_pool.library() as library:
        for name, role, where in (
            ("ada", Role.ADMIN, ALL_COLLECTIONS),
            ("bram", Role.ADMIN, "Mill"),
            ("cleo", Role.EDITOR, "Mill"),
        ):
            Accounts(library).add(name, PASSWORD, by="test")
            Accounts(library).grant(name, role, where, by="test")
    statuses = {
        "ada": {"": 200, "?c=Mill": 200, "?c=Grain": 200},
        "bram": {"": 403, "?c=Mill": 200, "?c=Grain": 404},
        "cleo": {"": 403, "?c=Mill": 403, "?c=Grain": 404},
    }
    for name, asked in statuses.items():
        data = {"name": name, "password": PASSWORD}
        assert room.client.post("/sign-in", data=data).status_code == 303
        for query, status in asked.items():
            for address in ("/activity/audit", "/activity/audit.csv"):
                answer = room.client.get(f"{address}{query}")
                assert answer.status_code == status, (name, address, query)
                if name == "bram":
                    assert "supply" not in answer.text
        linked = 'href="/activity/audit?c=Mill"' in room.client.get("/c/Mill").text
        assert linked is (name != "cleo")
    data = {"name": "bram", "password": PASSWORD}
    room.client.post("/sign-in", data=data)
    page = room.client.get("/activity/audit?c=Mill&verify=1").text
    assert "lease.txt" in page
    assert "Checksum" not in page  # the whole record is not theirs
    assert "Grain" not in page
