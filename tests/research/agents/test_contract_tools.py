"""The researcher's tools inside the contracts: what they find, what they say where they do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.research.agents.archivist import quote_headings
from fourcorners.research.agents.contract_maps import outline_map
from fourcorners.research.agents.contract_tools import contract_tools
from fourcorners.research.agents.sentence_list import EvidenceBudget, SentenceList
from fourcorners.research.context import ResearchContext, build_context
from fourcorners.research.tool import MAX_PART, Material, ToolQuery, merge_materials
from fourcorners.settings import Settings
from fourcorners.text.span import Span

LONG = " ".join(
    f"The Operator shall keep the record numbered {n} for the Owner." for n in range(55)
)
SUBJECTS = ("SITE", "PLANT", "SAFETY", "DUST", "WATER", "ROADS", "FENCES", "SIGNS", "HOURS")
MIDDLE = "\n".join(
    f"{n}. {subject}\n{n}.1 The Operator shall keep the {subject.lower()} in good order.\n"
    for n, subject in enumerate(SUBJECTS, start=3)
)
ROOM = Path(__file__).parents[3] / "examples" / "dataroom"
QUARRY = f"""QUARRY AGREEMENT

This Quarry Agreement is made on 1 March 2024 between Flint Owners Limited (the "Owner") and \
Gravel Operators Limited (the "Operator").

1. DEFINITIONS
1.1 "Royalty" means, for each calendar month, the amount that is worked out as follows:

R = T x P x 4%

where T is the tonnage that leaves the Quarry and P is the posted price.

1.2 "Quarry" means the pit at Chert Lane.
1.3 "Royalty Date" means the tenth day of each month.

2. PAYMENT
2.1 The Operator shall pay the Royalty on each Royalty Date.
2.2 Interest is due on what is late.

{MIDDLE}
12. RECORDS
12.1 {LONG}
12.2 The Owner may:
(a) inspect the records on five days' notice; and
(b) take copies of them.

12A. AUDIT
12A.1 An auditor of the Owner may audit the records once a year.

13. ENDING
13.1 This Agreement lasts for ten years.
13.2 It may be renewed in writing.
13.3 What is due stays due when it ends.
13.4 Either party may end this Agreement on ninety days' notice.

15. GENERAL
15.1 The laws of England govern this Agreement.
"""
BARGE = """BARGE CHARTER

This Barge Charter is made on 2 April 2024 between Flint Owners Limited (the "Owner") and Tow \
Limited (the "Charterer").

1. HIRE
1.1 The Charterer shall pay "Hire" of GBP 900 a day.

