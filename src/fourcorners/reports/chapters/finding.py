"""How one finding is told: its words, its answers, what cuts the other way, what people said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from fourcorners.precedents.difference import Change, word_difference
from fourcorners.reports.chapters.material import (
    Entry,
    ReportMaterial,
    clause_heading,
    clause_reference,
    clause_references,
    count_noun,
    format_time,
    join_words,
    recommendation,
    review_run,
    severity_reason,
    severity_run,
)
from fourcorners.reports.chapters.material import clause_label as label_of
from fourcorners.reports.grid import ocr_note, page_range, quote_place
from fourcorners.reports.tree import (
    Kind,
    Note,
    Paragraph,
    QuoteBlock,
    Run,
    Section,
    Tone,
    body,
    label,
    note,
)
from fourcorners.review.finding import (
    Amendment,
    Author,
    CellState,
    Evidence,
    Finding,
    ReviewState,
    RiskAnswer,
)
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.text.quote import Quote

# A chapter shows so many characters of a finding's quotes; the schedule goes on from there.
EXCERPT: Final = 1_500
_BEGINNING: Final = 90  # characters of words that stand above already
_SPARE: Final = 300  # characters that are not worth a second look-up
_LEAST: Final = 250  # characters of a long quote; less of it tells nothing
_COMMON: Final = 0.15  # of the shorter clause's characters; less in common is no comparison
# Two clauses are compared word by word up to this length each: the work grows with its square.
_COMPARED: Final = 6_000

FindingBlock = Paragraph | QuoteBlock
AUTHORS = {
    Author.RULE: "",
    Author.MODEL: "by a language model",
    Author.PERSON: "by a person",
}


def finding_section(material: ReportMaterial, entry: Entry, *, title: str) -> Section:
    finding = entry.finding
    head = [severity_run(entry), Run(f"  {severity_reason(finding)}")]
    blocks: list[FindingBlock] = [
        Paragraph(tuple(head), Kind.LABEL, notes=finding_notes(finding)),
        note(entry.link(), "  ·  ", clause_references(finding), "  ·  ", review_run(finding)),
    ]
    blocks += _advice(finding, Kind.BODY)
    blocks += correction_blocks(finding)
    blocks += quote_blocks(finding, most=EXCERPT, rest=entry)
    blocks += amendment_blocks(finding)
    blocks += answer_blocks(finding)
    blocks += outlier_blocks(material, entry)
    return Section(f"told_{entry.number}", title, tuple(blocks))


def _advice(finding: Finding, kind: Kind) -> Iterator[FindingBlock]:
    if house_position := finding.position:
        yield Paragraph(
            (Run(f"Position: {house_position.kind}. ", Tone.STRONG), Run(house_position.text)), kind
        )
    if step := recommendation(finding):
        yield Paragraph((Run("Recommendation. ", Tone.STRONG), Run(step)), kind)


def finding_notes(finding: Finding) -> tuple[Note, ...]:
    """Return what a reader should see beside a finding: comments, and a call for a second look."""
    lines = tuple(
        Note(single_line(remark.by), remark.comment, remark.at)
        for remark in finding.remarks
        if remark.comment
    )
    if finding.review is ReviewState.SECOND_LOOK and not lines:
        return (Note("Fourcorners", "This finding needs a second look."),)
    return lines


def correction_blocks(finding: Finding) -> Iterator[FindingBlock]:
    if not finding.value:
        return
    last = next((each for each in reversed(finding.remarks) if each.value), None)
    who = f" by {single_line(last.by)}, {format_time(last.at)}" if last else ""
    yield label(Run(f"Corrected{who}", Tone.STRONG), " to:")
    if finding.place:
        where = f"Characters {finding.place.start:,}–{finding.place.end:,}"
        yield QuoteBlock(finding.value, (Run(where, Tone.QUIET),))
    else:
        yield body(finding.value)
    if finding.proposal.evidence:
        yield label("The program had proposed:")


def quote_blocks(
    finding: Finding, *, most: int = 0, rest: Entry | None = None
) -> Iterator[FindingBlock]:
    """Yield the quotes, each with its source.

    With `most`, so many characters of them, the likeliest first; what is left out is counted, and
    `rest` leads to it. Where nothing leads to it, the clauses of the quotes left out are named.
    """
    sizes = _sizes(finding.evidence, most)
    for evidence, size in zip(finding.evidence, sizes, strict=True):
        if size is not None:
            yield _quote(evidence, size, rest)
    more = [each for each, size in zip(finding.evidence, sizes, strict=True) if size is None]
    if more:
        characters = sum(len(each.quote.words) for each in more)
        line = f"{count_noun(len(more), 'more quote')} of {characters:,} characters"
        if rest:
            yield note(f"{line}: ", rest.link())
        else:
            yield note(f"{line}, not shown: {_places(more)}.")
    for claim in finding.claims:
        source = Run("Said by a language model; not in the contract", Tone.WARNING)
        yield QuoteBlock(claim, (source,), verified=False)


def _sizes(evidence: Sequence[Evidence], most: int) -> list[int | None]:
    """Return how many characters of each quote are shown: 0 for all, None for no word of it."""
    sizes: list[int | None] = [0 if not most else None for _ in evidence]
    left = most
    for at in sorted(range(len(evidence)), key=lambda at: -evidence[at].score) if most else ():
        long = len(evidence[at].quote.words)
        if left < min(long, _LEAST) and left < most:
            continue
        sizes[at] = left
        left -= len(_cut(evidence[at].quote.words, left))
    return sizes


def _places(evidence: Sequence[Evidence]) -> str:
    """Return the clauses of quotes, each once, with their pages."""
    named = dict.fromkeys(
        label_of(each) + (f" (p. {each.pages[0]})" if each.pages else "") for each in evidence
    )
    return "; ".join(named)


def _quote(evidence: Evidence, most: int, rest: Entry | None) -> QuoteBlock:
    quote = evidence.quote
    sources = [clause_reference(evidence), quote_place(quote), ocr_note(evidence.ocr)]
    tone = Tone.QUIET if quote.verified else Tone.WARNING
    source = (Run(" · ".join(filter(None, sources)), tone),)
    cut = _cut(quote.words, most)
    left = len(quote.words) - len(cut)
    return QuoteBlock(cut, source, quote.verified, left, rest.link() if rest else None)


def _cut(words: str, most: int) -> str:
    if not most or len(words) <= most + _SPARE:
        return words
    space = words.rfind(" ", most // 2, most)
    return words[: space if space > 0 else most]


def amendment_blocks(finding: Finding) -> Iterator[FindingBlock]:
    for change in finding.amendments:
        yield label(
            Run("Amended", Tone.WARNING), f" by {single_line(change.name)}: ", _standing(change)
        )  # fmt: skip
        yield QuoteBlock(
            change.quote.words,
            (Run(f"{single_line(change.name)} · {quote_place(change.quote)}", Tone.QUIET),),
            change.quote.verified,
        )


def _standing(change: Amendment) -> str:
    if change.replaces:
        return "these words take the place of the words above; a person should confirm it."
    return "the words above are read together with these."


def answer_blocks(finding: Finding, *, brief: bool = False) -> Iterator[FindingBlock]:
    """Yield the risk questions with their answers, source texts, and what is against them.

    In brief, an answer is one paragraph; words that stand above are then only placed, answers that
    rest on no words stand together, and the reasons of rules are left out: they are the same for
    all of a kind.
    """
    bare: dict[str, list[str]] = {}
    for answer in finding.answers:
        if brief and _rests_on_nothing(answer):
            bare.setdefault(answer.answer.rstrip("."), []).append(answer.question)
        elif answer.answer:
            yield from _answer(finding, answer, brief=brief)
    for reason, questions in bare.items():
        yield note(Run(f"{reason}: ", Tone.STRONG), " ".join(questions))


def _rests_on_nothing(answer: RiskAnswer) -> bool:
    sources = answer.quotes or answer.against or answer.against_quotes or answer.party
    return bool(answer.answer) and answer.author is Author.RULE and not sources


def _answer(finding: Finding, answer: RiskAnswer, *, brief: bool) -> Iterator[FindingBlock]:
    who = " – ".join(filter(None, (answer.answer.rstrip("."), answer.party)))
    by = AUTHORS[answer.author]
    head = (Run(f"{answer.question} "), Run(who, Tone.STRONG), Run(f" ({by})" if by else ""))
    reason = "" if brief and answer.author is Author.RULE else as_sentence(answer.reason)
    runs = [Run("Reasoning. ", Tone.STRONG), Run(reason)] if reason else []
    runs += _source_text("Source text", answer.quotes, finding)
    if brief:
        yield note(*head, Run(". "), *runs)
    else:
        yield label(*head)
        if runs:
            yield note(*runs)
    for quote in _outside(answer.quotes, finding):
        yield _source("Source text", quote)
    if answer.against or answer.against_quotes:
        against = [Run("Against. ", Tone.STRONG), Run(as_sentence(answer.against))]
        yield note(*against, *_source_text("Its words", answer.against_quotes, finding))
        for quote in _outside(answer.against_quotes, finding):
            yield _source("Against", quote)


def _is_above(quote: Quote, finding: Finding) -> bool:
    """Tell whether a quote stands within those of the finding itself."""
    above = [e.quote.span for e in finding.evidence if e.quote.span]
    return quote.span is not None and any(whole.contains(quote.span) for whole in above)


def _outside(quotes: Sequence[Quote], finding: Finding) -> list[Quote]:
    return [quote for quote in quotes if not _is_above(quote, finding)]


def _source_text(name: str, quotes: Sequence[Quote], finding: Finding) -> list[Run]:
    places = []
    for quote in quotes:
        if quote.span is None or not _is_above(quote, finding):
            continue
        places.append(f"“{shorten(quote.words, _BEGINNING)}”")
    return [Run(f" {name}, quoted above: ", Tone.STRONG), Run("; ".join(places))] if places else []


def _source(name: str, quote: Quote) -> QuoteBlock:
    return QuoteBlock(
        quote.words,
        (Run(f"{name} · {quote_place(quote)}", Tone.QUIET if quote.verified else Tone.WARNING),),
        quote.verified,
    )


def outlier_blocks(material: ReportMaterial, entry: Entry) -> Iterator[FindingBlock]:
    outlier = entry.finding.outlier
    if outlier is None:
        return
    nearest = material.by_id(outlier.nearest)
    name = material.display_name(nearest) if nearest else "a contract outside this report"
    best = entry.finding.best
    runs: tuple[Run, ...] = ()
    if nearest is not None and best is not None:
        ours = best.clause.text_in(entry.cell.document.text)
        runs = compare_words(ours, outlier.clause.text_in(nearest.text))
    yield label(
        Run("Unlike the others. ", Tone.WARNING),
        f"The clause nearest to it is in {name}"
        + ("; " + (_STRUCK if runs else _APART) if nearest else "."),
    )
    if runs:
        yield Paragraph(runs, Kind.NOTE)


_CLOSING: Final = re.compile(r"[,.;:!?)\]}%’”]")  # what no space stands before
_STRUCK: Final = "struck words are in that clause only, underlined words in this one only:"
_APART: Final = "the two have too little in common, or are too long, to be set side by side."


def compare_words(ours: str, theirs: str) -> tuple[Run, ...]:
    """Return the words of two clauses in one text; none if that would tell nothing."""
    if max(len(theirs), len(ours)) > _COMPARED:
        return ()
    tones = {Change.SAME: Tone.PLAIN, Change.ADDED: Tone.ADDED, Change.REMOVED: Tone.REMOVED}
    pieces = word_difference(theirs, ours)
    same = sum(len(each.text) for each in pieces if each.change is Change.SAME)
    if same < _COMMON * min(len(ours), len(theirs)):
        return ()
    runs: list[Run] = []
    for each in pieces:
        if runs and not _CLOSING.match(each.text):
            runs.append(Run(" "))
        runs.append(Run(each.text, tones[each.change]))
    return tuple(runs)


def summary_blocks(entry: Entry, material: ReportMaterial) -> tuple[FindingBlock, ...]:
    finding = entry.finding
    headline = f"{entry.cell.headline}. " if finding.headline and not finding.value else ""
    blocks: list[FindingBlock] = [
        body(severity_run(entry), Run(f"  {headline}", Tone.STRONG), severity_reason(finding))
    ]
    blocks += _advice(finding, Kind.NOTE)
    if finding.review is not ReviewState.PROPOSED:
        blocks.append(note(review_run(finding)))
    if entry.number in material.in_full:
        engines = {
            "the answers": any(each.answer for each in finding.answers),
            "the amendments": finding.amendments,
            "the comparison": finding.outlier,
            "the comments": finding_notes(finding),
        }
        engine_names = [name for name, there in engines.items() if there]
        where = (
            f"See its chapter for {join_words(engine_names)}."
            if engine_names
            else "Told in its chapter."
        )
        return (*blocks, note(Run(where, link=f"told_{entry.number}")))
    return (
        *blocks,
        *correction_blocks(finding),
        *amendment_blocks(finding),
        *answer_blocks(finding, brief=True),
        *outlier_blocks(material, entry),
    )


def quoted_words(entry: Entry, material: ReportMaterial) -> tuple[FindingBlock, ...]:
    """Return, for a cell of the schedule, the words of a finding, as many as it shows."""
    if entry.finding.state is CellState.NOT_FOUND:
        return tuple(missing_blocks(entry.finding))
    return tuple(quote_blocks(entry.finding, most=material.in_schedule(entry)))


def omitted_characters(entry: Entry, material: ReportMaterial) -> int:
    whole = sum(len(each.quote.words) for each in entry.finding.evidence)
    quotes = [each for each in quoted_words(entry, material) if isinstance(each, QuoteBlock)]
    shown = sum(len(each.words) for each in quotes) - sum(map(len, entry.finding.claims))
    return max(0, whole - shown) if entry.finding.state is CellState.FOUND else 0


def missing_blocks(finding: Finding) -> Iterator[FindingBlock]:
    searched = finding.searched
    if searched is None:
        yield note("Not found.")
        return
    yield note("Not found in the contract.")
    if searched.best:
        best = searched.best
        page = page_range(best.pages)
        yield note(
            f"What came nearest is no find: {clause_heading(best)}"
            f"{f', {page}' if page else ''}: “{shorten(best.quote.words, 160)}”"
        )


def as_sentence(words: str) -> str:
    words = words.strip()
    if not words:
        return ""
    return words[0].upper() + words[1:] + ("" if words[-1] in ".!?”’" else ".")
