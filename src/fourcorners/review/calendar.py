"""List what is coming up in a library: ends, renewals and last days for notice, by contract."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.library.entries import Entry
from fourcorners.library.memory import VersionedCache
from fourcorners.library.store import Library
from fourcorners.outline.card.term import (
    Event,
    Standing,
    Status,
    Term,
    TermChange,
    find_events,
    find_status,
    read_term,
)
from fourcorners.outline.card.values.candidates import statement_around
from fourcorners.search.graph.in_force import Revision, read_in_force
from fourcorners.search.graph.links import links_of
from fourcorners.search.graph.statements import AmendmentRelation
from fourcorners.text.span import Span

_LIKELY = 0.2  # probability of an end from which its words are shown to a person; chosen by hand


@dataclass(frozen=True, slots=True)
class QuotedWords:
    """QuotedWords of a contract with their place: the document, and how a lawyer cites it.

    Attributes:
        proposed: The authors of tracked changes in them, which nobody has accepted.
    """

    document: str
    span: Span
    text: str
    where: str
    proposed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Timeline:
    """A contract with its term, its status on a day, and the words about it.

    Attributes:
        events: The facts due in the requested period, with the words behind them, the nearest
            first.
        uncertain: What may be due then, by words that a person must read.
    """

    document: str
    name: str
    title: str
    term: Term
    status: Status
    events: tuple[tuple[Event, tuple[QuotedWords, ...]], ...]
    uncertain: tuple[Event, ...]
    words: tuple[QuotedWords, ...]

    @property
    def is_to_be_read(self) -> bool:
        """Return whether a person must read its words about the term to know what is coming up."""
        term = self.term
        is_open = term.is_automatic and term.renewal and term.renewal.asserted
        if self.uncertain or (is_open and not (term.notice and term.notice.asserted)):
            return True
        known = self.status.asserted and self.status.standing is not Standing.UNKNOWN
        return bool(self.words) and not known


@dataclass(frozen=True, slots=True)
class DatedEvent:
    """A day on which something is due in a contract, with the words that say so.

    Attributes:
        parts: The words behind the other parts of a sum.
    """

    timeline: Timeline
    event: Event
    words: QuotedWords
    parts: tuple[QuotedWords, ...] = ()


def due_dates(timelines: Iterable[Timeline]) -> list[DatedEvent]:
    """Return the facts due in contracts, in order."""
    found = [
        DatedEvent(each, event, words[0], words[1:])
        for each in timelines
        for event, words in each.events
    ]
    return sorted(found, key=lambda each: (each.event.day, each.timeline.name, each.event.kind))


@without_damaged
def list_timelines(
    library: Library, entries: Iterable[Entry], as_of: date, within: timedelta
) -> list[Timeline]:
    """Return the timelines of contracts, by name; only these amend each other.

    They are cached until some document changes.
    """
    readable = [each for each in entries if each.id not in library.damaged]
    entries = sorted(readable, key=lambda each: (each.name, each.id))
    among = {each.id for each in entries}
    known: VersionedCache[list[Timeline]] = library.memory.cache("timelines")
    return known.get(
        library.content_version,
        (as_of, within, frozenset(among)),
        lambda: [_timeline(library, each.id, among, as_of, within) for each in entries],
    )


def _timeline(
    library: Library, document: str, among: set[str], as_of: date, within: timedelta
) -> Timeline:
    contract = read_contract(library, document)
    amended = read_in_force(library, document, among, as_of)
    changes = () if amended is None else amended.term_changes
    uncertain = [
        TermChange(each.document, each.name, each.span) for each in changes if not each.is_certain
    ]
    term = read_term(contract.card if amended is None else amended.card, uncertain)
    own = links_of(library).amendments(document)
    if any(each.target in among and each.relation is AmendmentRelation.AMENDS for each in own):
        term = Term()  # what an amendment says of a term is listed with the contract
    events = find_events(term, as_of, as_of + within)
    title = contract.card.title
    return Timeline(
        contract.id,
        contract.name,
        title.value if title else contract.name,
        term,
        find_status(term, as_of),
        tuple(
            (each, _event_words(library, contract, each, changes))
            for each in events
            if each.asserted
        ),
        tuple(each for each in events if not each.asserted),
        (*_words(contract, term), *(_changing_words(library, each) for each in changes)),
    )


def _event_words(
    library: Library, contract: Contract, event: Event, changes: Sequence[Revision]
) -> tuple[QuotedWords, ...]:
    """Return the words behind an event and its parts: those of the last change to them, if any."""
    found: list[QuotedWords] = []
    read: list[Span] = []
    for part in (event.span, *event.parts):
        change = next((each for each in reversed(changes) if each.old.overlaps(part)), None)
        if change is not None:
            found.append(_changing_words(library, change))
        elif not any(span.contains(part) for span in read):
            read.append(_statement(contract, part))
            found.append(_quote(contract, read[-1]))
    return tuple(dict.fromkeys(found))


def _statement(contract: Contract, span: Span) -> Span:
    """Return the sentence around words, within their clause."""
    near, node = statement_around(contract.text, span), contract.outline.node_at(span.start)
    return Span(max(near.start, node.span.start), min(near.end, node.span.end)) if node else near


def _words(contract: Contract, term: Term) -> Iterator[QuotedWords]:
    """Yield the statements about a term, each once."""
    values = [each for each in (term.end, term.length, term.notice) if each and each.asserted]
    likely = [each for each in (term.end,) if each and each.confidence >= _LIKELY]
    spans = [_statement(contract, each.span) for each in (*likely, *values)]
    if term.renewal is not None:
        spans.append(term.renewal.span)
    done: list[Span] = []
    for span in sorted(each.strip(contract.text) for each in spans):
        if not any(span.overlaps(other) for other in done):
            done.append(span)
            yield _quote(contract, span)


def _changing_words(library: Library, change: Revision) -> QuotedWords:
    return _quote(read_contract(library, change.document), change.span)


def _quote(contract: Contract, span: Span) -> QuotedWords:
    span = _without_next_label(contract, span).strip(contract.text)
    return QuotedWords(
        contract.id,
        span,
        span.text_in(contract.text),
        contract.locate(span),
        contract.change_authors(span),
    )


def _without_next_label(contract: Contract, span: Span) -> Span:
    """Return words without the number of the clause after them, which ends in a point too."""
    nodes = contract.outline.nodes
    at = bisect_left(nodes, span.end, key=lambda each: each.span.start) - 1
    if at < 0 or nodes[at].span.start <= span.start:
        return span
    rest = Span(nodes[at].span.start, span.end).text_in(contract.text).strip()
    is_label = len(rest) <= len(nodes[at].label) + len("().")
    return Span(span.start, nodes[at].span.start) if is_label else span