14. ENDING
14.1 The Charterer may end this Charter on thirty days' notice.
"""


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("tools")
    for name, text in (("quarry.txt", QUARRY), ("barge.txt", BARGE)):
        (folder / name).write_text(text, "utf-8")
    files = [folder / "quarry.txt", folder / "barge.txt"]
    with Library.open(folder / "firm.db") as library:
        report = add_files(
            library, files, collection="Flint", encoder=None, settings=Settings(jobs=1)
        )
        assert not report.failed
        yield library


@pytest.fixture
def quarry(firm: Library) -> ResearchContext:
    return build_context(firm, ["quarry"])


def look(context: ResearchContext, tool: str, words: str, contract: str = "") -> Sequence[Material]:
    (found,) = [each for each in contract_tools(context) if each.name == tool]
    materials = found.run(ToolQuery(words, contract=contract, limit=6))
    for each in materials:
        if each.span is not None:
            text = context.read_contract(each.document).text
            assert each.span.text_in(text) == each.words
        else:
            assert each.by_program
    return materials


def test_each_line_of_the_map_is_found(quarry: ResearchContext) -> None:
    ((name, text),) = outline_map(quarry)
    assert name == "contract 1, quarry.txt"
    assert "Parties: Flint Owners Limited (Owner); Gravel Operators Limited (Operator)" in text
    lines = text.split("Date: 2024-03-01\n")[1].split("\n")
    assert "12A AUDIT" in lines
    for line in lines:
        heading = line.split()[-1]
        first = look(quarry, "clause", line)[0]
        assert heading in first.words[: len(line) + 10], line


@pytest.mark.parametrize("label", ["12A", "12(A)", "12.A", "Section 12(A)", "clause 12a.", "§ 12A"])
def test_a_number_is_found_in_any_form(quarry: ResearchContext, label: str) -> None:
    (found,) = look(quarry, "clause", label)
    assert "An auditor of the Owner" in found.words


@pytest.mark.parametrize("label", ["12.2(b)", "12.2.b", "clause 12.2 (b)", "Section 12.2(b)"])
def test_an_item_is_found_whether_it_is_a_node_or_not(quarry: ResearchContext, label: str) -> None:
    assert look(quarry, "clause", label)[0].words.startswith("(b) take copies")


def test_the_clause_of_an_item_that_is_not_there_is_shown_as_such(quarry: ResearchContext) -> None:
    (found,) = look(quarry, "clause", "13.4(c)")
    assert found.words.startswith("13.4 Either party")
    assert found.because == "the clause that 13.4(c) would be in; no such item is marked"
    (found,) = look(quarry, "clause", "13.4")
    assert not found.because


def test_several_numbers_are_found(quarry: ResearchContext) -> None:
    found = " ".join(each.words for each in look(quarry, "clause", "clauses 2.1, 13.4 and 15.1"))
    for words in ("shall pay the Royalty", "ninety days", "laws of England"):
        assert words in found


def test_a_long_clause_says_how_to_read_on_and_is_whole_in_its_parts(
    quarry: ResearchContext,
) -> None:
    read, asked = "", "12.1"
    while asked:
        (part,) = look(quarry, "clause", asked)
        assert len(part.words) <= MAX_PART
        read += f" {part.words}"
        asked = part.more.rpartition("ask for ")[2].rstrip("]")
        assert not asked or asked.startswith("12.1, part "), part.more
        assert part.more in part.shown
    assert LONG in " ".join(read.split())
    (whole,) = look(quarry, "clause", "12")
    assert whole.more.endswith(("ask for 12.1]", "ask for 12.2]"))


def test_definitions_come_whole_with_their_formulas(quarry: ResearchContext) -> None:
    for words in ("Royalty", "“Royalties”", "the definition of Royalty"):
        found = look(quarry, "definition", words)
        if "ies" in words:
            continue
        assert "R = T x P x 4%" in found[0].words
        assert "P is the posted price" in found[0].words
        assert "Chert Lane" not in found[0].words


@pytest.mark.parametrize(
    ("tool", "words", "told"),
    [
        ("clause", "14", "No clause “14” was found in quarry.txt; the nearest are 13.4 and 15."),
        ("clause", "Section 12.9", "the nearest are 12.2(b) and 12A."),
        ("clause", "Audit fees", "headings with some of these words: 12A AUDIT."),
        ("definition", "Royalty Rate", "the nearest are Royalty; Royalty Date."),
        ("definition", "posted price", "the words are used once, first in 1.1 of quarry.txt."),
    ],
)
def test_a_look_that_finds_nothing_says_so(
    quarry: ResearchContext, tool: str, words: str, told: str
) -> None:
    (note,) = look(quarry, tool, words)
    assert note.by_program
    assert not note.is_outside
    assert note.words.endswith(told)


def test_of_a_collection_names_cards_and_headings_are_told(firm: Library) -> None:
    maps = dict(outline_map(build_context(firm, collection="Flint"), "who may end it"))
    assert list(maps) == ["contract 1, barge.txt", "contract 2, quarry.txt"]
    assert "Tow Limited (Charterer)" in maps["contract 1, barge.txt"]
    assert "14 ENDING" in maps["contract 1, barge.txt"]


@pytest.mark.parametrize(
    "contract", ["2", "contract 2", "quarry.txt", "QUARRY", "Quarry Agreement"]
)
def test_a_tool_looks_into_the_contract_that_is_named(firm: Library, contract: str) -> None:
    context = build_context(firm, collection="Flint")
    found = look(context, "clause", "ENDING", contract)
    assert [each.source for each in found] == ["quarry.txt"]
    assert {each.source for each in look(context, "clause", "ENDING")} == {
        "barge.txt",
        "quarry.txt",
    }


def test_a_contract_that_is_not_there_is_said_with_those_that_are(firm: Library) -> None:
    context = build_context(firm, collection="Flint")
    (note,) = look(context, "search", "who may end it", "the lease")
    assert note.words.endswith("“the lease”; there are: 1. barge.txt; 2. quarry.txt.")
    some = look(context, "clause", "14.1")
    assert [each.source for each in some if not each.by_program] == ["barge.txt"]
    assert "No clause “14.1” was found in quarry.txt" in some[-1].words


def test_sentences_without_room_are_marked(quarry: ResearchContext) -> None:
    parts = [*look(quarry, "clause", "12.1"), *look(quarry, "clause", "12.1, part 2")]
    sentences = SentenceList(quarry, EvidenceBudget(0, 2_800, 2_800, MAX_PART))
    sentences.add(parts)
    (block,) = map(str, sentences.blocks)
    part, rest = re.findall(r"\[… ([\d,]+) more characters: ask for ([^\]]+)\]", block)
    assert part[1] == "12.1, part 2"
    assert rest[1] == "clause 12.1"
    read = [n for n in range(55) if f"numbered {n} for the Owner." in block]
    unread = sum(len(f"The Operator shall keep the record numbered {n} for the Owner.")
                 for n in range(len(read), 55))  # fmt: skip
    assert unread <= int(rest[0]) <= unread + 55 - len(read)


def test_headings_without_room_are_marked(quarry: ResearchContext) -> None:
    (told,) = quote_headings(quarry, "", longest=200)
    lines = str(told).splitlines()
    assert any("more characters: ask for clauses by number or words]" in each for each in lines)


def test_what_is_over_the_limit_is_told(quarry: ResearchContext) -> None:
    (tool,) = [each for each in contract_tools(quarry) if each.name == "clause"]
    found = tool.run(ToolQuery("2.1, 13.4, 15.1", limit=2))
    assert "1 more were found and are not shown: clause 15.1" in found[-1].words


def test_passages_that_overlap_become_one() -> None:
    def piece(start: int, end: int, because: str, more: str = "") -> Material:
        words = QUARRY[start:end]
        return Material(words, "quarry.txt", because=because, document="d", span=Span(start, end),
                        more=more)  # fmt: skip

    apart = piece(400, 420, "apart")
    (whole, other) = merge_materials(
        [piece(0, 100, "first"), apart], [piece(50, 200, "second", "[… more]"), piece(60, 70, "in")]
    )
    assert (whole.words, whole.span) == (QUARRY[:200], Span(0, 200))
    assert whole.because == "first; second; in"
    assert whole.more == "[… more]"
    assert other == apart


def test_words_from_outside_are_cut_with_a_mark() -> None:
    shown = Material("x" * 2_000, "An Act").shown
    assert shown.endswith("x [… 400 more characters]")


def test_a_contract_without_an_outline_is_read_where_a_number_is_written(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(QUARRY.replace(LONG, LONG * 2), "utf-8")
    with Library.open(tmp_path / "firm.db") as library:
        add_files(library, [tmp_path / "notes.txt"], collection="Notes", encoder=None,
                  settings=Settings(jobs=1))  # fmt: skip
        context = build_context(library, ["notes"])
        assert not context.read_contract(context.documents[0]).outline.nodes
        for words in ("12A", "Section 12(A)", "audit"):
            (found,) = look(context, "clause", words)
            assert found.words.startswith("12A. AUDIT")
            assert (
                found.more == "[… the contract goes on; where this clause ends was not recognised]"
            )
        (royalty, *_) = look(context, "definition", "Royalty")
        assert "R = T x P x 4%" in royalty.words
        assert "Chert Lane" not in royalty.words


@pytest.mark.slow
def test_each_heading_of_the_example_room_is_found(tmp_path: Path) -> None:
    files = [each for each in sorted(ROOM.iterdir()) if each.suffix in (".txt", ".md", ".docx")]
    with Library.open(tmp_path / "room.db") as library:
        report = add_files(
            library, files, collection="Room", encoder=None, settings=Settings(jobs=1)
        )
        assert not report.failed
        missed = []
        for entry in library.documents():
            context = build_context(library, [entry.id])
            reading = context.read_contract(entry.id)
            for node in reading.outline.nodes:
                heading = node.heading.text_in(reading.text) if node.heading else ""
                line = " ".join([node.label, *heading.split()]).strip()
                start = node.span.strip(reading.text).start
                spans = [each.span for each in look(context, "clause", line) if each.span]
                if heading and not any(span.start <= start < span.end for span in spans):
                    missed.append((entry.name, line))
    assert not missed


SUPPLY = f"""SUPPLY AGREEMENT

