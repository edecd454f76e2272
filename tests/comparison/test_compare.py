"""Every kind of change, found and called what it is; and nothing else."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from unicodedata import normalize

import pytest

from fourcorners.comparison.compare import compare_documents
from fourcorners.comparison.comparison import ClauseChange, Comparison
from fourcorners.comparison.marking import mark_words
from fourcorners.documents.document import STRUCK_THROUGH, Mark, MarkKind, Page, TextSource
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError
from fourcorners.reports.comparison.phrases import describe_no_change
from fourcorners.text.span import Span
from fourcorners.text.word_differences import EditKind
from fourcorners_bench.comparison.word_files import Contract, Paragraph, Table, write_word_file
from tests.comparison.contracts import (
    CLAUSES,
    compare,
    contract,
    differing,
    document,
    replaced,
    words,
)


def test_the_same_contract_has_no_change() -> None:
    found = compare(*CLAUSES)
    assert not differing(found)
    assert len(found.clauses) == len(CLAUSES)


@pytest.mark.parametrize("mark", [(MarkKind.DELETED, STRUCK_THROUGH), (MarkKind.HIDDEN, "")])
def test_a_version_with_words_struck_out_is_not_said_to_be_the_same(
    mark: tuple[MarkKind, str],
) -> None:
    plain = contract()
    other = replace(plain, marks=(Mark(mark[0], Span(0, 9), mark[1]),))
    found = compare_documents(plain, other)
    assert not differing(found)
    assert "struck out or hidden" in describe_no_change(found)
    saved_again = compare_documents(plain, replace(plain, sha256="1" * 64))
    assert "have the same words" in describe_no_change(saved_again)


@pytest.mark.parametrize(
    ("old", "new", "aspect"),
    [
        ("thirty (30) days", "sixty (60) days", "period"),
        ("$10,000", "$15,000", "amount"),
        ("4% a year", "8% a year", "amount"),
        ("1 March 2024", "1 April 2024", "date"),
        ("The Buyer may inspect", "The Buyer may not inspect", "negation"),
        ("Supplier shall keep", "Supplier may keep", "modal"),
        ("The Supplier is liable", "The Buyer is liable", "party"),
        ("Section 2.1 says", "Section 2.3 says", "reference"),
        ("spare parts", "replacement parts", "wording"),
        ("the pumps that", "the Pumps that", "capitals"),
        ("overdue, from", "overdue; from", "punctuation"),
        ("spare parts", "☐ spare parts", "wording"),
    ],
)
def test_a_change_of_words_is_said_to_be_about_what_it_is(old: str, new: str, aspect: str) -> None:
    found = compare(*replaced(old, new))
    assert [about for about, *_ in words(found)] == [aspect]
    (changed,) = differing(found)
    assert changed.relation == "changed"


def test_values_are_read_before_and_after() -> None:
    found = compare(*replaced("thirty (30) days", "sixty (60) days"))
    (change,) = (each for clause in found.clauses for each in clause.changes)
    assert (change.old, change.new) == ("30 days", "60 days")


def test_a_clause_that_is_added_renumbers_those_after_it_and_changes_none() -> None:
    new = "2.2 The Supplier shall insure the Goods against all risks until they are delivered."
    later = [each.replace("2.3", "2.4").replace("2.2 ", "2.3 ") for each in CLAUSES[7:9]]
    last = CLAUSES[9].replace("2.4", "2.5")
    found = differing(compare(*CLAUSES[:7], new, *later, last, *CLAUSES[10:]))
    assert [each.relation.value for each in found] == ["added", "same", "same", "same"]
    assert [each.is_renumbered for each in found] == [False, True, True, True]
    assert not any(each.changes for each in found)


def test_a_clause_that_is_removed_is_listed_where_it_was() -> None:
    found = compare(*CLAUSES[:9], *CLAUSES[10:])
    (removed,) = differing(found)
    assert removed.relation == "removed"
    names = [(each.before or each.after)[0].label for each in found.clauses]
    assert names.index("2.4") == names.index("2.3") + 1


def test_a_clause_that_moves_is_moved_also_when_its_words_change() -> None:
    moved = CLAUSES[9].replace("2.4", "5.4").replace("shall keep", "shall not keep")
    found = differing(compare(*CLAUSES[:9], *CLAUSES[10:], moved))
    (change,) = found
    assert change.is_moved
    assert change.relation == "changed"
    assert [each.aspect.value for each in change.changes] == ["negation"]
    assert (change.before[0].label, change.after[0].label) == ("2.4", "5.4")


def test_a_clause_that_is_split_and_clauses_that_are_merged() -> None:
    first, second = CLAUSES[8].split(" Title ")
    parts = (first, f"2.4 Title {second}", CLAUSES[9].replace("2.4", "2.5"))
    split = compare(*CLAUSES[:8], *parts, *CLAUSES[10:])
    assert differing(split)[0].relation == "split"
    assert not words(split)
    merged = compare(*CLAUSES, before=(*CLAUSES[:8], *parts, *CLAUSES[10:]))
    assert differing(merged)[0].relation == "merged"
    assert not words(merged)


def test_a_sentence_that_goes_to_the_next_clause_is_said_to_be_divided_otherwise() -> None:
    before = (*CLAUSES[:8], "2.3 " + "Risk in the Goods passes on delivery to the works. " * 2
              + "Title in all of the Goods that are on order passes when the last is paid for.",
              "2.4 The Supplier shall keep spare parts for the Goods in stock for ten years.",
              *CLAUSES[10:])  # fmt: skip
    head, tail = before[8].split(" Title ")
    after = (*before[:8], head, f"2.4 Title {tail}{before[9][3:]}", *before[10:])
    (change,) = differing(compare(*after, before=before))
    assert change.relation == "divided"


def test_a_clause_with_other_words_under_the_same_heading_is_replaced() -> None:
    old = (*CLAUSES[:17], "5.1 Assignment. Neither party shall assign this contract to another.")
    new = (*CLAUSES[:17], "5.1 Assignment. A transfer by operation of law is permitted at will.")
    (change,) = differing(compare(*new, before=old))
    assert change.relation == "replaced"


def test_references_that_follow_the_clause_they_mean_are_numbering() -> None:
    new = "2. DELIVERY\n\n2.1 The Goods are new, and nobody has used them before, save for a test."
    shifted = [
        each.replace("2.1", "3.1").replace("2. ", "3. ").replace("2.", "3.", 1)
        if each.startswith("2")
        else each.replace("Section 2.1", "Section 3.1")
        for each in CLAUSES[5:10]
    ]
    rest = [each.replace("Section 2.1", "Section 3.1") for each in CLAUSES[10:]]
    found = compare(*CLAUSES[:5], *new.split("\n\n"), *shifted, *rest)
    assert ("numbering", "2.1", "3.1") in words(found)
    assert not [each for each in words(found) if each[0] == "reference"]
    # Where the words stay, they mean another clause.
    found = compare(*CLAUSES[:5], *new.split("\n\n"), *shifted, *CLAUSES[10:])
    (stale,) = (c for each in found.clauses for c in each.changes if c.aspect == "reference")
    assert (stale.old[:16], stale.new[:14]) == ("2.1 “The Supplie", "2.1 “The Goods")
    (line,) = (each for each in found.clauses if stale in each.changes)
    assert {each.kind for each in mark_words(found, line)} == {EditKind.EQUAL}


def test_lines_pages_and_typographic_signs_do_not_matter() -> None:
    text = "\n\n".join(CLAUSES)
    other = text.replace("'s end", "’s end").replace('"Buyer"', "“Buyer”")
    other = other.replace("within thirty", "within\nthirty").replace("pumps that", "pumps  that")
    other = other.replace("before they are", "before they\n\n\f   are")
    found = compare_documents(document(text), document(other))
    assert not differing(found)
    assert sum(each.has_other_spacing for each in found.clauses) >= 4
    accents = "The Café Müller is open until the fête of its propriétaire, as the Käufer agreed."
    pair = (document(normalize(form, accents)) for form in ("NFC", "NFD"))
    assert not differing(compare_documents(*pair))


def test_what_is_printed_on_every_page_is_left_out() -> None:
    text = "\n\n".join(CLAUSES)
    at = text.index("within thirty")
    other = f"{text[:at]}\nDraft 7 of the contract\n{text[at:]}"
    header = Mark(MarkKind.HEADER, Span(at + 1, at + 24))
    found = compare_documents(document(text), replace(document(other), marks=(header,)))
    assert not words(found)


def test_page_numbers_are_left_out_but_a_figure_in_a_table_is_not() -> None:
    def paged(figure: str) -> str:
        return "\n\n".join(
            f"{number}.1 The Supplier shall keep article {number} in stock. {'It is kept. ' * 50}"
            f"\n\n{number if figure else ''}"
            for number in range(1, 6)
        )

    assert not words(compare_documents(document(paged("x")), document(paged(""))))
    before, after = (
        document("\n\n".join([*CLAUSES, "Rate", rate, "Other", "7"])) for rate in ("40", "50")
    )
    assert differing(compare_documents(before, after))


def test_a_list_that_begins_on_new_lines_is_the_same_list() -> None:
    whole = "6.1 The parties shall: (a) keep the price secret; (b) return all drawings on request."
    lines = whole.replace(" (a)", "\n\n(a)").replace(" (b)", "\n\n(b)")
    found = compare(*CLAUSES, *lines.split("\n\n"), before=(*CLAUSES, whole))
    assert not words(found)
    assert {each.relation.value for each in found.clauses} == {"same"}


def test_every_clause_is_in_the_comparison_once() -> None:
    found = compare(*reversed(CLAUSES))
    for version, side in ((found.before, "before"), (found.after, "after")):
        spans = [clause.span for each in found.clauses for clause in getattr(each, side)]
        assert len(spans) == len(set(spans)) == len(CLAUSES)
        assert "".join(version.text.split()) == "".join(
            "".join(span.text_in(version.text).split()) for span in sorted(spans)
        )


def test_a_scan_without_text_is_an_error_that_names_the_file_and_the_remedy() -> None:
    with pytest.raises(InputError, match=r"scan\.pdf: there is no text") as error:
        compare_documents(contract(), document(" \n", "scan.pdf"))
    assert "Tesseract" in error.value.remedy
    text = contract().text
    pages = [
        Page(1, Span(0, 90), 595, 842),
        Page(2, Span(90, 90), 595, 842, TextSource.NONE),
        Page(3, Span(90, len(text)), 595, 842, TextSource.NONE),
    ]
    half = replace(document(text, "half.pdf"), pages=tuple(pages))
    with pytest.raises(InputError, match="2 of 3 pages are scans"):
        compare_documents(contract(), half)
    one = replace(half, pages=(*pages[:2], replace(pages[2], source=TextSource.OCR)))
    warnings = compare_documents(contract(), one).warnings
    assert any("Page 2 could not be read" in each for each in warnings)
    assert any("misread" in each for each in warnings)


def test_contracts_with_nothing_in_common_are_compared_too() -> None:
    other = document("LETTER\n\nDear Sir, we thank you for the flowers.\n\nYours faithfully")
    found = compare_documents(contract(), other)
    assert {each.relation.value for each in found.clauses} == {"added", "removed"}


def test_time_grows_with_length_not_with_its_square() -> None:
    def seconds(times: int) -> float:
        parts = [
            f"{number}.{at} The Supplier of item {number} shall deliver {number * 7 + at} boxes of "
            f"goods number {at} to the Buyer at its works, in {at + 2} days."
            for number in range(1, times)
            for at in range(1, 9)
        ]
        changed = [each.replace("boxes", "crates") if at % 9 == 0 else each
                   for at, each in enumerate(parts) if at % 31]  # fmt: skip
        before, after = document("\n\n".join(parts)), document("\n\n".join(changed))
        start = time.process_time()
        compare_documents(before, after)
        return time.process_time() - start

    seconds(5)
    small = min(seconds(40) for _ in range(2))
    assert min(seconds(80) for _ in range(3)) < 3.2 * small


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("footnote", "Footnote 1 to clause 1.2"),
        ("endnote", "Endnote 1 to clause 1.2"),
        ("box", "Text box"),
        ("header", "Header"),
        ("footer", "Footer"),
    ],
)
def test_changes_in_other_parts_of_word_files_are_under_their_own_names(
    kind: str, place: str, tmp_path: Path
) -> None:
    versions = []
    for at, sentence in enumerate(("Drafts are not binding.", "Drafts are never binding.")):
        body: list[Paragraph | Table] = [Paragraph([("text", each)]) for each in CLAUSES]
        earlier = [Paragraph([("text", "All of them.")])]
        if at:  # an earlier note gives the others other numbers
            body[3] = Paragraph([("text", CLAUSES[3]), ("footnote", earlier)])
        part = [Paragraph([("text", sentence)])]
        if kind not in ("header", "footer"):
            body[4] = Paragraph([("text", CLAUSES[4]), (kind, part)])
        header, footer = (part if kind == each else None for each in ("header", "footer"))
        path = tmp_path / f"{at}.docx"
        path.write_bytes(write_word_file(Contract(body, header, footer)))
        versions.append(read_document(path))
    found = compare_documents(*versions)
    (change,) = [each for each in differing(found) if "binding" in "".join(_texts(found, each))]
    assert change.before[0].name == place
    (added,) = [each for each in differing(found) if not each.before]
    assert added.after[0].name == "Footnote 1 to clause 1.1"
    assert not [each for each in words(found) if each[0] == "number"]
    assert found.left_out == ""


def test_numbers_of_notes_that_a_page_prints_as_words_are_no_change(tmp_path: Path) -> None:
    body: list[Paragraph | Table] = [Paragraph([("text", each)]) for each in CLAUSES]
    note = [Paragraph([("text", "Banks close at noon on Saturdays.")])]
    body[4] = Paragraph([("text", CLAUSES[4][:-1]), ("footnote", note), ("text", ".")])
    path = tmp_path / "noted.docx"
    path.write_bytes(write_word_file(Contract(body, None, None)))
    for number, aspects in (("3", []), ("3 or 4", ["number"])):
        page = (*CLAUSES[:4], f"{CLAUSES[4][:-1]}{number}.", *CLAUSES[5:])
        printed = contract(*page, "3 Banks close at noon on Saturdays.")
        found = compare_documents(read_document(path), printed)
        assert [each for each, *_ in words(found)] == aspects


def _texts(found: Comparison, change: ClauseChange) -> list[str]:
    return [each.span.text_in(found.after.text) for each in change.after]


@pytest.mark.parametrize(
    ("old", "new", "aspect"),
    [
        ("1 March 2024", "March 1, 2024", "form"),
        ("1 March 2024", "1st day of March 2024", "form"),
        ("1 March 2024", "2024-03-01", "form"),
        ("1 March 2024", "March 2, 2024", "date"),
        ("1 March 2024", "3/1/2024", "date"),  # or 3 January
        ("thirty (30) days", "30 days", "form"),
        ("thirty (30) days", "30 business days", "period"),
        ("thirty (30) days", "thirty (20) days", "period"),
        ("within thirty (30) days", "not within 30 days", "negation, form"),
        ("$10,000", "$10 thousand", "form"),
        ("$10,000", "$11 thousand", "amount"),
        ("$10,000", "€10,000", "amount"),
        ("4% a year", "four per cent (4%) a year", "form"),
        ("The price of each pump", "The price of 10 pumps", "number"),
        ("the month's end", "the end of May", "date"),
    ],
)
def test_values_are_compared_whatever_their_form(old: str, new: str, aspect: str) -> None:
    assert ", ".join(about for about, *_ in words(compare(*replaced(old, new)))) == aspect


@pytest.mark.parametrize(
    ("old", "new", "aspect"),
    [
        ("USD 1,250,000", "US$1.25 million", "form"),
        ("Rs. 12,50,000", "Rs 12.5 lakh", "form"),
        ("EUR 1 250 000", "EUR 1,250,000", "form"),
        ("EUR 1\u202f250\u202f000", "EUR 1,250,000", "form"),
        ("EUR 1 250 000", "EUR 1 260 000", "amount"),
        ("USD 1,250,000", "CAD 1.25 million", "amount"),
        ("12 months", "one year", "form"),
        ("ten units", "10 units", "form"),
    ],
)
def test_sums_are_compared_in_every_notation(old: str, new: str, aspect: str) -> None:
    before, after = (
        (*CLAUSES, f"5.4 The Supplier has {each} in its works at the date of this Agreement.")
        for each in (old, new)
    )
    assert [about for about, *_ in words(compare(*after, before=before))] == [aspect]


def test_a_clause_in_other_words_is_replaced_and_one_with_a_longer_text_is_changed() -> None:
    rewritten = (
        "5.2 The Supplier may transfer its rights to a company of its group, if it gives notice of "
        "that beforehand; any other transfer needs the Buyer's consent, which is not to be delayed."
    )
    (change,) = differing(compare(*CLAUSES[:19], rewritten, *CLAUSES[20:]))
    assert change.relation == "replaced"
    assert not change.changes
    longer = f"{CLAUSES[19][:-1]}, {rewritten[4:]}"
    (change,) = differing(compare(*CLAUSES[:19], longer, *CLAUSES[20:]))
    assert change.relation == "changed"
