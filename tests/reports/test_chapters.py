"""The tree of a report: what it says, what it counts, and that nothing is left out in silence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.outline.card.card import Fact, Party
from fourcorners.reports import json_file
from fourcorners.reports.chapters import compose, due_diligence, red_flags
from fourcorners.reports.chapters.earlier import read_earlier, with_changes
from fourcorners.reports.chapters.finding import amendment_blocks, compare_words
from fourcorners.reports.chapters.front import sample_cells, sample_result, wilson_interval
from fourcorners.reports.chapters.material import (
    GRAVE_SEVERITIES,
    ReportMaterial,
    clause_label,
    key_place,
    own_sentences,
    sentences_without_dates,
    severity_reason,
    shared_sentences,
    without_dates,
)
from fourcorners.reports.chapters.notices import notice_schedule
from fourcorners.reports.chapters.red_flags import MOST_FLAGS, group_flags
from fourcorners.reports.grid import Grid
from fourcorners.reports.key_words import deciding_quotes, whole_sentences
from fourcorners.reports.tree import (
    Block,
    BulletList,
    FactList,
    Paragraph,
    QuoteBlock,
    Report,
    ReportKind,
    Row,
    Run,
    Section,
    Table,
)
from fourcorners.review.finding import (
    Amendment,
    CellState,
    Evidence,
    Finding,
    Review,
    ReviewState,
    RiskAnswer,
    Severity,
)
from fourcorners.review.parties import party_value
from fourcorners.text import evidence
from fourcorners.text.quote import Match, Quote
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


def said_in(row: Row) -> str:
    return "".join(run.text for cell in row.cells for block in cell for run in runs_of(block))


def even(text: str) -> str:
    return " ".join(text.split())


def section(report: Report, anchor: str) -> Section:
    return next(each for _, _, each in report.walk() if each.anchor == anchor)


@pytest.fixture(scope="module")
def told(review: Review) -> Review:
    return spoken.spoken(review)


@pytest.fixture(scope="module")
def report(told: Review) -> Report:
    return due_diligence(Grid(told), prepared_by="Ada Byron", whole_quotes=True)


def test_the_chapters_and_schedules_are_counted(report: Report) -> None:
    top = [(number, each.title) for level, number, each in report.walk() if level == 1]
    assert top == [
        ("", "Summary"),
        ("1", "Red flags"),
        ("2", "Contract by contract"),
        ("Schedule A", "Findings and their words"),
        ("Schedule B", "What is left to a person"),
        ("Schedule C", "Contracts reviewed, and how"),
    ]
    numbers = [number for _, number, _ in report.walk() if number]
    assert len(numbers) == len(set(numbers))
    assert {"2.12", "B.1"} <= set(numbers)


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


def test_words_that_a_contracts_page_has_no_room_for_are_in_full_elsewhere(
    large_review: Callable[[int], Review],
) -> None:
    grid = Grid(spoken.grave(large_review(1)))
    report = due_diligence(grid)
    page, shown = said(section(report, "document_0")), even("\n".join(map(said, report.sections)))
    for entry in ReportMaterial(grid).entries:
        assert entry.cell.head.name in page
        if entry.severity.rank > Severity.LOW.rank:
            assert all(even(quote.words) in shown for quote in deciding_quotes(entry.finding))
    assert "more finding" not in page
    schedule = [each.anchor for _, _, each in report.walk() if each.schedule]
    assert ("In full: " in page) == ("schedule_findings" in schedule)


@pytest.mark.parametrize(
    ("most", "wanted"),
    [
        (0, "It is barred. It is free, if the heir agrees, and he shall agree. It lasts."),
        (400, "It is barred. It is free, if the heir agrees, and he shall agree. It lasts."),
        (70, "It is barred. It is free, if the heir agrees, and he shall agree. …"),
        (60, "It is barred. …"),
        (5, "It is barred. …"),
    ],
)
def test_words_are_cut_between_sentences_alone(most: int, wanted: str) -> None:
    words = "It is barred.  It is free, if the heir agrees,\nand he shall agree. It lasts."
    assert whole_sentences(words, most) == wanted


def test_the_words_to_be_read_are_all_that_were_found() -> None:
    text = "A cap is agreed. It is high. It protects the Lessor."
    spans = [Span(0, 16), Span(17, 28), Span(29, 52)]
    found = tuple(Evidence(evidence.quote_span(text, span), span, (), None, 0.9) for span in spans)
    answer = RiskAnswer("Whom does it protect?", "the Lessor", quotes=(found[2].quote,))
    decided = Finding("d", "p", CellState.FOUND, found, severity=Severity.HIGH, answers=(answer,))
    assert deciding_quotes(decided) == (found[2].quote,)
    open_one = replace(decided, severity=Severity.TO_READ)
    assert deciding_quotes(open_one) == tuple(each.quote for each in found)


def test_both_halves_of_a_sentence_that_a_page_tears_are_shown() -> None:
    text = "The Lessee shall keep the\n\n7\n\nhedges low. It shall cut the trees. The Lessor pays."
    spans = [Span(0, 25), Span(30, 41), Span(42, 65), Span(66, len(text))]
    found = tuple(Evidence(evidence.quote_span(text, span), span, (), None, 0.9) for span in spans)
    assert [each.quote.words for each in found][:2] == ["The Lessee shall keep the", "hedges low."]
    for answering in found[:2]:
        answer = RiskAnswer("Who is bound?", "the Lessee", quotes=(answering.quote,))
        decided = Finding("d", "p", CellState.FOUND, found, answers=(answer,))
        assert deciding_quotes(decided) == tuple(each.quote for each in found[:2])


def test_the_summary_has_each_contract_and_what_to_do_first(told: Review) -> None:
    grid = Grid(told)
    text = said(section(due_diligence(grid), "summary"))
    for document in told.documents:
        assert grid.name(document) in text
    assert "Seek the consent of the other side before completion." in text


def test_the_schedule_of_consents_says_who_must_agree(told: Review) -> None:
    first = next(f for f in told.findings if f.evidence)
    head = next(c for c in told.columns if c.id == first.provision)
    asked = replace(head, id="assignment", name="Assignment")
    yes = RiskAnswer("Is consent needed?", "consent needed", id="effect", value="consent")
    no = replace(yes, answer="free", value="free")
    for answer, listed in ((yes, True), (replace(yes, answer="", value=""), True), (no, False)):
        finding = replace(first, provision="assignment", answers=(answer,))
        document = next(d for d in told.documents if d.id == first.document)
        one = replace(told, documents=(document,), columns=(asked,), findings=(finding,))
        report = due_diligence(Grid(one))
        anchors = [each.anchor for each in report.sections]
        assert ("schedule_consents" in anchors) is listed


SELLER = "Vendor shall not assign this Agreement without the prior written consent of {}."


@pytest.mark.parametrize(
    ("clause", "restricted", "listed"),
    [
        (SELLER.format("the Client"), "Vendor", ["Merrin Glass"]),
        (SELLER.format("the other party"), "Vendor", ["Merrin Glass", "Wold Bank"]),
        (SELLER.format("any lender and the Client"), "", ["Merrin Glass"]),
        ("No party may assign its rights unless the Lender agrees in writing.", "", ["Wold Bank"]),
        ("It needs the Client’s prior, written consent.", "each party", ["Merrin Glass"]),
        (
            "Vendor agrees that nobody may assign it without consent.",
            "",
            ["Merrin Glass", "Wold Bank"],
        ),
        ("Client shall not assign it without the prior written consent of Vendor.", "Client", None),
        ("Client shall not assign it without the consent in writing of the Vendor.", "", None),
        ("Client shall not assign it without the other party’s consent.", "Client", None),
        (
            "It may be assigned with the consent of Vendor.",
            "each party",
            ["Merrin Glass", "Wold Bank"],
        ),
    ],
)
def test_the_schedule_of_consents_names_whose_consent_our_side_needs(
    told: Review, clause: str, restricted: str, listed: list[str] | None
) -> None:
    first = next(f for f in told.findings if f.evidence)
    head = next(c for c in told.columns if c.id == first.provision)
    names = {"Ostler Ferries": "Vendor", "Merrin Glass": "Client", "Wold Bank": "Lender"}
    parties = tuple(Fact(Party(n, short), Span(0, 0), 0.9) for n, short in names.items())
    document = next(d for d in told.documents if d.id == first.document)
    card = replace(document.card, parties=parties)
    document = replace(document, text=clause, card=card, read_for=("Ostler Ferries",))
    whole = Span(0, len(clause))
    quote = Quote(clause, whole, Match.EXACT)
    finding = replace(
        first,
        provision="assignment",
        evidence=(replace(first.evidence[0], quote=quote, clause=whole),),
        answers=(
            RiskAnswer("Is consent needed?", "consent needed", id="effect", value="consent"),
            RiskAnswer("Whose transfer?", restricted, id="restricted", value=restricted),
        ),
    )
    one = replace(
        told,
        documents=(document,),
        columns=(replace(head, id="assignment", name="Assignment"),),
        findings=(finding,),
    )
    (schedule,) = notice_schedule(ReportMaterial(Grid(one)))
    tables = [each for each in schedule.blocks if isinstance(each, Table)]
    assert bool(tables) is (listed is not None)
    assert ("only the other side needs a consent" in said(schedule)) is (listed is None)
    if listed is not None:
        cell = tables[0].rows[0].cells[2]
        assert [each.runs[0].text for each in cell if isinstance(each, Paragraph)] == listed


@pytest.mark.parametrize(
    ("clause", "deadline"),
    [
        (
            "It must notify us within ten (10) business days, and we may end it within 60 days.",
            "“within ten (10) business days”",
        ),
        (
            "Vendor shall give not less than 30 days' prior written notice of it.",
            "“not less than 30 days' prior written notice”",
        ),
        ("Client shall give or refuse its consent within two weeks.", "“within two weeks”"),
        ("Client may terminate by notice given within 20 days.", "Not answered"),
        ("Vendor shall notify Client. The term is two years.", "Not answered"),
    ],
)
def test_the_schedule_of_consents_gives_a_deadline_as_it_is_written(
    told: Review, clause: str, deadline: str
) -> None:
    first = next(f for f in told.findings if f.evidence)
    notice = RiskAnswer("Must anyone be notified?", "yes", id="notice", value="yes")
    whole = Span(0, len(clause))
    evidence = replace(first.evidence[0], quote=Quote(clause, whole, Match.EXACT), clause=whole)
    finding = replace(first, evidence=(evidence,), answers=(notice,))
    assert [text(each) for each in consents(told, finding)[4]] == [deadline]


@pytest.mark.parametrize(
    ("place", "wanted"), [("7", "clause 7 of 2-letter.txt"), ("", "in 2-letter.txt")]
)
def test_the_schedule_of_consents_names_the_clause_of_an_amendment(
    told: Review, place: str, wanted: str
) -> None:
    first = next(f for f in told.findings if f.evidence)
    quote = Quote("Consent is needed.", Span(0, 18), Match.EXACT)
    change = Amendment("other", "2-letter.txt", quote, replaces=False, place=place)
    notice = RiskAnswer("Must anyone be notified?", "yes", id="notice", value="yes")
    finding = replace(first, evidence=(), answers=(notice,), amendments=(change,))
    assert [text(each) for each in consents(told, finding)[3]] == [wanted]


def consents(told: Review, finding: Finding) -> tuple[Sequence[object], ...]:
    """Return the cells of the one row of the schedule of consents."""
    head = next(c for c in told.columns if c.id == finding.provision)
    one = replace(
        told,
        documents=tuple(
            replace(d, text=finding.evidence[0].quote.words) if finding.evidence else d
            for d in told.documents
            if d.id == finding.document
        ),
        columns=(replace(head, id="change-of-control"),),
        findings=(replace(finding, provision="change-of-control"),),
    )
    (schedule,) = notice_schedule(ReportMaterial(Grid(one)))
    (table,) = [each for each in schedule.blocks if isinstance(each, Table)]
    return table.rows[0].cells


def text(block: object) -> str:
    assert isinstance(block, Paragraph)
    return "".join(run.text for run in block.runs)


def test_the_quality_sample_gives_the_error_rate_once_it_is_checked(review: Review) -> None:
    grid = Grid(review)
    drawn = sample_cells(ReportMaterial(grid))
    assert drawn == sample_cells(ReportMaterial(Grid(review)))
    assert {each.finding.state for each in drawn} == {CellState.FOUND, CellState.NOT_FOUND}
    unchecked = tuple(replace(f, review=ReviewState.PROPOSED) for f in review.findings)
    assert sample_result(ReportMaterial(Grid(replace(review, findings=unchecked)))) == ""
    places = [(each.document.id, each.head.id) for each in drawn]
    states = dict.fromkeys(places, ReviewState.CONFIRMED) | {places[0]: ReviewState.REJECTED}
    checked = tuple(
        replace(f, review=states.get((f.document, f.provision), f.review)) for f in unchecked
    )
    told = sample_result(ReportMaterial(Grid(replace(review, findings=checked))))
    assert (
        f"{len(drawn)} of {len(drawn)} random cells were checked, and 1 of them was wrong" in told
    )
    assert wilson_interval(2, 40) == pytest.approx((0.0138, 0.1650), abs=0.0001)
    (only,) = compose(grid, ReportKind.SAMPLE).sections
    assert all(each.head.name in said(only) for each in drawn)


def test_the_gravest_ten_flags_are_shown_and_the_rest_are_counted(
    large_review: Callable[[int], Review],
) -> None:
    grid = Grid(spoken.grave(large_review(40)))
    flags = group_flags(ReportMaterial(grid).by_severities(*GRAVE_SEVERITIES))
    assert len(flags) > MOST_FLAGS
    (only,) = red_flags(grid).sections
    (table,) = [each for each in only.blocks if isinstance(each, Table)]
    heads = [said_in(row) for row in table.rows if row.group and said_in(row)[0].isdigit()]
    assert 5 <= len(heads) <= MOST_FLAGS
    assert all("High" in each for each in heads), "the gravest first"
    left = [each for flag in flags[len(heads) :] for each in flag.entries]
    high = sum(each.severity is Severity.HIGH for each in left)
    medium = sum(each.severity is Severity.MEDIUM for each in left)
    text = said(only)
    assert f"Not shown here: {high} flags of high severity (" in text.replace("\n", "")
    assert f" and {medium} flags of medium severity (" in text
    assert "The due-diligence report sets them out." in text


def test_what_a_person_must_read_is_listed_and_not_counted_as_left_out(
    large_review: Callable[[int], Review],
) -> None:
    review = spoken.grave(large_review(40))
    found = [at for at, each in enumerate(review.findings) if each.state is CellState.FOUND]
    unsure = tuple(
        replace(each, severity=Severity.TO_READ) if at in found[:5] else each
        for at, each in enumerate(review.findings)
    )
    sections = red_flags(Grid(replace(review, findings=unsure))).sections
    text = said(sections[0]).replace("\n", "")
    not_shown, below = text.split("Not shown here: ")[1].split("Listed below: ")
    assert "to be read" not in not_shown
    assert below.startswith("5 findings to be read.")


def test_findings_flagged_for_one_reason_stand_together(told: Review) -> None:
    material = ReportMaterial(Grid(told))
    entries = material.by_severities(*GRAVE_SEVERITIES)
    flags = group_flags(entries)
    assert sorted(each.number for flag in flags for each in flag.entries) == sorted(
        each.number for each in entries
    )
    kinds = [
        (f.name, f.severity, without_dates(severity_reason(f.entries[0].finding))) for f in flags
    ]
    assert len(kinds) == len(set(kinds))
    grades = [flag.severity for flag in flags]
    assert grades == sorted(grades, key=GRAVE_SEVERITIES.index)


def grouped(told: Review, *words: str) -> Review:
    """Return contracts that are flagged under one provision for one reason."""
    first = next(f for f in told.findings if f.severity is Severity.MEDIUM and f.evidence)
    head = next(c for c in told.columns if c.id == first.provision)
    findings = []
    for document, short in zip(told.documents, words, strict=False):
        names = {party_value(each.value) for each in document.card.parties}
        answers = tuple(
            RiskAnswer("?", each, value=each if each in names else "each party", statement=each)
            for each in short.split("; ")
        )
        findings.append(
            Finding(
                document.id,
                head.id,
                CellState.NOT_FOUND,
                severity=Severity.MEDIUM,
                reason="A party is bound.",
                answers=answers,
            )
        )
    documents = told.documents[: len(words)]
    return replace(told, documents=documents, columns=(head,), findings=tuple(findings))


def test_flags_are_counted_one_by_one_and_in_their_groups(told: Review) -> None:
    grid = Grid(grouped(told, "bound", "bound for a year", "bound"))
    text = said(section(red_flags(grid), "flags"))
    assert "3 red flags in 1 group, all of medium severity, in 3 of 3 contracts." in text
    assert grid.severities()[Severity.MEDIUM] == 3
    (one,) = group_flags(ReportMaterial(Grid(grouped(told, "bound"))).entries)
    alone = said(section(red_flags(Grid(grouped(told, "bound"))), "flags"))
    assert len(one.entries) == 1
    assert "1 red flag, 1 of medium severity, in 1 of 1 contract." in alone


def test_the_most_onerous_leads_a_group_and_each_says_what_is_its_own(told: Review) -> None:
    larch = party_value(told.documents[2].card.parties[0].value)
    review = grouped(told, "bound", "bound; void otherwise", larch)
    grid = Grid(review)
    (flag,) = group_flags(ReportMaterial(grid).entries)
    assert [each.cell.row for each in flag.entries] == [2, 1, 0]
    text = even(said(section(red_flags(grid), "flags")))
    for at, short in enumerate(("Bound", "Bound; void otherwise", larch)):
        assert f"{grid.name(review.documents[at])} : {short}" in text


def test_what_is_open_is_named_by_its_title(told: Review) -> None:
    open_one = replace(told.findings[0], severity=Severity.TO_READ, possible_severity=Severity.HIGH)
    asked = replace(told, findings=(open_one, *told.findings[1:]))
    for review in (told, asked):
        report = red_flags(Grid(review))
        text = said(report.sections[0])
        assert "Schedule" not in text
        is_listed = any(each.anchor == "to_read" for _, _, each in report.walk())
        assert ("leave open follow." in text) is is_listed


def test_what_may_be_graver_than_it_is_shown_is_listed_to_be_read(told: Review) -> None:
    reason = "Large. Could be high, depending on a question that is not answered."
    open_one = replace(told.findings[0], severity=Severity.MEDIUM, reason=reason)
    for possible in (Severity.HIGH, Severity.NONE):
        first = replace(open_one, possible_severity=possible)
        report = red_flags(Grid(replace(told, findings=(first, *told.findings[1:]))))
        listed = [said(each) for _, _, each in report.walk() if each.anchor == "to_read"]
        assert [reason in each for each in listed] == [True] * (possible is Severity.HIGH)


def test_what_people_said_is_told(report: Report, told: Review) -> None:
    chapters = section(report, "contracts")
    assert "Second look by Ada Byron, 18 February 2025" in said(chapters)
    for place, wanted in (("contracts", 1), ("flags", 0), ("summary", 0)):
        blocks = blocks_of(section(report, place))
        notes = [n for b in blocks if isinstance(b, Paragraph) for n in b.notes]
        assert [(n.by, n.text) for n in notes] == [("Ada Byron", spoken.COMMENT)] * wanted
    (flags,) = red_flags(Grid(told)).sections
    assert [n.text for b in blocks_of(flags) if isinstance(b, Paragraph) for n in b.notes] == [
        spoken.COMMENT
    ]
    text = said(section(report, "schedule_findings"))
    assert "Corrected by Ben Ash, 19 February 2025 to:" in text.replace("\n", "")
    assert spoken.VALUE in text
    rejected = said(section(report, "open_rejected"))
    assert "Ben Ash, 19 February 2025. Wrong." in rejected


def test_what_people_asked_besides_is_no_provision_of_the_playbook(told: Review) -> None:
    *heads, last = told.columns
    asked = replace(last, id="asked-1f2e3d4c-v1", name="Who pays, and when?")
    findings = tuple(
        replace(each, provision=asked.id) if each.provision == last.id else each
        for each in told.findings
    )
    whole = due_diligence(Grid(replace(told, columns=(*heads, asked), findings=findings)))
    text = said(section(whole, "schedule_documents"))
    assert f"{len(heads)} provisions of the playbook" in text
    assert "Asked besides: “Who pays, and when?”." in text
    assert last.name not in text.split("of the playbook")[1].split(".")[0]


def test_answers_come_with_source_and_with_what_is_against(report: Report) -> None:
    text = said(section(report, "schedule_findings"))
    for words in ("Yes – the Buyer", "(by a language model)", "It says so.", f"{spoken.AGAINST}."):
        assert words in text
    claim = [
        b
        for b in blocks_of(section(report, "schedule_findings"))
        if isinstance(b, QuoteBlock) and not b.verified
    ]
    assert [block.words for block in claim] == ["The Seller may do as it likes"]
    assert "1 is not in it and supports nothing" in said(section(report, "schedule_documents"))


def test_amendments_and_outliers_are_told(report: Report, told: Review) -> None:
    text = said(section(report, "schedule_findings"))
    assert f"by {Grid(told).name(told.documents[1])}: " in text
    assert "these words change those found here" in text
    assert "Unlike the others. " in text
    assert "these words change those found here" in said(section(report, "contracts"))


def test_a_report_shows_the_first_sentences_of_long_words_that_change_others(told: Review) -> None:
    (first, *_), words = told.findings, "The Supplier shall paint each fence once a year. " * 400
    quote = Quote(words, Span(0, len(words)), Match.EXACT)
    change = Amendment(told.documents[1].id, "letter.txt", quote, replaces=True, old=quote)
    blocks = amendment_blocks(
        ReportMaterial(Grid(told)), replace(first, amendments=(change,), document="other")
    )
    shown = [each for each in blocks if isinstance(each, QuoteBlock)]
    assert len(shown) == 2
    for each in shown:
        assert len(each.words) + each.left_out == len(words)
        assert len(each.words) < 2_000
        assert each.words.endswith("year.")


def test_clauses_are_set_side_by_side_where_that_tells_something() -> None:
    ours = "Neither party may assign this Agreement without consent."
    runs = compare_words(ours, "No party may assign or novate this Agreement without consent.")
    assert {"plain", "added", "removed"} == {run.tone.value for run in runs}
    besides = compare_words("It may be sold, leased and lent.", "It may be leased, sold and lent.")
    assert " ," not in "".join(run.text for run in besides)
    assert compare_words(ours, "Payment falls due thirty days after receipt of an invoice.") == ()
    assert compare_words(ours, ours * 500) == ()


def test_a_flag_has_its_value_its_words_its_place_and_what_to_do(
    report: Report, told: Review
) -> None:
    material = ReportMaterial(Grid(told))
    (only,) = red_flags(Grid(told)).sections
    text = said(only)
    assert "What to do: \nSeek the consent of the other side before completion." in text
    flags = group_flags(material.by_severities(*GRAVE_SEVERITIES))[:MOST_FLAGS]
    for flag in flags:
        first = flag.entries[0]
        assert f"{flag.name}. " in text
        assert material.name(first.cell.row) in text
        if not flag.is_missing:
            assert even(deciding_quotes(first.finding)[0].words) in even(text)
            assert key_place(first.finding) in text
    assert [each.title for each in section(report, "flags").sections] == []


def test_what_could_not_be_read_is_listed(report: Report, told: Review) -> None:
    text = said(section(report, "schedule_open"))
    assert "Shareholders Agreement (signed).pdf" in text
    assert "/deals/larch" not in text
    assert "password" in text
    failed = [f for f in told.findings if f.state is CellState.FAILED]
    assert failed
    assert text.count(failed[0].error) >= len(failed)
    names = {head.id: head.name for head in told.columns}
    for index, document in enumerate(told.documents):
        (line,) = [
            text
            for block in section(report, f"document_{index}").blocks
            if isinstance(block, Paragraph)
            and (text := "".join(run.text for run in block.runs)).startswith("Not found: ")
        ]
        for finding in told.findings:
            if finding.document == document.id and finding.severity is Severity.NONE:
                is_absent = finding.state is CellState.NOT_FOUND
                assert (names[finding.provision] in line) == is_absent


def test_one_place_says_what_is_left_to_a_person(report: Report, told: Review) -> None:
    assert dict(report.facts)["Contracts"] == "12; 2 files not covered"
    assert "1 needs a second look." in report.status
    assert "not legal advice" in report.notice
    assert report.status in said(section(report, "schedule_open"))
    flags = red_flags(Grid(told))
    assert flags.status == ""
    (only,) = flags.sections
    (last,) = [
        b
        for b in only.blocks
        if isinstance(b, Paragraph) and b.runs[0].text == "Left to a person: "
    ]
    assert report.status in last.runs[1].text
    assert "2 files are not covered" in last.runs[1].text
    for each in report.sections:
        if each.anchor != "schedule_open":
            assert "not covered" not in said(each)
            assert (report.status in said(each)) is (each.anchor == "summary")


def test_a_review_that_nobody_checked_is_a_draft(review: Review) -> None:
    findings = tuple(replace(f, review=ReviewState.PROPOSED) for f in review.findings)
    assert due_diligence(Grid(replace(review, findings=findings))).status.startswith("Draft:")


def test_an_empty_review_makes_a_report(review: Review) -> None:
    empty = Grid(replace(review, documents=(), findings=()))
    report = due_diligence(empty)
    assert "schedule_findings" not in [each.anchor for each in report.sections]
    assert red_flags(empty).sections


def test_red_flags_are_of_high_and_medium_severity(told: Review) -> None:
    (only,) = red_flags(Grid(told)).sections
    text = said(only)
    for cell in Grid(told).red_flags():
        if cell.finding.severity in GRAVE_SEVERITIES:
            assert cell.head.name in text
        else:
            assert cell.finding.reason not in text


_INTERNALS = re.compile(
    r"\d%|[Cc]haracters? \d|\d characters|\bscore|\bhash\b|[0-9a-f]{16}|aligned|threshold|~\d"
    r"|count(?:s|ed)? as (?:found|evidence)|Verbatim|sha256|\d{4}-\d{2}-\d{2}|/deals/"
)


def test_no_internals_are_told(report: Report, told: Review) -> None:
    own = " ".join(document.text for document in told.documents)
    for each in (*report.sections, *red_flags(Grid(told)).sections):
        for line in said(each).splitlines():
            assert line in own or not _INTERNALS.search(line), line
    for name, value in report.facts:
        assert not _INTERNALS.search(f"{name} {value}")


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
    days = "15 April 2012", "30 September 2020"
    reasons = [told.format(day) for day in days]
    assert without_dates(reasons[0]) == without_dates(reasons[1])
    assert shared_sentences(reasons) == "The agreement has run out. Have it renewed."
    assert shared_sentences(reasons[:1]) == reasons[0]
    assert sentences_without_dates(reasons[0]) == "The agreement has run out. Have it renewed."
    assert own_sentences(reasons[0], sentences_without_dates(reasons[0])) == (
        "The term ended on 15 April 2012."
    )
    dated = Finding("d", "p", CellState.FOUND, reason="The term ended on 2012-04-15.")
    assert severity_reason(dated) == "The term ended on 15 April 2012."
    assert without_dates("It ends in 30 days.") == "It ends in 30 days."


def test_what_is_new_since_an_earlier_review_comes_first(review: Review, tmp_path: Path) -> None:
    first, second, *_ = review.documents
    before = replace(
        review,
        documents=tuple(each for each in review.documents if each is not first),
        findings=tuple(each for each in review.findings if each.document != first.id),
    )
    json_file.export(Grid(before), tmp_path / "before.json")
    changed = next(
        each
        for each in review.findings
        if each.document == second.id and each.state is CellState.FOUND
    )
    confirmed = replace(changed, review=ReviewState.CONFIRMED, severity=Severity.HIGH)
    now = replace(review, findings=tuple(confirmed if f is changed else f for f in review.findings))
    earlier = read_earlier(tmp_path / "before.json")
    section, *rest = with_changes(red_flags(Grid(now)), Grid(now), earlier).sections
    assert rest == [*red_flags(Grid(now)).sections]
    text = said(section)
    assert "Compared with the review of 17 February 2025, 1 finding changed." in text
    assert f"other words than then\n{Grid(now).name(first)}" in text
    assert "No longer there" not in text
    (table,) = [each for each in section.blocks if isinstance(each, Table)]
    (only,) = table.rows
    cells = "".join(said_in(only))
    assert Grid(now).name(second) in cells
    assert "Found. Proposed." in cells
    assert "Found. High. Confirmed" in cells
    for other in (replace(now, playbook_id="another"), replace(now, title="another")):
        with pytest.raises(ConfigError, match="another"):
            with_changes(red_flags(Grid(other)), Grid(other), earlier)


def test_other_words_and_contracts_that_went_are_new_too(review: Review, tmp_path: Path) -> None:
    json_file.export(Grid(review), tmp_path / "before.json")
    earlier = read_earlier(tmp_path / "before.json")
    first = review.documents[0]
    left = tuple(each for each in review.findings if each.document != first.id)
    changed, other, *_ = (
        each for each in left if each.document == left[0].document and each.evidence
    )
    moved = replace(changed, evidence=other.evidence)
    now = replace(
        review,
        playbook_hash="other",
        documents=review.documents[1:],
        findings=tuple(moved if each is changed else each for each in left),
    )
    text = said(with_changes(red_flags(Grid(now)), Grid(now), earlier).sections[0])
    assert f"No longer there\n{first.name}" in text
    assert "Other words are quoted." in text
    assert "another version now" in text


@pytest.mark.parametrize(
    "words", ["{", "[]", "[" * 99_999, '{"created": "2026-01-01"}', '{"title": 3}']
)
def test_an_earlier_review_that_is_none_is_refused(words: str, tmp_path: Path) -> None:
    (tmp_path / "before.json").write_text(words)
    with pytest.raises(ConfigError, match="no review as JSON"):
        read_earlier(tmp_path / "before.json")
