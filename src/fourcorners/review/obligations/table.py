"""Find the obligations of contracts, and list them by party and then by due date."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.party_names import party_key
from fourcorners.outline.card.term import Term, read_term
from fourcorners.outline.exclusions import longest_shown
from fourcorners.outline.tree import Outline
from fourcorners.review.calendar import list_timelines
from fourcorners.review.obligations.actors import find_mentions
from fourcorners.review.obligations.clauses import PREDICATE, ObligationReader
from fourcorners.review.obligations.obligation import (
    EACH,
    EITHER,
    UNNAMED,
    Obligation,
    ObligationKind,
)
from fourcorners.review.obligations.subjects import CLAUSE, SubjectReader
from fourcorners.review.obligations.times import Calendar
from fourcorners.review.parties import Side, find_sides, require_parties, side_in
from fourcorners.search.graph.in_force import InForce, read_in_force
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span


def find_obligations(
    text: str, outline: Outline, card: Card, term: Term | None = None
) -> list[Obligation]:
    """Return the obligations of a contract in the order of its text.

    `term` is its term if more is known of it than its card says, such as changes by others.
    """
    headings = frozenset(node.heading.end for node in outline.nodes if node.heading)
    subjects = SubjectReader(text, find_mentions(text, card, outline.terms), headings)
    calendar = Calendar(card, read_term(card) if term is None else term)
    clauses = ObligationReader(text, subjects, calendar)
    matches = [*PREDICATE.finditer(text)]
    starts = [match.start() for match in matches]
    found: dict[int, Obligation] = {}
    for sentence in _cut_sentences(text, outline):
        low, high = bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)
        for each in clauses.read_sentence(sentence, matches[low:high]):
            found.setdefault(each.binding.start, each)
    return [found[start] for start in sorted(found)]


def _cut_sentences(text: str, outline: Outline) -> Iterator[Span]:
    """Yield the sentences of a text, split where a clause of the outline begins."""
    edges = sorted({node.span.start for node in outline.nodes})
    for sentence in _join_abbreviated(text, split_sentences(text)):
        low, high = bisect_left(edges, sentence.start + 1), bisect_left(edges, sentence.end)
        for start, end in pairwise([sentence.start, *edges[low:high], sentence.end]):
            part = Span(start, end).strip(text)
            if part:
                yield part


def _join_abbreviated(text: str, sentences: Iterable[Span]) -> Iterator[Span]:
    """Yield sentences, joining those split by "etc." within a name: "at Work etc. Act 1974"."""
    waiting: Span | None = None
    for each in sentences:
        whole = Span(waiting.start, each.end) if waiting else each
        short = text[max(whole.start, whole.end - len(" etc.")) : whole.end].rstrip(".")
        if short.endswith(" etc") and len(whole) <= CLAUSE:
            waiting = whole
            continue
        waiting = None
        yield whole
    if waiting:
        yield waiting


RELIANCE = (
    "Read by rules: check each against its words. In five contracts that were read by hand 94% of "
    "what was listed was right, and 94% of the obligations were listed."
)
"""How reliable the list is, as `fourcorners bench obligations` prints."""

MODALS: Mapping[ObligationKind, str] = {
    ObligationKind.DUTY: "must",
    ObligationKind.PROHIBITION: "must not",
}

_LONGEST_SUBJECT = 150  # characters of the words that identify the party
_GENERAL = (EACH, EITHER, UNNAMED)


@dataclass(frozen=True, slots=True)
class ListedObligation:
    """An obligation with its contract and its words.

    Attributes:
        party: Whom it binds: the name of a party, or how the contract calls it.
        whose: Whether it binds the side for which the contract is read; empty if it is read for
            nobody.
        where: How a lawyer cites the place, such as `4.1`; empty where the clause has no number.
        changed_by: The amendments that change the sentence, each with its clause.
        in_force: What must be done as amended; empty if the contract's own words are in force.
        subject: The words that identify the party, if it is bound in some position.
        words: What must be done; `quote` is the sentence, `lead` what introduces a list's point.
    """

    document: str
    name: str
    title: str
    party: str
    whose: Literal["ours", "theirs", ""]
    where: str
    obligation: Obligation
    words: str
    quote: str
    lead: str
    conditions: tuple[str, ...]
    times: tuple[str, ...]
    changed_by: tuple[str, ...] = ()
    subject: str = ""
    in_force: str = ""

    @property
    def day(self) -> date | None:
        return self.obligation.due.day if self.obligation.due else None

    @property
    def statement(self) -> str:
        """Return what must be done, or not, as "must pay"; unchanged if it has its own verb."""
        found = self.obligation
        is_whole = found.lead is None and found.action.start < found.binding.start
        words = self.in_force or self.words
        own = words if is_whole else f"{MODALS[found.kind]} {words}"
        return f"{self.subject} {own}" if self.subject else own

    @property
    def unless(self) -> str:
        return self.obligation.due.unless if self.obligation.due else ""


@without_damaged
def list_obligations(
    library: Library,
    contracts: Sequence[Entry],
    *,
    documents: Sequence[str] = (),
    read_for: Sequence[str] = (),
    on_document: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[ListedObligation]:
    """Return the obligations of contracts, first those of the party for whom they are read.

    They are sorted by party, then by day, then by their place in the contract.

    Args:
        library: The library.
        contracts: The contracts; only these amend each other.
        documents: Only those with these ids; all if there are none.
        read_for: The party for whom they are read; by default the collection's.
        on_document: Called with how many contracts are read, and how many there are.

    Raises:
        ConfigError: If nobody in these contracts has a name of `read_for`.
    """
    contracts = [each for each in contracts if each.id not in library.damaged]
    entries = [each for each in contracts if not documents or each.id in documents]
    if read_for:
        require_parties(library, read_for, [each.id for each in entries], "contract")
        sides = {each.id: side_in(library, each.id, read_for) for each in entries}
    else:
        sides = find_sides(library, entries)
    timelines = list_timelines(library, contracts, date.min, timedelta(0))
    terms = {each.document: each.term for each in timelines}
    among = {each.id for each in contracts}
    found: list[ListedObligation] = []
    moved: set[tuple[str, Span]] = set()  # words of amendments that are listed with the contract
    for done, entry in enumerate(entries, start=1):
        amended = read_in_force(library, entry.id, among)
        own = read_contract(library, entry.id)
        contract = own if amended is None else amended.contract
        made = find_obligations(contract.text, contract.outline, contract.card, terms[entry.id])
        listed = list(_list(contract, made, sides[entry.id]))
        if amended is not None:
            listed = [*filter(None, (_in_own_words(each, own, amended) for each in listed))]
            moved |= {(each.document, each.span) for each in amended.revisions if each.removes}
        found += listed
        on_document(done, len(entries))
    found = [each for each in found if not _is_moved(each, moved)]
    return sorted(_with_one_spelling(found), key=_order)


def _is_moved(each: ListedObligation, moved: Iterable[tuple[str, Span]]) -> bool:
    quote = each.obligation.quote
    return any(document == each.document and span.overlaps(quote) for document, span in moved)


def _with_one_spelling(found: Sequence[ListedObligation]) -> Iterator[ListedObligation]:
    """Yield obligations with each party's name in one spelling, not all in capitals."""
    spellings: dict[str, Counter[str]] = {}
    for each in found:
        spellings.setdefault(party_key(each.party), Counter())[each.party] += 1
    chosen = {
        key: min(counts, key=lambda name: (name.isupper(), -counts[name], name))
        for key, counts in spellings.items()
    }
    for each in found:
        yield replace(each, party=chosen[party_key(each.party)])


