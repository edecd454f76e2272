"""What is wrong with the papers of a data room."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.review.finding import Severity
from fourcorners.review.health import Health, Symptom, SymptomKind, check_documents
from fourcorners.settings import Settings

BODY = """{title}

This Supply Agreement is dated 4 March 2024 and made between Alder Components Limited
("Supplier") and {buyer} ("Customer").

1. SUPPLY

1.1 The Supplier shall supply the Goods on the terms of this Agreement, and the Customer shall buy
its requirements of the Goods from the Supplier and from no other person.

1.2 The Goods are described in the order that the Customer places from time to time.

2. TERM

2.1 This Agreement continues until {end}, unless a party ends it before by notice in writing.

3. GENERAL

3.1 Neither party may assign this Agreement without the consent of the other.

3.2 This Agreement is governed by the laws of England and Wales, and it is the whole agreement of
the parties about the {thing} that they have agreed.

IN WITNESS WHEREOF the parties have signed this Agreement.

{signed}
"""
SIGNED = "ALDER COMPONENTS LIMITED\n\nBy: /s/ Jo Alder\n\nName: Jo Alder\n"
BLANK = "ALDER COMPONENTS LIMITED\n\nBy: ______________________\n\nName: _____________________\n"
GERMAN = """KAUFVERTRAG

