"""Two versions of a Word file as one with tracked changes: accepted the second, rejected the first.

What it becomes is read by the benchmark's own reader, not by the product's.
"""

from __future__ import annotations

import posixpath
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lxml import etree

from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.docx.versions.check import find_differences
from fourcorners.documents.docx.versions.merge import MergedFile, merge_versions
from fourcorners_bench.comparison.word_edits import WordPair, make_word_pair
from fourcorners_bench.comparison.word_files import Contract, Paragraph, Table, write_word_file
from fourcorners_bench.comparison.word_views import Resolution, view, wrong_sides
from tests.comparison.contracts import CLAUSES
from tests.documents.docx.packages import parts, rewritten

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
FOLDER = Path(__file__).with_name("compared")
PATHS = Path("before.docx"), Path("after.docx")
WRONG = bytes.maketrans(b"i2", b"y3")
PAIRS = (
    *(("t0", f"t_{name}") for name in ("cell", "mid", "del", "delcol", "split")),
    ("n1", "n2"),
    ("services-1", "services-2"),
    ("footer-1", "footer-2"),
)


def merged(before: bytes, after: bytes, author: str = "A. Reviewer") -> MergedFile:
    return merge_versions(before, after, PATHS, author=author, at=datetime.now(UTC))


def contract(*paragraphs: str, header: str = "") -> Contract:
    body: list[Paragraph | Table] = [Paragraph([("text", each)]) for each in paragraphs]
    return Contract(body, [Paragraph([("text", header)])] if header else None, None)


def assert_both(found: MergedFile, before: bytes, after: bytes) -> None:
    assert wrong_sides(found.data, (before, after), found.author) == []
    assert find_differences(found.data, before, after, author=found.author) == []


def assert_whole(data: bytes) -> None:
    """Hold that all that elements refer to is in the file, and that no two changes are one."""
    held = parts(data)
    for name in [each for each in held if each.startswith("word/") and each.endswith(".xml")]:
        root = etree.fromstring(held[name])
        relations = held.get(f"word/_rels/{posixpath.basename(name)}.rels", b"<none/>")
        targets = {each.get("Id"): each for each in etree.fromstring(relations)}
        for node in root.iter():
            for attribute, value in node.attrib.items():
                if str(attribute).startswith(R):
                    relation = targets[str(value)]
                    if relation.get("TargetMode") != "External":
                        target = posixpath.join("/word", relation.get("Target", ""))
                        assert target[1:] in held
    known = {
        kind: {e.get(f"{W}{name}") for e in etree.fromstring(held[f"word/{part}.xml"])}
        for kind, part, name in (("pStyle", "styles", "styleId"), ("numId", "numbering", "numId"))
    }
    main = etree.fromstring(held["word/document.xml"])
    for kind, names in known.items():
        assert {each.get(f"{W}val") for each in main.iter(f"{W}{kind}")} <= names | {"0"}
    for kind in ("footnote", "endnote"):
        cited = {each.get(f"{W}id") for each in main.iter(f"{W}{kind}Reference")}
        notes = etree.fromstring(held.get(f"word/{kind}s.xml", b"<none/>"))
        assert cited <= {each.get(f"{W}id") for each in notes}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("names", PAIRS)
def test_tables_typed_numbers_notes_headers_and_footers(
    names: tuple[str, str], reverse: bool
) -> None:
    before, after = ((FOLDER / f"{name}.docx").read_bytes() for name in names[:: 1 - 2 * reverse])
    found = merged(before, after)
    assert_both(found, before, after)
    assert found.untracked == ()


@pytest.mark.parametrize("seed", range(24))
def test_made_versions_with_edits_of_all_kinds(seed: int) -> None:
    pair = make_word_pair(seed, CLAUSES)
    found = merged(pair.before, pair.after)
    assert_both(found, pair.before, pair.after)
    assert_whole(found.data)
    assert found.untracked == ()


def test_a_paragraph_that_moves_whole_is_a_move() -> None:
    before = write_word_file(contract(*CLAUSES))
    after = write_word_file(contract(*CLAUSES[:6], *CLAUSES[9:15], *CLAUSES[6:9], *CLAUSES[15:]))
    found = merged(before, after)
    assert_both(found, before, after)
    main = etree.fromstring(parts(found.data)["word/document.xml"])
    moves = [
        [each.get(f"{W}name", "") for each in main.iter(f"{W}{kind}RangeStart")]
        for kind in ("moveFrom", "moveTo")
    ]
    assert len(moves[0]) == len(set(moves[0])) == 3
    assert sorted(moves[0]) == sorted(moves[1])
    assert not list(main.iter(f"{W}del", f"{W}ins"))
    accepted = resolve_changes(found.data, PATHS[0], accept=True, author=found.author)
    assert b"move" not in parts(accepted)["word/document.xml"]


@pytest.mark.parametrize("formatting", [False, True])
def test_words_that_only_look_otherwise_are_tracked_if_asked(formatting: bool) -> None:
    lines = contract("Fees are due in thirty days.", "The law is that of England.")
    before = write_word_file(lines)
    plain = b'<w:r><w:t xml:space="preserve">Fees are due in thirty days.</w:t></w:r>'
    styled = plain.replace(b"<w:t", b"<w:rPr><w:b/></w:rPr><w:t", 1)
    start = plain[: plain.index(b"Fees")]
    styled = styled.replace(b" due in thirty", b"</w:t></w:r>" + start + b" due in sixty")
    after = rewritten(before, "word/document.xml", plain, styled)
    found = merge_versions(
        before, after, PATHS, author="A", at=datetime.now(UTC), formatting=formatting
    )
    assert_both(found, before, after)
    assert found.format_changes == formatting
    differences = find_differences(found.data, before, after, author="A", formatting=True)
    assert bool(differences) is not formatting
    runs = etree.fromstring(parts(found.data)["word/document.xml"]).iter(f"{W}r")
    changed = [each for each in runs if each.find(f"{W}rPr/{W}rPrChange") is not None]
    assert [each.findtext(f"{W}t") for each in changed] == ["Fees are"] * formatting


