"""The tree of a report: what it says, what it counts, and that nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from fourcorners.reports.chapters import due_diligence, red_flags
from fourcorners.reports.chapters.finding import compare_words, quote_blocks
from fourcorners.reports.chapters.material import (
    ReportMaterial,
    clause_label,
    needs_attention,
    severity_reason,
    shared_sentences,
    without_dates,
)
from fourcorners.reports.grid import Grid
from fourcorners.reports.tree import (
    Block,
    BulletList,
    FactList,
    Paragraph,
    QuoteBlock,
    Report,
    Run,
    Section,
    Table,
)
from fourcorners.review.finding import CellState, Evidence, Finding, Review, ReviewState, Severity
from fourcorners.text import evidence
from fourcorners.text.span import Span
from tests.reports import spoken


def blocks_of(section: Section) -> Iterator[Block]:
    """Yield all blocks under a section, those in the cells of tables too."""
    for block in section.blocks:
        yield block
        if isinstance(block, Table):
            for row in block.rows:
                for cell in row.cells:
                    yield from cell
    for each in section.sections:
        yield from blocks_of(each)


def runs_of(block: Block) -> Iterator[Run]:
    if isinstance(block, Paragraph):
        yield from block.runs
    elif isinstance(block, QuoteBlock):
        yield from block.source
        if block.rest:
            yield block.rest
    elif isinstance(block, BulletList):
        for item in block.items:
            yield from item
    elif isinstance(block, FactList):
        for _, value in block.pairs:
            yield from value


def said(section: Section) -> str:
    """Return all that stands under a section."""
    parts = [section.title]
    for block in blocks_of(section):
        if isinstance(block, QuoteBlock):
            parts.append(block.words)
        parts += [run.text for run in runs_of(block)]
    return "\n".join([*parts, *(said(each) for each in section.sections)])


def section(report: Report, anchor: str) -> Section:
    return next(each for _, _, each in report.walk() if each.anchor == anchor)


@pytest.fixture(scope="module")
def told(review: Review) -> Review:
    return spoken.spoken(review)


@pytest.fixture(scope="module")
def report(told: Review) -> Report:
    return due_diligence(Grid(told), prepared_by="Ada Byron")


def test_the_chapters_and_schedules_are_counted(report: Report) -> None:
    top = [(number, each.title) for level, number, each in report.walk() if level == 1]
    assert top == [
        ("1", "Scope, method and limits"),
        ("2", "Executive summary"),
        ("3", "Recommendations"),
        ("4", "Findings by provision"),
        ("5", "Findings by contract"),
        ("Schedule A", "Findings and their words"),
        ("Schedule B", "What could not be read or decided"),
        ("Schedule C", "Contracts reviewed"),
    ]
    numbers = [number for _, number, _ in report.walk()]
    assert len(numbers) == len(set(numbers))
    assert {"4.17", "5.12", "B.1"} <= set(numbers)


def test_every_link_has_a_target_and_every_target_is_one(report: Report, told: Review) -> None:
    for each in (report, red_flags(Grid(told))):
        anchors = [s.anchor for _, _, s in each.walk()]
        links: set[str] = set()
        for top in each.sections:
            for block in blocks_of(top):
                links |= {run.link for run in runs_of(block) if run.link}
                if isinstance(block, Table):
                    anchors += [row.anchor for row in block.rows if row.anchor]
        assert len(anchors) == len(set(anchors))
        assert links <= set(anchors)


def test_every_quote_stands_whole_in_the_schedule(report: Report, told: Review) -> None:
    quoted = [
        block.words
        for block in blocks_of(section(report, "schedule_findings"))
        if isinstance(block, QuoteBlock) and not block.left_out
    ]
    for finding in told.findings:
        if finding.review is ReviewState.REJECTED or finding.state is not CellState.FOUND:
            continue
        for each in finding.evidence:
            assert each.quote.words in quoted


def test_a_chapter_cuts_a_quote_and_leads_to_the_whole(told: Review) -> None:
    words = "The Seller shall not assign. " * 120
    long = replace(told.documents[0], text=words + told.documents[0].text)
    span = Span(0, len(words) - 1)
    quote = evidence.quote_span(long.text, span)
    before = next(f for f in told.findings if f.document == long.id and f.evidence)
    only = replace(before.evidence[0], quote=quote, clause=span)
    finding = replace(
        before, evidence=(only,), severity=Severity.HIGH, answers=(), review=ReviewState.PROPOSED,
        remarks=(), outlier=None, amendments=(), value="", place=None,
    )  # fmt: skip
    grid = Grid(
        replace(
            told,
            documents=(long,),
            findings=tuple(
                finding
                if f.provision == finding.provision
                else Finding(long.id, f.provision, CellState.NOT_FOUND)
                for f in told.findings
                if f.document == long.id
            ),
        )
    )
    report = due_diligence(grid)
    cut = [
        b
        for b in blocks_of(section(report, "provisions"))
        if isinstance(b, QuoteBlock) and b.left_out
    ]
    assert len(cut) == 1
    assert len(cut[0].words) + cut[0].left_out == len(quote.words)
    assert quote.words.startswith(cut[0].words)
    assert cut[0].rest is not None
    assert cut[0].omission_note.endswith("more characters:")
    whole = [
        b.words
        for b in blocks_of(section(report, "schedule_findings"))
        if isinstance(b, QuoteBlock)
    ]
    assert quote.words in whole


def test_very_many_findings_are_told_once_and_cut_in_the_schedule(
    large_review: Callable[[int], Review],
) -> None:
    grid = Grid(spoken.grave(large_review(30)))
    material = ReportMaterial(grid)
    assert material.is_long
    asked = {e.number for e in material.entries if needs_attention(e.finding)}
    assert material.in_full == asked
    report = due_diligence(grid)
    schedule = section(report, "schedule_findings")
    shown = [b for b in blocks_of(schedule) if isinstance(b, QuoteBlock)]
    cut = [b for b in shown if b.left_out]
    assert cut
    assert all(
        b.rest is None and b.omission_note.endswith("more characters, not shown") for b in cut
    )
    words = [e.quote.words for f in grid.review.findings for e in f.evidence]
    for block in cut:
        assert any(
            w.startswith(block.words) and len(w) == len(block.words) + block.left_out for w in words
        )
    assert "Quotes are cut: " in said(schedule)
    whole = section(due_diligence(grid, whole_quotes=True), "schedule_findings")
    assert not any(isinstance(b, QuoteBlock) and b.left_out for b in blocks_of(whole))
    assert "Quotes are cut" not in said(whole)


def test_very_many_findings_are_summed_up_by_contract(
    large_review: Callable[[int], Review],
) -> None:
    grid = Grid(spoken.grave(large_review(30)))
    high = ReportMaterial(grid).by_severities(Severity.HIGH)
    (_, table) = section(due_diligence(grid), "summary_high").blocks
    assert isinstance(table, Table)
    assert len(table.rows) == len({e.cell.row for e in high})
    links = {run.link for row in table.rows for b in row.cells[2] for run in runs_of(b)}
    assert {e.anchor for e in high} <= links


def test_findings_flagged_for_one_reason_stand_together(report: Report, told: Review) -> None:
    material = ReportMaterial(Grid(told))
    for index, _ in enumerate(told.columns):
        entries = material.of_column(index)
        tables = [b for b in section(report, f"provision_{index}").blocks if isinstance(b, Table)]
        if not entries:
            assert not tables
            continue
        groups = [row for row in tables[0].rows if row.group]
        assert len(groups) == len({(e.severity, severity_reason(e.finding)) for e in entries})
        assert len(tables[0].rows) == len(groups) + len(entries)


def test_what_people_said_is_told(report: Report) -> None:
    summary = said(section(report, "summary"))
    assert "Second look by Ada Byron, 18 February 2025" in summary
    chapters = section(report, "provisions")
    notes = [n for b in blocks_of(chapters) if isinstance(b, Paragraph) for n in b.notes]
    assert [(n.by, n.text) for n in notes] == [("Ada Byron", spoken.COMMENT)]
    text = said(chapters)
    assert "Corrected by Ben Ash, 19 February 2025 to:" in text.replace("\n", "")
    assert spoken.VALUE in text
    assert "Insurance" not in [
        cell.text
        for block in blocks_of(section(report, "schedule_findings"))
        if isinstance(block, Paragraph)
        for cell in block.runs
        if cell.link == "document_0"
    ]
    rejected = said(section(report, "open_rejected"))
    assert "Ben Ash, 2025-02-19. Wrong." in rejected


def test_what_people_asked_besides_is_no_provision_of_the_playbook(told: Review) -> None:
    *heads, last = told.columns
    asked = replace(last, id="asked-1f2e3d4c-v1", name="Who pays, and when?")
    findings = tuple(
        replace(each, provision=asked.id) if each.provision == last.id else each
        for each in told.findings
    )
    whole = due_diligence(Grid(replace(told, columns=(*heads, asked), findings=findings)))
    text = said(section(whole, "scope"))
    assert f"{len(heads)} provisions of the playbook" in text
    assert "and 1 question that people asked besides" in text
    assert "Asked besides: “Who pays, and when?”." in text
    assert last.name not in text.split("The provisions: ")[1].split(".")[0]


def test_answers_come_with_source_and_with_what_is_against(report: Report) -> None:
    text = said(section(report, "provisions"))
    for words in ("Yes – the Buyer", "(by a language model)", "It says so.", f"{spoken.AGAINST}."):
        assert words in text
    assert "Was notice given?" in said(section(report, "open_questions"))
    claim = [
        b
        for b in blocks_of(section(report, "provisions"))
        if isinstance(b, QuoteBlock) and not b.verified
    ]
    assert [block.words for block in claim] == ["The Seller may do as it likes"]
    assert "1 not verified" in said(section(report, "scope_quotes"))


def test_amendments_and_outliers_are_told(report: Report, told: Review) -> None:
    text = said(section(report, "provisions"))
    assert f"by {told.documents[1].name}: " in text
    assert "take the place of the words above" in text
    assert "Unlike the others. " in text
    assert "the two have too little in common" in text


def test_clauses_are_set_side_by_side_where_that_tells_something() -> None:
    ours = "Neither party may assign this Agreement without consent."
    runs = compare_words(ours, "No party may assign or novate this Agreement without consent.")
    assert {"plain", "added", "removed"} == {run.tone.value for run in runs}
    besides = compare_words("It may be sold, leased and lent.", "It may be leased, sold and lent.")
    assert " ," not in "".join(run.text for run in besides)
    assert compare_words(ours, "Payment falls due thirty days after receipt of an invoice.") == ()
    assert compare_words(ours, ours * 500) == ()


def test_of_long_quotes_the_likeliest_are_shown_and_never_a_few_letters() -> None:
    text = "word " * 1_000
    spans = [Span(0, 700), Span(1_000, 1_700), Span(2_000, 2_700)]
    found = tuple(
        Evidence(evidence.quote_span(text, span), span, (), None, score)
        for span, score in zip(spans, (0.2, 0.3, 0.9), strict=True)
    )
    finding = Finding("d", "p", CellState.FOUND, found)
    shown = list(quote_blocks(finding, most=900))
    assert isinstance(shown[0], QuoteBlock)
    assert shown[0].words == found[2].quote.words, "the likeliest, whole"
    assert len(shown) == 2
    assert "2 more quotes of 1,400 characters" in "".join(run.text for run in runs_of(shown[1]))
    whole = [each for each in quote_blocks(finding) if isinstance(each, QuoteBlock)]
    assert [each.words for each in whole] == [each.quote.words for each in found]
    begun = [each for each in quote_blocks(finding, most=1_100) if isinstance(each, QuoteBlock)]
    assert [len(each.words) > 250 for each in begun] == [True, True], "in the order of the text"
    assert begun[1].words == found[2].quote.words


def test_recommendations_name_the_contracts(report: Report) -> None:
    text = said(section(report, "recommendations"))
    assert "Seek the consent of the other side before completion." in text
    assert "the playbook names no step" in text


def test_what_could_not_be_read_is_listed(report: Report, told: Review) -> None:
    text = said(section(report, "schedule_open"))
    assert "Shareholders Agreement (signed).pdf" in text
    assert "/deals/larch" not in text
    assert "password" in text
    failed = [f for f in told.findings if f.state is CellState.FAILED]
    assert failed
    assert text.count(failed[0].error) >= len(failed)
    absent = section(report, "open_absent").blocks[1]
    assert isinstance(absent, Table)
    assert len(absent.rows) == len(
        {f.document for f in told.findings if f.state is CellState.NOT_FOUND}
    )


def test_the_cover_counts_what_people_confirmed(report: Report, told: Review) -> None:
    states = [f for f in told.findings if f.state is CellState.FOUND]
    sure = sum(f.review in (ReviewState.CONFIRMED, ReviewState.CORRECTED) for f in states)
    assert dict(report.facts)["Confirmed"] == f"{sure} of {len(states)} findings by a person"
    assert "1 needs a second look." in report.status
    assert "not legal advice" in report.notice


def test_a_review_that_nobody_checked_is_a_draft(review: Review) -> None:
    findings = tuple(replace(f, review=ReviewState.PROPOSED) for f in review.findings)
    assert due_diligence(Grid(replace(review, findings=findings))).status.startswith("Draft:")


def test_an_empty_review_makes_a_report(review: Review) -> None:
    empty = Grid(replace(review, documents=(), findings=()))
    report = due_diligence(empty)
    assert "Nothing was found." in said(section(report, "schedule_findings"))
    assert red_flags(empty).sections


def test_red_flags_are_of_high_and_medium_severity_by_document(told: Review) -> None:
    (only,) = red_flags(Grid(told)).sections
    text = said(only)
    for cell in Grid(told).red_flags():
        if cell.finding.severity in (Severity.HIGH, Severity.MEDIUM):
            assert cell.head.name in text
        else:
            assert cell.finding.reason not in text
    assert "Seek the consent" in text


def test_many_red_flags_are_told_in_less_detail_and_it_is_said(
    large_review: Callable[[int], Review],
) -> None:
    (only,) = red_flags(Grid(spoken.grave(large_review(40)))).sections
    text = said(only)
    assert "counted only" in text
    assert "The due-diligence report lists each with its words." in text


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("22 Termination", "22"),
        ("Article 15 GENERAL PROVISIONS", "Article 15"),
        ("Schedule 1 1.1(b)", "Schedule 1 1.1(b)"),
        ("Twelfth(i)", "Twelfth(i)"),
        ("Part of the land", "Part of the land"),
        ("PEOPLE", "PEOPLE"),
    ],
)
def test_a_clause_is_named_by_its_label(review: Review, path: str, wanted: str) -> None:
    found = next(f.evidence[0] for f in review.findings if f.evidence)
    assert clause_label(replace(found, path=(path,))) == wanted


def test_reasons_that_differ_in_a_date_alone_are_told_once() -> None:
    told = "The agreement has run out. The term ended on {}. Have it renewed."
    reasons = [told.format("2012-04-15"), told.format("2020-09-30")]
    assert without_dates(reasons[0]) == without_dates(reasons[1])
    assert shared_sentences(reasons) == "The agreement has run out. Have it renewed."
    assert shared_sentences(reasons[:1]) == reasons[0]
    assert without_dates("It ends in 30 days.") == "It ends in 30 days."
