"""The pages of dates and obligations, and the files that they send."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Callable
from html import unescape

import pypdfium2 as pdfium
import pytest

from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.pages import terms
from fourcorners.server.tasks.handlers import obligations
from tests.server.conftest import LEASE, Room

DAY = "2028-12-01"
SUPPLY = """SUPPLY OF GRAIN

between Oats Limited (the "Supplier") and Mills Limited (the "Buyer").

1. Supply

1.1 The Supplier shall supply the grain that the Buyer orders.

1.2 The Buyer shall pay each invoice within thirty days.
"""


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.fixture
def room(make_room: Callable[..., Room]) -> Room:
    made = make_room()
    made.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    return made


def test_dates_are_listed_by_month_and_lead_to_their_words(room: Room) -> None:
    page = room.client.get("/dates", params={"as_of": DAY}).text
    assert "1 May 2029" in words(page)
    assert "Ends : Lease of a Mill" in words(page)
    assert "in 151 days" in words(page)
    (href,) = set(re.findall(r'href="(/d/[^"]+\?s=[^"]+)"', page))
    shown = room.client.get(unescape(href)).text
    assert "The Term is five years" in " ".join(re.findall(r"<mark[^>]*>([^<]+)", shown))
    assert "Nothing falls due" in room.client.get("/dates?within=1").text


def test_a_calendar_needs_no_script(room: Room) -> None:
    page = room.client.get("/dates", params={"as_of": DAY, "view": "calendar"}).text
    (due,) = re.findall(r'<td class="due">(.*?)</td>', page, re.DOTALL)
    assert words(due) == "1 Ends Lease of a Mill (Ada Turner / Bram Miller)"
    assert page.count("<caption>") == 1


def test_dates_are_sent_as_a_calendar_and_a_workbook(room: Room) -> None:
    sent = room.client.get("/dates/report.ics", params={"as_of": DAY, "c": "Mill"})
    assert sent.headers["content-type"].startswith("text/calendar")
    assert "DTSTART;VALUE=DATE:20290501" in sent.text
    assert "SUMMARY:End: LEASE OF A MILL" in sent.text
    book = room.client.get("/dates/report.xlsx", params={"as_of": DAY, "c": "Mill"})
    inside = zipfile.ZipFile(io.BytesIO(book.content)).read("xl/sharedStrings.xml").decode()
    assert "LEASE OF A MILL" in inside
    assert room.client.get("/dates/report.doc").status_code == 404


def test_a_day_that_is_none_is_said_in_place(room: Room) -> None:
    answer = room.client.get("/dates", params={"as_of": "soon"})
    assert answer.status_code == 400
    assert "This is not a date" in answer.text
    assert 'name="within"' in answer.text


def test_obligations_are_filtered(room: Room) -> None:
    page = room.client.get("/dates/obligations").text  # the only collection is chosen
    assert "Must supply the grain" in words(page)
    assert "Must not assign this lease" in words(page)
    asked = {"c": "Mill", "kind": "prohibition"}
    page = words(room.client.get("/dates/obligations", params=asked).text)
    assert "Must not assign this lease" in page
    assert "Must supply the grain" not in page
    page = words(room.client.get("/dates/obligations", params={**asked, "due": "dated"}).text)
    assert "No obligation matches" in page
    page = words(room.client.get("/dates/obligations", params={"d": room.document("supply")}).text)
    assert "Must supply the grain" in page
    assert "assign this lease" not in page


def test_many_new_contracts_are_read_by_a_task(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(obligations, "_MOST_NEW", 0)
    address = "/api/v1/obligations?collection=Mill"
    refused = room.client.get(f"{address}".replace("obligations", "obligations/report"))
    assert refused.status_code == 409
    assert "2 of 2 contracts" in refused.text
    page = words(room.client.get("/dates/obligations").text)
    assert "2 contracts are being read" in page or "Must supply the grain" in page
    until = time.monotonic() + 60
    while (found := room.client.get(address).json())["unread"]:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert len(found["obligations"]) > 2
    tasks = room.client.get("/api/v1/tasks").json()["items"]
    assert [each["kind"] for each in tasks].count("obligations") == 1
    assert "Must supply the grain" in words(room.client.get("/dates/obligations").text)


def test_a_long_list_has_pages(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "_MOST_LISTED", 1)
    first = room.client.get("/dates/obligations?c=Mill").text
    (following,) = re.findall(r'href="([^"]+)">Next<', first)
    second = room.client.get(unescape(following)).text
    assert "1 to 1 of" in words(first)
    assert "2 to 2 of" in words(second)
    assert first.count('class="when"') == second.count('class="when"') == 1


@pytest.mark.parametrize(("most", "filter_"), [(1, ""), (2, "&kind=duty"), (200, "")])
def test_a_page_after_the_last_leads_back(
    room: Room, monkeypatch: pytest.MonkeyPatch, most: int, filter_: str
) -> None:
    monkeypatch.setattr(terms, "_MOST_LISTED", most)
    after = room.client.get(f"/dates/obligations?c=Mill{filter_}&after=99999").text
    assert "No obligation matches" not in words(after)
    assert "100,000 to" not in words(after)
    (last,) = re.findall(r'href="([^"]+)">Last page<', after)
    page = room.client.get(unescape(last)).text
    assert 1 <= page.count('class="when"') <= most
    assert ">Next<" not in page


def test_an_unknown_client_is_said_in_place(room: Room) -> None:
    answer = room.client.get("/dates/obligations", params={"c": "Mill", "for": "Nobody Limited"})
    assert answer.status_code == 400
    assert "Nobody Limited" in answer.text
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize("form", ["xlsx", "docx", "html", "ics"])
def test_obligations_are_sent_as_files(room: Room, form: str) -> None:
    asked = {"c": "Mill", "kind": "prohibition"}
    sent = room.client.get(f"/dates/obligations/report.{form}", params=asked)
    assert sent.status_code == 200
    data = sent.content
    if form in ("xlsx", "docx"):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            data = b"".join(package.read(each) for each in package.namelist())
    if form == "ics":
        assert b"BEGIN:VCALENDAR" in data
    else:
        assert b"must not assign this lease" in data or b"not assign this lease" in data
        assert b"supply the grain" not in data


def test_obligations_are_sent_as_a_pdf(room: Room) -> None:
    pytest.importorskip("typst")
    sent = room.client.get("/dates/obligations/report.pdf", params={"c": "Mill"})
    assert sent.headers["content-type"] == "application/pdf"
    assert sent.content.startswith(b"%PDF-")
    lease = room.document("lease")
    for asked, subject in (
        ({"kind": "prohibition"}, "Mill"),  # of two contracts, one prohibits anything
        ({"d": lease}, "Lease of a Mill (Ada Turner / Bram Miller)"),
        ({"d": lease, "whose": "ours"}, "Lease of a Mill"),
    ):
        asked |= {"c": "Mill"}
        sent = room.client.get("/dates/obligations/report.pdf", params=asked)
        title = pdfium.PdfDocument(sent.content).get_metadata_dict()["Title"]
        assert title.startswith(subject)
        assert title.endswith(": Who must do what, by when")
    page = room.client.get("/dates/obligations/report.html", params={"c": "Mill"}).text
    assert "check each against its words" in page
    assert page.index("Oats Limited") < page.index("must supply the grain")


def test_a_calendar_is_subscribed_to_without_words(room: Room) -> None:
    page = room.client.get("/dates", params={"c": "Mill"}).text
    (address,) = re.findall(r'id="calendar-address" readonly value="([^"]+)"', page)
    assert "token" not in address
    asked = f"{unescape(address)}&as_of={DAY}"
    sent = room.client.get(asked).text
    assert "SUMMARY:End: LEASE OF A MILL" in sent
    assert "DESCRIPTION" not in sent
    assert "five years" in room.client.get(f"{asked}&words=yes").text


def test_a_token_in_the_address_serves_the_calendar_alone(make_room: Callable[..., Room]) -> None:
    room = make_room(team=True)
    room.put({"lease.txt": LEASE})
    room.put({"barn.txt": LEASE.replace("MILL", "BARN")}, "Barn")
    with room.app.state.server.connection_pool.library() as library:
        people = Accounts(library)
        people.add("ada", "a short sentence is good", by="test")
        people.grant("ada", Role.ADMIN, "Mill", by="test")
        token = ApiTokens(library).add("ada", [Scope.ADMIN], "calendar", 1, by="test")
    asked = {"as_of": DAY, "token": token}
    sent = room.client.get("/dates/calendar.ics", params=asked)
    assert "LEASE OF A MILL" in sent.text
    assert "BARN" not in sent.text
    assert room.client.get("/dates/calendar.ics").status_code in (303, 401)
    wrong = room.client.get("/dates/calendar.ics", params={"token": "fc_none"})
    assert (wrong.status_code, wrong.headers["content-type"][:10]) == (401, "text/plain")
    assert "unknown or has expired" in wrong.text
    assert "location" not in wrong.headers
    for other in ("/dates", "/api/v1/documents", "/"):
        answer = room.client.get(other, params=asked)
        assert "LEASE OF A MILL" not in answer.text
        assert answer.status_code in (303, 401)