def _order(each: ListedObligation) -> tuple[object, ...]:
    general = _GENERAL.index(each.party) + 1 if each.party in _GENERAL else 0
    start = each.obligation.quote.start
    return (
        each.whose != "ours",
        general,
        party_key(each.party),
        each.day or date.max,
        each.name,
        start,
        each.obligation.action.start,
    )


def _list(
    contract: Contract, found: Sequence[Obligation], side: Side
) -> Iterator[ListedObligation]:
    text, labels = contract.text, _Labels(contract)
    title = contract.card.title.value if contract.card.title else contract.name
    for each in (_show(each, contract) for each in found):
        yield ListedObligation(
            contract.id,
            contract.name,
            title,
            _party(each),
            _whose(each, side),
            labels.at(each.action.start),
            each,
            each.action.text_in(text),
            each.quote.text_in(text),
            each.lead.text_in(text) if each.lead else "",
            tuple(span.text_in(text) for span in each.conditions),
            tuple(time.span.text_in(text) for time in each.times),
            subject=_subject(each, text),
        )


def _in_own_words(
    each: ListedObligation, contract: Contract, amended: InForce
) -> ListedObligation | None:
    """Return an obligation of the words in force with its place in the contract, if it has one."""
    found, text = each.obligation, contract.text
    own = amended.own_span(found.quote)
    changes = amended.revisions_at(found.quote)
    if own is None or amended.restatement is not None:
        return None
    if not all(change.is_certain for change in changes):
        found = replace(found, times=tuple(replace(t, day=None, unless="") for t in found.times))
    placed = _map_spans(found, lambda span: amended.own_span(span) or Span(own.end, own.end))
    names = (f"{c.name}, clause {c.place}" if c.place else c.name for c in changes)
    return replace(
        each,
        obligation=placed,
        words=placed.action.text_in(text),
        quote=placed.quote.text_in(text),
        lead=placed.lead.text_in(text) if placed.lead else "",
        conditions=tuple(span.text_in(text) for span in placed.conditions),
        times=tuple(time.span.text_in(text) for time in placed.times),
        changed_by=tuple(dict.fromkeys(names)),
        in_force=each.words if changes else "",
    )