def test_words_stay_where_they_are_the_same() -> None:
    before = write_word_file(contract("1. Fees are due in thirty days.", "2. Law.", "3. Courts."))
    after = write_word_file(contract("1. Fees are due in sixty days.", "3. Courts.", "4. Costs."))
    found = merged(before, after)
    assert view(found.data, Resolution()) == [
        "document: 1. Fees are due in <del thirty><ins sixty> days.",
        "document: <del 2. Law.>",
        "document: 3. Courts.",
        "document: <ins 4. Costs.>",
    ]


def test_a_form_for_other_programs_is_compared_as_word_shows_it() -> None:
    plain = write_word_file(contract("Months: "))
    names = b'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:z="x"'
    form = (
        b'<mc:AlternateContent %s><mc:Choice Requires="z"/><mc:Fallback><w:r><w:t>%s</w:t></w:r>'
        b"</mc:Fallback></mc:AlternateContent></w:p>"
    )
    one, other = (
        rewritten(plain, "word/document.xml", b"</w:p>", form % (names, each))
        for each in (b"five", b"six")
    )
    found = merged(one, other).data
    assert view(found, Resolution()) == ["document: Months: <del five><ins six>"]


def test_whoever_has_changes_in_a_version_is_not_the_author() -> None:
    pair = next(each for seed in range(40) if b"Other Side" in _document(each := _pair(seed)))
    found = merged(pair.before, pair.after, "Other Side")
    assert found.author == "Other Side (comparison)"
    assert_both(found, pair.before, pair.after)


def _pair(seed: int) -> WordPair:
    return make_word_pair(seed, CLAUSES)


def _document(pair: WordPair) -> bytes:
    return parts(pair.before)["word/document.xml"]


def test_what_word_has_no_mark_for_is_counted_and_is_a_comment() -> None:
    before = write_word_file(contract(*CLAUSES[:5]))
    after = rewritten(before, "word/document.xml", b"</w:pPr>", b"<w:sectPr/></w:pPr>")
    found = merged(before, after)
    assert found.untracked == ("a section ends",)
    comments = parts(found.data)["word/comments.xml"]
    assert b"Not tracked: in the other version, a section ends." in comments


def test_a_link_that_leads_to_another_place_is_counted() -> None:
    linked = contract(*CLAUSES[:3])
    linked.body.append(Paragraph([("text", "See "), ("link", "the terms"), ("text", ".")]))
    before = write_word_file(linked)
    name = "word/_rels/document.xml.rels"
    found = merged(before, rewritten(before, name, b"example.org/terms", b"example.com/other"))
    assert found.untracked == ("a link leads to another place",)


@pytest.mark.parametrize(
    ("part", "right", "place", "accepted"),
    [
        ("document", b"sixty", "body", True),
        ("document", b"thirty", "body", False),
        ("header1", b">2<", "header", True),
    ],
)
def test_the_check_names_the_place_of_what_is_wrong(
    part: str, right: bytes, place: str, accepted: bool
) -> None:
    before = write_word_file(contract("Due in thirty days.", header="Draft 1"))
    after = write_word_file(contract("Due in sixty days.", header="Draft 2"))
    found = merged(before, after)
    wrong = rewritten(found.data, f"word/{part}.xml", right, right.translate(WRONG))
    (difference,) = find_differences(wrong, before, after, author=found.author)
    assert (difference.place, difference.accepted) == (place, accepted)
    assert str(difference).startswith(f"{place}: with all changes ")


def test_what_a_drawing_needs_is_declared_in_a_file_that_has_none() -> None:
    box = [Paragraph([("text", "Draft only.")])]
    after = contract(*CLAUSES[:3])
    after.body.append(Paragraph([("text", "A box."), ("box", box)]))
    before, second = write_word_file(contract(*CLAUSES[:3])), write_word_file(after)
    names = b'<w:document xmlns:x="http://schemas.microsoft.com/x"'
    for old, new in ((b"<w:document", names), (b'"wps"', b'"x"')):
        second = rewritten(second, "word/document.xml", old, new)
    found = merged(before, second)
    main = etree.fromstring(parts(found.data)["word/document.xml"])
    (choice,) = main.iter("{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice")
    assert choice.nsmap["x"] == "http://schemas.microsoft.com/x"


def test_a_section_may_inherit_the_header_that_it_had() -> None:
    has = b'<w:sectPr><w:headerReference w:type="default" r:id="r1"/></w:sectPr>'
    main = "word/document.xml"
    plain = write_word_file(contract("One.", "Two.", header="Draft"))
    before = rewritten(plain, main, b"</w:pPr>", b"<w:sectPr/></w:pPr>")
    after = rewritten(plain, main, has, b"<w:sectPr/>")
    after = rewritten(after, main, b"</w:pPr>", has + b"</w:pPr>")
    found = merged(before, after)
    assert found.untracked == ()
    assert find_differences(found.data, before, after, author=found.author) == []
    assert find_differences(before, before, after, author=found.author)
