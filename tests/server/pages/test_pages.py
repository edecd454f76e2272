"""The pages: what a person sees of a library, without scripts."""

from __future__ import annotations

import io
import re
import zipfile
from html import unescape
from urllib.parse import quote

import pytest

from fourcorners.server.links import quote_href, words_hash
from fourcorners.text.span import Span
from tests.server.conftest import LEASE, SUPPLY, Room


def words(page: str) -> str:
    """Return what a page shows, without its marks."""
    return unescape(re.sub(r"<[^>]+>", "", page))


def zipped(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


def test_an_upload_becomes_documents(room: Room) -> None:
    page = room.add({"deal/lease.txt": LEASE, "deal/supply.txt": SUPPLY})
    assert "2 documents added" in words(page)
    assert "deal/lease.txt" in page
    shown = room.client.get("/c/Mill").text
    assert "lease of a mill" in shown.casefold()
    assert "Ada Turner Limited" in shown
    assert str(room.folder) not in shown


@pytest.mark.parametrize("name", ['a "b".txt', "a;b.txt", "a%b.txt", "Vertrag – Müller.txt"])
def test_a_file_keeps_its_name(room: Room, name: str) -> None:
    """A browser escapes a quotation mark in the name of a file that a form sends, and no `%`."""
    sent_name = name.replace('"', "%22")
    body = (
        '--x\r\nContent-Disposition: form-data; name="files"; '
        f'filename="{sent_name}"\r\n'
        f"Content-Type: text/plain\r\n\r\n{LEASE}\r\n--x\r\n"
        'Content-Disposition: form-data; name="collection"\r\n\r\nMill\r\n--x--\r\n'
    )
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    task = room.client.post("/api/v1/documents", content=body.encode(), headers=kind).json()
    room.settle(task["id"])
    (found,) = room.client.get("/api/v1/documents").json()["items"]
    assert found["name"] == name
    sent = room.client.get(f"/d/{found['id']}/original").headers["content-disposition"]
    assert sent == f"attachment; filename*=UTF-8''{quote(name, safe='')}"


def test_what_cannot_be_read_is_told_with_a_remedy(room: Room) -> None:
    page = room.add({"lease.txt": LEASE, "torn.pdf": b"%PDF-1.7 and nothing more"})
    assert "1 not read" in words(page)
    shown = words(room.client.get("/c/Mill").text)
    assert "1 file could not be read" in shown
    assert "torn.pdf" in shown
    assert "Fetch it again" in shown
    assert str(room.folder) not in shown


def test_an_archive_is_read_in_place(room: Room) -> None:
    page = room.add({"room.zip": zipped({"a/lease.txt": LEASE, "b/supply.txt": SUPPLY})})
    assert "2 documents added" in words(page)
    assert "supply.txt" in room.client.get("/c/Mill").text


def test_a_link_opens_exactly_its_words(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    document = room.document("lease")
    start = LEASE.index("The Tenant may end this lease")
    span = Span(start, LEASE.index("Landlord.\n\n2.2") + 9)
    address = quote_href(document, span, span.text_in(LEASE))
    assert address.endswith(f"#s={span.start}-{span.end}")
    page = room.client.get(address).text
    marked = re.findall(r"<mark[^>]*>(.*?)</mark>", page)
    assert unescape("".join(marked)) == span.text_in(LEASE)
    assert page.count(f'id="s={span.start}-{span.end}"') == 1


@pytest.mark.parametrize(
    "asked",
    [
        "s=5-3", "s=0-99999999", "s=-1-4", "s=a-b", "s=1", "s=1-2-3", "s=²-³", "s=3-3",
        "s=0-5&h=00000000", "s=1e3-2e3", "s=9999999999999-99999999999999",
    ],
)  # fmt: skip
def test_a_link_that_does_not_fit_highlights_nothing(room: Room, asked: str) -> None:
    room.put({"lease.txt": LEASE})
    page = room.client.get(f"/d/{room.document('lease')}?{asked}")
    assert page.status_code == 200
    assert "<mark" not in page.text
    assert "nothing is highlighted" in page.text


def test_every_word_of_a_contract_is_shown_once(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    page = room.client.get(f"/d/{room.document('lease')}").text
    shown = page[page.index('<div class="set">') : page.index("</article>")]
    assert words(shown).split() == LEASE.split()


def test_references_and_terms_lead_somewhere(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    page = room.client.get(f"/d/{room.document('lease')}").text
    anchors = set(re.findall(r'id="([^"]+)"', page))
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links <= anchors
    assert re.search(r'class="reference" href="#n\d+">clause 2.1', page)
    assert re.search(r'class="term" href="#t\d+" data-term="\d+">Tenant', page)
    assert len(re.findall(r'id="([^"]+)"', page)) == len(anchors)


def test_search_shows_places_and_errors(room: Room) -> None:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    page = room.client.get("/search", params={"q": '"six months"'}).text
    assert re.search(r"<mark>six months</mark>", page)
    assert "/d/" in page
    bad = room.client.get("/search", params={"q": '"six months'})
    assert bad.status_code == 400
    assert 'role="alert"' in bad.text
    assert re.search(r"<bdi>Lease of a Mill</bdi></a><span><bdi>Ada Turner / Bram Miller", page)
    assert "<bdi>lease.txt</bdi>" not in page
    assert "No passage matches" in room.client.get("/search", params={"q": '"seven moons"'}).text


def test_contracts_are_called_by_title_and_times_are_marked(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    page = room.client.get(f"/d/{room.document('lease')}").text
    assert "<span><bdi>Lease of a Mill</bdi></span></nav>" in page
    assert '<p class="called quiet"><bdi>Ada Turner / Bram Miller' in page
    assert re.search(r'<time datetime="[-\dT:]+\+00:00">\d+ \w+ \d{4}, \d\d:\d\d UTC</time>', page)


def test_a_document_is_taken_out_with_its_file(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    document = room.document("lease")
    files = list(room.folder.glob("library.db-files/*/*"))
    assert [file.name for file in files] == ["lease.txt"]
    answer = room.client.post(
        "/remove", data={"document": document, "collection": "Mill", "csrf": room.token()}
    )
    assert answer.status_code == 303
    assert room.client.get(f"/d/{document}").status_code == 404
    assert not list(room.folder.glob("library.db-files/*"))


def test_the_check_of_the_papers(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    page = room.client.get("/health", params={"c": "Mill"})
    assert page.status_code == 200
    assert "Document check" in page.text


def test_probes_and_errors(room: Room) -> None:
    assert room.client.get("/healthz").text == "ok"
    assert room.client.get("/readyz").json() == {"ready": True}
    missing = room.client.get("/c/Nowhere")
    assert missing.status_code == 404
    assert "Nowhere" in missing.text
    assert room.client.get("/no/such/page").status_code == 404


def test_assets_are_local_and_kept_for_good(room: Room) -> None:
    page = room.client.get("/").text
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert not [each for each in addresses if not each.startswith(("/", "#"))]
    for address in {each for each in addresses if each.startswith("/static/")}:
        answer = room.client.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    assert room.client.get("/static/x/..%2f..%2fapp.py").status_code == 404


def test_a_hash_of_words_is_stable() -> None:
    assert words_hash("six months") == words_hash("six months") != words_hash("six month")