def _subject(each: Obligation, text: str) -> str:
    """Return the words that identify the party, if it is the one in some position."""
    named = each.actor.span
    if each.actor.name != EITHER or named is None or each.lead is not None:
        return ""
    far = each.binding.start - named.start > _LONGEST_SUBJECT
    return (
        ""
        if far or named.start >= each.binding.start
        else text[named.start : each.binding.start].strip(", \n")
    )


def _show(each: Obligation, contract: Contract) -> Obligation:
    """Return an obligation with spans that leave out what is not evidence, such as deletions.

    The searched text has white space there; a quote has the words of the document.
    """
    whole = Span(min(each.quote.start, each.action.start), max(each.quote.end, each.action.end))
    if not any(whole.overlaps(each.span) for each in contract.exclusions):
        return each

    return _map_spans(each, lambda span: longest_shown(span, contract.exclusions, contract.text))


def _map_spans(each: Obligation, map_span: Callable[[Span], Span]) -> Obligation:
    return replace(
        each,
        action=map_span(each.action),
        quote=map_span(each.quote),
        conditions=tuple(map(map_span, each.conditions)),
        times=tuple(replace(time, span=map_span(time.span)) for time in each.times),
        lead=map_span(each.lead) if each.lead else None,
    )


def _party(each: Obligation) -> str:
    """Return a party's name, so that it is the same in all contracts."""
    if each.actor.name in _GENERAL or len(each.actor.parties) != 1:
        return each.actor.name
    return each.actor.parties[0]


def _whose(each: Obligation, side: Side) -> Literal["ours", "theirs", ""]:
    if {*each.actor.parties, each.actor.name} & set(side.names):
        return "ours"
    return "theirs" if side.names and each.actor.parties and not side.roles else ""


class _Labels:
    """The labels of a contract's clauses by their places."""

    def __init__(self, contract: Contract) -> None:
        self._nodes = contract.outline.nodes
        self._starts = [node.span.start for node in self._nodes]

    def at(self, offset: int) -> str:
        """Return the label of the innermost clause at a place that has one."""
        found = bisect_right(self._starts, offset) - 1
        at: int | None = found if found >= 0 else None
        while at is not None:
            node = self._nodes[at]
            if node.label and node.span.end > offset:
                return node.label
            at = node.parent
        return ""
