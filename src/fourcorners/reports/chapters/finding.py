"""How a report shows a finding: words, answers, what cuts the other way, what people said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from fourcorners.precedents.difference import Change, word_difference
from fourcorners.reports.chapters.material import (
    Entry,
    ReportMaterial,
    clause_reference,
    format_time,
    key_block,
    recommendation,
    review_run,
    severity_reason,
    severity_run,
)
from fourcorners.reports.key_words import AMENDING_LENGTH, first_sentences
from fourcorners.reports.tree import (
    Kind,
    Note,
    Paragraph,
    QuoteBlock,
    Run,
    Tone,
    body,
    label,
    note,
)
from fourcorners.review.finding import (
    Amendment,
    Author,
    CellState,
    Finding,
    ReviewState,
    RiskAnswer,
)
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.text.quote import Quote

_BEGINNING: Final = 90  # characters of words that are already shown above
_COMMON: Final = 0.15  # of the shorter clause's characters; less in common is no comparison
# Two clauses are compared word by word up to this length each: the work grows with its square.
_COMPARED: Final = 6_000

_NO_EVIDENCE: Final = "Not in the contract, so no evidence"

FindingBlock = Paragraph | QuoteBlock
AUTHORS = {
    Author.RULE: "",
    Author.MODEL: "by a language model",
    Author.PERSON: "by a person",
}


def _advice(finding: Finding) -> Iterator[FindingBlock]:
    if house_position := finding.position:
        kind = f"{house_position.kind.capitalize()} position: "
        yield note(Run(kind, Tone.STRONG), house_position.text)
    if step := recommendation(finding):
        yield note(Run("What to do: ", Tone.STRONG), step)


def finding_notes(finding: Finding) -> tuple[Note, ...]:
    """Return what a reader should see with a finding: comments, and a call for a second look."""
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
        yield QuoteBlock(finding.value, (Run("The contract’s words", Tone.QUIET),))
    else:
        yield body(finding.value)
    if finding.proposal.evidence:
        yield label("The program had proposed:")


def _quote_blocks(finding: Finding) -> Iterator[FindingBlock]:
    """Yield the quotes, each with its source, and what a model said that no contract has."""
    for evidence in finding.evidence:
        sources = [clause_reference(evidence), *(["read from an image"] if evidence.ocr else [])]
        source = (Run(" · ".join(sources), Tone.QUIET),)
        if not evidence.quote.verified:
            source = (Run(_NO_EVIDENCE, Tone.WARNING),)
        yield QuoteBlock(evidence.quote.words, source, evidence.quote.verified)
    yield from claim_blocks(finding)


def claim_blocks(finding: Finding) -> Iterator[QuoteBlock]:
    for claim in finding.claims:
        source = Run("Said by a language model; not in the contract", Tone.WARNING)
        yield QuoteBlock(claim, (source,), verified=False)


def amendment_blocks(material: ReportMaterial, finding: Finding) -> Iterator[FindingBlock]:
    for change in finding.amendments:
        if change.document == finding.document:
            yield label(Run("Elsewhere in this contract", Tone.WARNING), ": ", _own_effect(change))
            yield _source(change.quote, "From this contract", AMENDING_LENGTH)
            continue
        amending = material.by_id(change.document)
        name = material.grid.name(amending) if amending else single_line(change.name)
        place = f", clause {change.place}" if change.place else ""
        yield label(Run("Amended", Tone.WARNING), f" by {name}{place}: ", _effect(change))
        yield _source(change.quote, f"From {name}{place}", AMENDING_LENGTH)
        if change.old is not None:
            yield _source(change.old, "The words before", AMENDING_LENGTH)


def _own_effect(change: Amendment) -> str:
    if change.replaces:
        return "it says that the words found here do not apply; a person should confirm it."
    return "it limits where the words found here apply."


def _effect(change: Amendment) -> str:
    if change.replaces:
        return "these words change those found here."
    return "to be read together with the words found here."


def _answer_blocks(finding: Finding) -> Iterator[FindingBlock]:
    """Yield the answers to risk questions, with their words unless these are shown above."""
    for answer in finding.answers:
        if answer.answer:
            yield from _answer(finding, answer)


def _answer(finding: Finding, answer: RiskAnswer) -> Iterator[FindingBlock]:
    who = " – ".join(filter(None, (answer.answer.rstrip("."), answer.party)))
    by = AUTHORS[answer.author]
    reason = "" if answer.author is Author.RULE else _as_sentence(answer.reason)
    runs = [Run(f" {reason}")] if reason else []
    runs += _words_above(answer.quotes, finding)
    yield note(Run(f"{answer.question} "), Run(who, Tone.STRONG), f" ({by})." if by else ".", *runs)
    for quote in _outside(answer.quotes, finding):
        yield _source(quote, "From this contract")
    if answer.against or answer.against_quotes:
        against = [Run("Against this: ", Tone.STRONG), Run(_as_sentence(answer.against))]
        yield note(*against, *_words_above(answer.against_quotes, finding))
        for quote in _outside(answer.against_quotes, finding):
            yield _source(quote, "From this contract")


def _is_above(quote: Quote, finding: Finding) -> bool:
    """Tell whether a quote lies within those of the finding itself."""
    above = [e.quote.span for e in finding.evidence if e.quote.span]
    return quote.span is not None and any(whole.contains(quote.span) for whole in above)


def _outside(quotes: Sequence[Quote], finding: Finding) -> list[Quote]:
    return [quote for quote in quotes if not _is_above(quote, finding)]


def _words_above(quotes: Sequence[Quote], finding: Finding) -> list[Run]:
    """Return the first words of quotes that lie within those of the finding."""
    beginnings = [
        f"“{shorten(each.words, _BEGINNING)}”" for each in quotes if _is_above(each, finding)
    ]
    return [Run(f" See {'; '.join(beginnings)}")] if beginnings else []


def _source(quote: Quote, place: str, most: int = 0) -> QuoteBlock:
    source = Run(place, Tone.QUIET) if quote.verified else Run(_NO_EVIDENCE, Tone.WARNING)
    shown = first_sentences(quote.words, most)
    return QuoteBlock(shown, (source,), quote.verified, len(quote.words) - len(shown))


def _outlier_blocks(material: ReportMaterial, entry: Entry) -> Iterator[FindingBlock]:
    outlier = entry.finding.outlier
    if outlier is None:
        return
    nearest = material.by_id(outlier.nearest)
    name = material.grid.name(nearest) if nearest else "a contract outside this report"
    best = entry.finding.best
    runs: tuple[Run, ...] = ()
    if nearest is not None and best is not None:
        ours = best.clause.text_in(entry.cell.document.text)
        runs = compare_words(ours, outlier.clause.text_in(nearest.text))
    yield label(
        Run("Unlike the others. ", Tone.WARNING),
        f"The clause most like it is in {name}" + (f"; {_STRUCK}" if runs else "."),
    )
    if runs:
        yield Paragraph(runs, Kind.NOTE)


_CLOSING: Final = re.compile(r"[,.;:!?)\]}%’”]")  # what no space precedes
_STRUCK: Final = "struck words are in that clause only, underlined words in this one only:"


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
    """Return, for a cell of the schedule, what is said of a finding."""
    finding = entry.finding
    runs = [severity_run(entry)] if entry.cell.flagged else []
    if finding.headline and not finding.value:
        runs.append(Run(f"  {finding.headline}.", Tone.STRONG))
    if finding.reason or not runs:
        runs.append(Run(f"  {severity_reason(finding)}"))
    blocks: list[FindingBlock] = [Paragraph(tuple(runs))]
    if finding.review is not ReviewState.PROPOSED:
        blocks.append(note(review_run(finding)))
    return (
        *blocks,
        *_advice(finding),
        *correction_blocks(finding),
        *amendment_blocks(material, finding),
        *_answer_blocks(finding),
        *_outlier_blocks(material, entry),
    )


def quoted_words(entry: Entry) -> tuple[FindingBlock, ...]:
    """Return, for a cell of the schedule, the words of a finding."""
    left_out = [note(single_line(each)) for each in entry.cell.document.left_out]
    if entry.finding.state is CellState.NOT_FOUND:
        return (note("None was identified."), *key_block(entry.finding), *left_out)
    return (*_quote_blocks(entry.finding), *left_out)


def _as_sentence(words: str) -> str:
    words = words.strip()
    if not words:
        return ""
    return words[0].upper() + words[1:] + ("" if words[-1] in ".!?”’" else ".")