Dieser Vertrag wird zwischen der Erle GmbH und der Birke AG geschlossen. Der Verkäufer ist
verpflichtet, die Ware an den Käufer zu liefern, und der Käufer wird die Rechnung innerhalb von
dreißig Tagen bezahlen. Für den Vertrag gilt das Recht der Bundesrepublik Deutschland, und eine
Änderung ist nicht ohne Schriftform möglich. Der Verkäufer haftet nur für Schäden, die er zu
vertreten hat, und die Parteien sind sich einig, dass das Gericht in Köln zuständig ist.
"""


def contract(**changed: str) -> str:
    words = {
        "title": "SUPPLY AGREEMENT",
        "buyer": "Birch Retail Limited",
        "end": "4 March 2031",
        "thing": "matters",
        "signed": SIGNED,
    }
    return BODY.format(**(words | changed))


def examined(folder: Path, files: Mapping[str, str | bytes], **options: object) -> Health:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
    with Library.open(folder.parent / "room.db") as library:
        add_files(library, [folder], collection="Room", encoder=None, settings=Settings(jobs=1))
        return check_documents(library, "Room", as_of=date(2026, 11, 1), **options)  # type: ignore[arg-type]


def of(health: Health, concern: SymptomKind) -> list[Symptom]:
    return [each for each in health.symptoms if each.concern is concern]


def test_a_sound_room_has_nothing_to_look_at(tmp_path: Path) -> None:
    health = examined(tmp_path / "room", {"supply.txt": contract()})
    assert health.symptoms == ()
    assert (health.documents, health.unread) == (1, 0)
    assert health.characters == len(contract())


def test_what_cannot_be_read_comes_first(tmp_path: Path) -> None:
    health = examined(
        tmp_path / "room",
        {"supply.txt": contract(end="4 March 2025"), "broken.pdf": b"%PDF-1.7 and nothing more"},
    )
    first, second = health.symptoms
    assert first.concern is SymptomKind.UNREAD
    assert first.severity is Severity.HIGH
    assert first.name.endswith("broken.pdf")
    assert first.remedy
    assert second.concern is SymptomKind.EXPIRED
    assert "2025-03-04" in second.message


def test_what_was_not_read_of_a_file_is_named(tmp_path: Path) -> None:
    shown = "<html><body><p>Loan of 5,000 pounds.</p><iframe src='terms.html'></iframe></body>"
    (symptom,) = of(examined(tmp_path / "room", {"a.html": shown}), SymptomKind.PARTLY_UNREAD)
    assert symptom.message == "It shows other pages within it, which are not read."


def test_one_content_under_two_names(tmp_path: Path) -> None:
    health = examined(tmp_path / "room", {"a.txt": contract(), "b.txt": contract()})
    (same,) = of(health, SymptomKind.SAME)
    assert health.documents == 1
    assert {Path(path).name for path in (same.name, *same.others)} == {"a.txt", "b.txt"}


def test_versions_are_one_family(tmp_path: Path) -> None:
    filler = "\n\n".join(
        f"{number}. Lot {number} is kept at yard {number * 7} until the Customer calls for it."
        for number in range(10, 60)
    )
    files = {f"v{number}.txt": contract(thing=f"{number}") + filler for number in range(3)}
    other = "\n\n".join(
        f"{number}. Tenant {number} may use door {number * 3} and no other way into the building."
        for number in range(10, 60)
    )
    health = examined(tmp_path / "room", files | {"lease.txt": "LEASE\n\n" + other})
    (family,) = of(health, SymptomKind.NEARLY_SAME)
    assert (family.name, family.others) == ("v0.txt", ("v1.txt", "v2.txt"))


def test_an_exhibit_that_is_not_there(tmp_path: Path) -> None:
    text = contract().replace("in the order", "in Exhibit C and Schedule 4 and the order")
    (missing,) = of(examined(tmp_path / "room", {"a.txt": text}), SymptomKind.MISSING_ATTACHMENT)
    assert "Exhibit C" in missing.message
    assert "Schedule 4" in missing.message
    assert missing.span is not None
    assert [place.text_in(text) for place in missing.places] == ["Exhibit C", "Schedule 4"]


@pytest.mark.parametrize(
    ("cited", "there"),
    [
        ("Exhibit F", "EXHIBIT F-1\n\nThe form of order.\n\nEXHIBIT F-2\n\nThe form of receipt."),
        ("Annex I-A", "ANNEX I(a)\n\nThe form of opinion."),
        ("Schedule A", "EXHIBIT A\n\nThe prices of the Goods."),
        ("Exhibit A", ".EXHIBIT A\n\nThe prices of the Goods."),
    ],
)
def test_an_exhibit_that_is_there_under_another_name(
    tmp_path: Path, cited: str, there: str
) -> None:
    text = contract().replace("in the order", f"in {cited} and the order") + f"\n\n\n\n{there}\n"
    health = examined(tmp_path / "room", {"a.txt": text})
    assert of(health, SymptomKind.MISSING_ATTACHMENT) == []


@pytest.mark.parametrize(
    ("signed", "is_unsigned"),
    [(SIGNED, False), (BLANK, True), (SIGNED + BLANK, True), ("By: the Director\n", False)],
)
def test_blank_signature_lines(tmp_path: Path, signed: str, is_unsigned: bool) -> None:
    text = contract(signed=signed)
    found = of(examined(tmp_path / "room", {"a.txt": text}), SymptomKind.UNSIGNED)
    assert bool(found) is is_unsigned
    for each in found:
        assert each.span is not None
        assert "____" in each.span.text_in(text)
        assert each.places == (each.span,)


def test_a_form_that_was_not_filled_in(tmp_path: Path) -> None:
    text = contract(buyer="____________", thing="price of [insert amount] for ____ tonnes")
    text = text.replace("dated 4 March 2024", "dated March ___, 2024").replace("[Term]", "")
    health = examined(tmp_path / "room", {"a.txt": text})
    (undated,) = of(health, SymptomKind.UNDATED)
    assert [place.text_in(text) for place in undated.places] == ["March ___, 2024"]
    (unfilled,) = of(health, SymptomKind.UNFILLED)
    blanks = [place.text_in(text) for place in unfilled.places]
    assert blanks == ["____________", "[insert amount]", "____"]
    assert unfilled.message.startswith("Look at 3 places")
    (alone,) = of(health, SymptomKind.ONE_PARTY)
    assert alone.span is not None
    assert alone.span.text_in(text) == "Alder Components Limited"


def test_another_language(tmp_path: Path) -> None:
    files = {"kauf.txt": GERMAN, "supply.txt": contract()}
    (found,) = of(examined(tmp_path / "room", files), SymptomKind.LANGUAGE)
    assert found.name == "kauf.txt"
    assert "'de'" in found.message


def test_the_language_may_be_another(tmp_path: Path) -> None:
    health = examined(tmp_path / "room", {"kauf.txt": GERMAN}, language="de")
    assert of(health, SymptomKind.LANGUAGE) == []


@pytest.mark.parametrize(
    ("end", "concern"),
    [
        ("31 October 2026", SymptomKind.EXPIRED),
        ("1 November 2026", SymptomKind.EXPIRING),
        ("15 January 2027", SymptomKind.EXPIRING),
        ("15 May 2027", None),
    ],
)
def test_terms_that_ended_or_end_soon(
    tmp_path: Path, end: str, concern: SymptomKind | None
) -> None:
    health = examined(tmp_path / "room", {"a.txt": contract(end=end)})
    timed = [*of(health, SymptomKind.EXPIRED), *of(health, SymptomKind.EXPIRING)]
    assert [each.concern for each in timed] == ([concern] if concern else [])


def test_an_amendment_without_its_contract(tmp_path: Path) -> None:
    amendment = (
        "FIRST AMENDMENT TO SERVICES AGREEMENT\n\nThis First Amendment to the Services Agreement "
        "dated 3 May 2021 between Cedar Limited and Maple Limited is made on 4 June 2022.\n\n"
        "1. The parties amend the Services Agreement dated 3 May 2021 as follows: Section 3 of it "
        "is deleted and replaced with the words below, and all else remains in force.\n\n"
        "2. This Amendment is governed by the laws of England and Wales.\n"
    )
    (missing,) = of(
        examined(tmp_path / "room", {"one.txt": amendment}), SymptomKind.MISSING_CONTRACT
    )
    assert missing.severity is Severity.HIGH
    assert "Services Agreement" in missing.message


def test_hardly_any_words(tmp_path: Path) -> None:
    (found,) = examined(tmp_path / "room", {"a.txt": "See the other file.\n"}).symptoms
    assert found.concern is SymptomKind.EMPTY


def test_tells_how_far_it_is(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    files = {"a.txt": contract(), "kauf.txt": GERMAN}
    examined(tmp_path / "room", files, on_document=lambda *step: told.append(step))
    assert told == [(1, 2), (2, 2)]
