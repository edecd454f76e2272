"""Say what a change of a clause takes out of the contract, and what stays and contradicts it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourcorners.library.contract import Contract
from fourcorners.redline.proposal import Extent, ProposedChange
from fourcorners.redline.replacement import (
    LIMIT,
    MATTERS,
    SHORTEST,
    UNLIMITED,
    find_lost,
    is_about,
)
from fourcorners.review.finding import Finding
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.stems import stems
from fourcorners.text.values.periods import find_durations
from fourcorners.text.word_differences import EditKind, texts_of

POSSIBLY_THERE = 0.05
"""The probability of the best candidate above which a clause may be there."""
_MOST = 3  # sentences that stay; more say no more
_QUOTED = 160  # characters of one
_COMMON = 3  # stems that two sentences about one matter share at least


def find_cautions(
    contract: Contract, change: ProposedChange, finding: Finding, changed: Sequence[Span]
) -> tuple[str, ...]:
    """Return what a person should know of a change, one sentence each.

    Args:
        contract: The contract that is changed.
        change: One of its changes.
        finding: The cell that the change is of.
        changed: The words that all its changes replace.
    """
    lost = find_lost(change.edits) if change.extent is Extent.CLAUSE else []
    cautions = (
        [f"Goes and is not in the new words: {shorten('; '.join(lost), 2 * _QUOTED)}"]
        if lost
        else []
    )
    seen: set[int] = set()
    for why, sentence in _remaining(contract, change, finding):
        if sentence.start in seen or any(sentence.overlaps(each) for each in changed):
            continue
        seen.add(sentence.start)
        node = contract.outline.node_at(sentence.start)
        label = f" ({node.label})" if node is not None and node.label else ""
        words = shorten(single_line(sentence.text_in(contract.full_text)), _QUOTED)
        cautions.append(f"{why}{label}: “{words}”")
        if len(seen) == _MOST:
            break
    return tuple(cautions)


def _remaining(
    contract: Contract, change: ProposedChange, finding: Finding
) -> Iterator[tuple[str, Span]]:
    """Yield the sentences outside a change that may contradict it, and why."""
    text = contract.full_text
    _, after = texts_of(change.edits)
    is_whole = change.extent in (Extent.CLAUSE, Extent.NEW_CLAUSE)
    for span in _others(finding) if is_whole else ():
        for sentence in split_sentences(text, span):
            words = sentence.text_in(text)
            is_same = not finding.evidence or is_about(words, frozenset(stems(after)))
            if len(words.split()) >= SHORTEST and is_same:
                yield "Stays and is about the same", sentence.strip(text)
    matters = [(what, each) for what, each in MATTERS.items() if is_whole and each.search(after)]
    if LIMIT.search("".join(each.text for each in change.edits if each.kind is EditKind.INSERT)):
        matters.append(("says that liability has no limit", UNLIMITED))
    old = _periods_gone(change)
    quoted = frozenset(stem for quote in change.quotes for stem in stems(quote.words))
    quoted -= _indistinct(contract, change)
    for sentence in split_sentences(text) if matters or old else ():
        for what, pattern in matters:
            if pattern.search(text, sentence.start, sentence.end):
                yield f"Stays and {what}", sentence.strip(text)
        same = old & {each.value.iso for each in find_durations(text, sentence)}
        if same and len(quoted & frozenset(stems(sentence.text_in(text)))) >= _COMMON:
            yield "Stays and has the period as it was", sentence.strip(text)


def _indistinct(contract: Contract, change: ProposedChange) -> frozenset[str]:
    """Return the stems of the parties' names and of the periods that go: they tell no matter."""
    parties = [fact.value for fact in contract.card.parties]
    words = [name for each in parties for name in (each.name, each.short, each.role) if name]
    for quote in change.quotes:
        found = find_durations(quote.words, Span(0, len(quote.words)))
        words += [each.span.text_in(quote.words) for each in found]
    return frozenset(stem for each in words for stem in stems(each))


def _others(finding: Finding) -> list[Span]:
    """Return the words of the provision; of one that was not found, those that may be of it."""
    best = finding.searched.best if finding.searched else None
    found = finding.evidence
    if not found and best is not None and best.score > POSSIBLY_THERE:
        found = (best,)
    return [each.quote.span for each in found if each.quote.span is not None]


def _periods_gone(change: ProposedChange) -> frozenset[str]:
    """Return the periods of the words that go, if others come in their place."""
    before, after = (
        {each.value.iso for each in find_durations(words, Span(0, len(words)))}
        for words in texts_of(change.edits)
    )
    return frozenset(before - after) if after - before else frozenset()