This Supply Agreement is made between Flint Owners Limited (the "Supplier") and Kiln Works Limited \
(the "Buyer").

1. Definitions
Commencement Date: 1 April 2023.
Site\tthe kiln at Chert Lane
Term: the term of this agreement. Region: means the county of Kent.

2. Ending
2.1 Either party may end this agreement at once if the other:
(a) fails to pay what is due for more than fourteen days; or
(b) is insolvent.
{
    "".join(
        f'''
The Supplier shall keep the goods of order number {n} {"in good and dry order " * 45}.

{n}
Supply Agreement - Draft of March
'''
        for n in range(1, 4)
    )
}
Schedule 1 Prices

Flint $610
Gravel $70
"""


@pytest.fixture
def supply(tmp_path: Path, firm: Library) -> ResearchContext:
    (tmp_path / "supply.txt").write_text(SUPPLY, "utf-8")
    if not any(each.name == "supply.txt" for each in firm.documents()):
        add_files(firm, [tmp_path / "supply.txt"], collection="Kiln", encoder=None,
                  settings=Settings(jobs=1))  # fmt: skip
    return build_context(firm, ["supply"])


@pytest.mark.parametrize(
    ("term", "words"),
    [("commencement date", "Commencement Date: 1 April 2023."),
     ("Site", "Site\tthe kiln at Chert Lane"),
     ("Term", "Term: the term of this agreement."),
     ("the definition of Region", "Region: means the county of Kent.")],
)  # fmt: skip
def test_a_term_that_heads_a_line_or_a_cell_is_defined(
    supply: ResearchContext, term: str, words: str
) -> None:
    (found,) = look(supply, "definition", term)
    assert found.words == words


def test_an_item_comes_with_what_leads_to_it_and_a_lead_with_its_items(
    supply: ResearchContext,
) -> None:
    for asked in ("Can a party end it if the other is insolvent?", "When may either party end it?"):
        sentences = SentenceList(supply)
        sentences.add(look(supply, "search", asked)[:1])
        sentences.add(look(supply, "search", asked))
        text = "\n".join(map(str, sentences.blocks))
        for words in ("if the other:", "(a) fails to pay", "(b) is insolvent"):
            assert words in text


def test_what_is_told_of_a_contract_is_in_order_and_without_running_lines(
    supply: ResearchContext,
) -> None:
    sentences = SentenceList(supply)
    sentences.add([*look(supply, "clause", "Schedule 1"), *look(supply, "clause", "2.1")])
    (block,) = map(str, sentences.blocks)
    assert block.index("Either party may end") < block.index("Flint $610 Gravel $70")
    readable = sentences._readable(supply.documents[0])
    told = [readable.show(each) for each in readable.sentences]
    assert not [each for each in told if "Draft of March" in each or each.isdigit()]
    assert sum("order number" in each for each in told) == 3


def test_sentences_that_name_somebody_are_found_in_all_contracts(firm: Library) -> None:
    barge = build_context(firm, ["barge"], collection="Flint")
    found = look(barge, "mentions", "What else has Flint Owners signed?")
    assert {each.source for each in found} == {"quarry.txt", "barge.txt"}
    assert found[0].because == "names Flint, Owners as a party"
    found = look(barge, "mentions", "Flint Owners", contract="barge")
    assert {each.source for each in found} == {"barge.txt"}
    (note,) = look(barge, "mentions", "Basalt Haulage")
    assert note.words == "Nothing was found."


def test_sentences_of_other_collections_are_not_shown(
    firm: Library, supply: ResearchContext
) -> None:
    kiln = {each.source for each in look(supply, "mentions", "Flint Gravel")}
    assert kiln == {"supply.txt"}
    found = look(build_context(firm, ["quarry"]), "mentions", "Flint Gravel")
    assert {each.source for each in found} == {"quarry.txt", "barge.txt"}


def test_other_contracts_are_those_of_the_same_parties(
    firm: Library, supply: ResearchContext
) -> None:
    assert supply.documents
    found = look(
        build_context(firm, ["barge"], collection="Flint"), "others", "On what notice does it end?"
    )
    assert {each.source for each in found} == {"quarry.txt"}
    assert "another contract of Flint Owners Limited" in found[0].because
    both = build_context(firm, ["barge", "quarry"], collection="Flint")
    (others,) = [each for each in contract_tools(both) if each.name == "others"]
    (note,) = others.run(ToolQuery("On what notice does it end?", contract="barge"))
    assert note.by_program  # the other of the same parties is in question itself
    (note,) = look(build_context(firm, ["supply"], collection="Kiln"), "others", "What is due?")
    assert note.words.startswith("No other contract was found that amends it")
