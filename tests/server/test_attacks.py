"""What a hostile page, file name, contract or visitor can try."""

from __future__ import annotations

import html
import io
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.server.conftest import LEASE, Room

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(2)>{{7*7}}\u202e'


def inline(page: str) -> list[str]:
    """Return the scripts, styles and handlers that stand in a page itself."""
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            names = {name for name, _ in attrs}
            if tag == "style" or (tag == "script" and "src" not in names):
                found.append(tag)
            found.extend(name for name in names if name == "style" or name.startswith("on"))

    Reader().feed(page)
    return found


def test_no_page_runs_what_a_contract_or_a_name_says(room: Room) -> None:
    text = f'{EVIL}\n\n1. Term\n\n1.1 The {EVIL} ends.\n\n2. End. "{EVIL[:30]}" means nothing.\n'
    room.add({f"a/{EVIL}.txt": text}, collection=EVIL[:60])
    document = room.document("alert")
    pages = [
        room.client.get(address)
        for address in (
            "/", f"/d/{document}", f"/d/{document}?s=0-20",
            "/search?q=%3Cscript%3Ealert(1)%3C/script%3E", "/search?q=alert",
        )
    ]  # fmt: skip
    name = re.search(r'href="(/c/[^"]+)"', pages[0].text)
    assert name
    pages.append(room.client.get(name[1]))
    for page in pages:
        assert page.status_code in (200, 422)
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert ">49" not in page.text
        assert "\u202e" not in page.text
        policy = page.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert inline(page.text) == []  # nothing that a policy would have to allow


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.txt", "/etc/evil.txt", "..\\..\\evil.txt", "a/../../../evil.txt", "C:\\e.txt",
        "\x00evil.txt", "./././evil.txt", "....//evil.txt", "a" * 5000 + ".txt", "a\nb.txt",
    ],
)  # fmt: skip
def test_no_name_of_a_file_leads_out_of_its_upload(room: Room, name: str) -> None:
    before = {each for each in room.folder.rglob("*") if "library.db" not in each.name}
    answer = room.upload({name: LEASE}, Accept="application/json")
    assert answer.status_code in (202, 400)
    made = {each for each in room.folder.rglob("*") if "library.db" not in each.name} - before
    root = room.folder / "library.db-files"
    assert all(root in each.parents for each in made)
    assert not (room.folder.parent / "evil.txt").exists()
    if answer.status_code == 202:
        room.settle(answer.json()["task"])


def test_an_archive_writes_nothing_at_all(room: Room) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../../evil.txt", LEASE)
        archive.writestr("/abs/evil.txt", LEASE + " ")
    room.add({"slip.zip": made.getvalue()})
    files = [each.name for each in (room.folder / "library.db-files").rglob("*") if each.is_file()]
    assert files == ["slip.zip"]
    assert not list(Path("/abs").glob("*"))


def test_an_archive_that_swells_is_refused_and_told(room: Room) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.txt", b"0" * (60 << 20))
        archive.writestr("lease.txt", LEASE)
    page = room.add({"bomb.zip": made.getvalue()})
    assert "unpacks to far more" in page
    assert "1 document added" in re.sub(r"<[^>]+>", "", page)


def test_what_could_not_be_read_is_listed_in_a_collection_without_documents(room: Room) -> None:
    page = room.add({"bad.pdf": b"%PDF-1.7 nothing more"}, collection="Quarry")
    assert "bad.pdf" in page
    assert room.client.get("/api/v1/documents?collection=Quarry").json()["items"] == []
    with room.app.state.server.connection_pool.library() as library:
        (failure,) = library.failures("Quarry")
    assert failure.reason in html.unescape(page)


def test_a_form_of_another_page_is_refused(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    form = {"document": room.document("lease"), "collection": "Mill"}
    assert room.client.post("/remove", data=form).status_code == 403
    assert room.client.post("/remove", data={**form, "csrf": "0" * 64}).status_code == 403
    token = {**form, "csrf": room.token()}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        answer = room.client.post("/remove", data=token, headers=headers)
        assert answer.status_code == 403, headers
        path = f"/api/v1/documents/{form['document']}?collection=Mill"
        assert room.client.delete(path, headers=headers).status_code == 403
    assert room.client.get(f"/d/{form['document']}").status_code == 200


def test_no_other_name_reaches_a_local_server(room: Room) -> None:
    for host in ("evil.example", "evil.example:8844", "127.0.0.1.evil.example", ""):
        assert room.client.get("/", headers={"Host": host}).status_code == 421
    for host in ("localhost:8844", "127.0.0.1", "[::1]:8844"):
        assert room.client.get("/", headers={"Host": host}).status_code == 200


def test_a_body_that_is_too_large_is_refused_before_it_is_read(room: Room) -> None:
    answer = room.client.post("/remove", content=b"a" * (3 << 20))
    assert answer.status_code == 413
    assert answer.headers["content-type"].startswith("text/html")  # to people, a page
    assert "A request may have 2,097,152 bytes here (2 MB)." in answer.text
    assert "split the file" in answer.text
    again = room.client.post("/remove", content=b"a" * (3 << 20), headers={"HX-Request": "true"})
    assert (again.status_code, "<html" in again.text) == (413, False)  # it is shown in the form
    program = room.client.post("/api/v1/search", content=b"a" * (3 << 20)).json()
    assert (program["code"], program["status"]) == ("content_too_large", 413)

    form = {"Content-Type": "application/x-www-form-urlencoded"}
    pieces = iter([b"x" * (1 << 20)] * 4)  # of no length that is told before
    answer = room.client.post("/remove", content=pieces, headers=form)
    assert answer.status_code in (400, 413)


def test_a_playbook_is_a_name_and_never_a_path(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    for name in ("../../../etc/passwd", "/etc/passwd", "x.yaml"):
        answer = room.client.post("/api/v1/reviews", json={"collection": "Mill", "playbook": name})
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"


def test_every_answer_bears_the_headers(room: Room) -> None:
    for address in ("/", "/nowhere", "/api/v1/collections", "/healthz", "/api/v1/openapi.json"):
        headers = room.client.get(address).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_the_log_tells_no_words(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "fourcorners")
    room.add({"secret-name.txt": LEASE}, collection="Hidden Deal")
    room.client.get("/search", params={"q": "six months notice to the Landlord"})
    room.client.get(f"/d/{room.document('secret')}?s=0-5")
    told = " ".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    for words in ("secret-name", "Hidden Deal", "six months", "Landlord", "MILL"):
        assert words not in told.replace("task", "")
