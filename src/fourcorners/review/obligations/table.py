"""Find the obligations of contracts, and list them by party and then by due date."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Literal

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.contract_titles import title_in_letters
from fourcorners.outline.card.party_names import party_key
from fourcorners.outline.card.term import Term, read_term
from fourcorners.outline.exclusions import longest_shown
from fourcorners.outline.tree import Outline
from fourcorners.review.calendar import list_timelines
from fourcorners.review.obligations.actors import find_mentions
from fourcorners.review.obligations.brackets import strip_bracket
from fourcorners.review.obligations.clauses import PREDICATE, ObligationReader
from fourcorners.review.obligations.listed import (
    AmendedWords,
    ContractObligation,
    ObligationHead,
    ObligationLists,
    ObligationTime,
    day_or_last,
    list_state,
)
from fourcorners.review.obligations.lists import find_under_headings
from fourcorners.review.obligations.obligation import (
    EACH,
    EITHER,
    UNNAMED,
    Calendar,
    Obligation,
    ObligationKind,
    Time,
    TimeKind,
)
from fourcorners.review.obligations.subjects import CLAUSE, SubjectReader
from fourcorners.review.parties import Side, collection_sides, require_parties, side_in
from fourcorners.search.graph.in_force import InForce, read_in_force
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.value import PlacedWords


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
    numbered = (node.span.start for node in outline.nodes if node.label[:1].isdigit())
    operative = next(numbered, len(text) if outline.nodes else 0)  # what precedes it may recite
    matches = [*PREDICATE.finditer(text)]
    starts = [match.start() for match in matches]
    found: dict[int, Obligation] = {}
    present: list[Obligation] = []
    for sentence in _cut_sentences(text, outline):
        low, high = bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)
        for each in clauses.read_sentence(sentence, matches[low:high]):
            found.setdefault(each.binding.start, each)
        if low == high and sentence.start >= operative:
            present += filter(None, [clauses.read_plain_clause(sentence)])
    is_plain = len(present) > max(_FEW, len(found))  # its duties are in the present tense
    for each in (
        *(each for each in present if is_plain or any(map(_is_due, each.times))),
        *find_under_headings(text, outline, subjects.mentions, calendar, sorted(found)),
    ):
        if not any(other.action.overlaps(each.action) for other in found.values()):
            found.setdefault(each.binding.start, each)
    return [found[start] for start in sorted(found)]


def _is_due(each: Time) -> bool:
    return each.kind in (TimeKind.DATE, TimeKind.PERIOD, TimeKind.RECURRING, TimeKind.PROMPT)


def _cut_sentences(text: str, outline: Outline) -> Iterator[Span]:
    """Yield the sentences of a text, split where a clause of the outline begins."""
    edges = sorted({node.span.start for node in outline.nodes})
    for sentence in _join_abbreviated(text, split_sentences(text)):
        low, high = bisect_left(edges, sentence.start + 1), bisect_left(edges, sentence.end)
        for start, end in pairwise([sentence.start, *edges[low:high], sentence.end]):
            part = Span(start, end).strip(text)
            if part:
                yield part


def _join_abbreviated(text: str, sentences: Iterable[Span]) -> list[Span]:
    """Join sentences that are split after an abbreviation: "at Work etc. Act", "Rs. 500"."""
    joined: list[Span] = []
    for each in sentences:
        last = joined[-1] if joined else None
        if last and len(last) <= CLAUSE and _is_abbreviated(text, last.end, each.start):
            joined[-1] = Span(last.start, each.end)
        else:
            joined.append(each)
    return joined


def _is_abbreviated(text: str, end: int, start: int) -> bool:
    """Return whether a point at the end of words is one of an abbreviation."""
    word = text[max(0, end - len(" etc.")) : end].rsplit(None, 1)[-1]
    is_number = text[start : start + 1].isdigit() and "\n" not in text[end:start]
    return word == "etc." or (is_number and word[0].isupper() and len(word) <= len("Rs."))


RELIANCE = (
    "Read by rules: check each against its words. In five contracts that were read by hand 94% of "
    "what was listed was right, and 94% of the obligations were listed."
)
"""How reliable the list is, as `fourcorners bench obligations` prints."""

MODALS: Mapping[ObligationKind, str] = {
    ObligationKind.DUTY: "must",
    ObligationKind.PROHIBITION: "must not",
}

_FEW = 2  # clauses in the present tense that do not show the style of a contract
_LONGEST_SUBJECT = 150  # characters of the words that identify the party
_GENERAL = (EACH, EITHER, UNNAMED)


@without_damaged
def list_obligations(
    library: Library,
    contracts: Sequence[Entry],
    *,
    documents: Sequence[str] = (),
    read_for: Sequence[str] = (),
    on_document: Callable[[int, int], None] = lambda _done, _total: None,
    most_new: int | None = None,
) -> Listing:
    """List the obligations of contracts by party (ours first), then by day and place.

    Args:
        library: The library.
        contracts: The contracts; only these amend each other.
        documents: Only those with these ids; all if there are none.
        read_for: The party for whom they are read; by default the collection's.
        on_document: Called with how many contracts are read, and how many there are.
        most_new: How many contracts without a stored list may be read; all of them if None.

    Raises:
        ConfigError: If nobody in these contracts has a name of `read_for`.
    """
    contracts = [each for each in contracts if each.id not in library.damaged]
    entries = [each for each in contracts if not documents or each.id in documents]
    if read_for:
        require_parties(library, read_for, [each.id for each in entries], "contract")
        sides = {each.id: side_in(library, each.id, read_for) for each in entries}
    else:
        sides = {}
        for home in {each.collection for each in entries}:
            sides |= collection_sides(library, home)
    timelines = list_timelines(library, contracts, datetime.now(UTC).date(), timedelta(0))
    terms = {each.document: each.term for each in timelines}
    among = {each.id for each in contracts}
    lists = ObligationLists(library)
    heads: list[ObligationHead] = []
    moved: set[tuple[str, Span]] = set()  # words of amendments that are listed with the contract
    read = unread = 0
    try:
        for done, entry in enumerate(entries, start=1):
            amended, term = read_in_force(library, entry.id, among), terms.get(entry.id)
            state = list_state(library, entry.id, amended, term)
            listed = lists.heads(entry.id, state)
            if listed is None and most_new is not None and read >= most_new:
                unread += 1
                continue
            if listed is None:
                own, read = read_contract(library, entry.id), read + 1
                listed = lists.put(entry.id, state, [*_list(own, amended, term)])
            heads += (each._replace(whose=_whose(each, sides[entry.id])) for each in listed)
            if amended is not None:
                moved |= {(each.document, each.span) for each in amended.revisions if each.removes}
            on_document(done, len(entries))
    finally:
        lists.flush()
    heads = [each for each in heads if not _is_moved(each, moved)]
    names = {each.id: each.name for each in entries}
    ordered = sorted(_with_one_spelling(heads), key=lambda each: _order(each, names))
    return Listing(lists, ordered, unread)


@dataclass(frozen=True, slots=True)
class Listing:
    """What contracts bind their parties to.

    Attributes:
        lists: Where the obligations are.
        heads: Their heads, in order.
        unread: How many contracts were not read for them.
    """

    lists: ObligationLists
    heads: list[ObligationHead]
    unread: int

    @property
    def obligations(self) -> list[ContractObligation]:
        return self.lists.take(self.heads)


def _is_moved(each: ObligationHead, moved: Iterable[tuple[str, Span]]) -> bool:
    return any(document == each.document and span.overlaps(each.quote) for document, span in moved)


def _with_one_spelling(found: Sequence[ObligationHead]) -> Iterator[ObligationHead]:
    """Yield obligations with each party's name in one spelling, not all in capitals."""
    spellings: dict[str, Counter[str]] = {}
    for each in found:
        spellings.setdefault(party_key(each.party), Counter())[each.party] += 1
    chosen = {
        key: min(counts, key=lambda name: (name.isupper(), -counts[name], name))
        for key, counts in spellings.items()
    }
    for each in found:
        name = chosen[party_key(each.party)]
        yield each if name == each.party else each._replace(party=name)


def _order(each: ObligationHead, names: Mapping[str, str]) -> tuple[object, ...]:
    general = _GENERAL.index(each.party) + 1 if each.party in _GENERAL else 0
    return (
        each.whose != "ours",
        general,
        party_key(each.party),
        each.day or date.max,
        names[each.document],
        each.quote.start,
        each.action,
    )


def _list(
    own: Contract, amended: InForce | None, term: Term | None
) -> Iterator[ContractObligation]:
    """Yield what is found in the words in force, with its places in the contract."""
    contract, text = own if amended is None else amended.contract, own.text

    def place(span: Span) -> PlacedWords:
        return PlacedWords.from_span(span.text_in(text), span)

    def place_amended(span: Span, read: Span) -> AmendedWords:
        changes = () if amended is None else amended.revisions_at(read)
        words, own_words = read.text_in(contract.text), place(span)
        is_new = any(each.is_certain for each in changes) and words != own_words.text
        return AmendedWords.make(own_words, amended=words if is_new else None)

    for found in find_obligations(contract.text, contract.outline, contract.card, term):
        read = _show(found, contract)
        each = read if amended is None else _in_own_words(read, amended, own)
        if each is None:
            continue
        due = min((time for time in each.times if time.day), key=day_or_last, default=None)
        times = zip(each.times, read.times, strict=True)
        yield ContractObligation(
            party=_party(each),
            whose="",
            parties=each.actor.parties,
            called=each.actor.name,
            kind=each.kind,
            statement=_statement(read, contract.text),
            action=place(each.action),
            conditions=tuple(map(place_amended, each.conditions, read.conditions)),
            times=tuple(
                ObligationTime.make(
                    place_amended(time.span, now.span),
                    kind=time.kind,
                    day=time.day,
                    unless=time.unless or None,
                )
                for time, now in times
            ),
            day=due.day if due else None,
            unless=(due.unless if due else "") or None,
            document=own.id,
            name=own.name,
            title=title_in_letters(contract.card) or contract.name,
            where=_where(contract, read.action.start),
            quote=place(each.quote),
            lead=place(each.lead) if each.lead else None,
            changed_by=() if amended is None else _changes(read, amended),
            proposed=own.change_authors(*filter(None, (each.quote, each.action, each.lead))),
        )


def _in_own_words(each: Obligation, amended: InForce, contract: Contract) -> Obligation | None:
    """Return an obligation of the words in force with its place in the contract, if it has one."""
    own = amended.own_span(each.quote)
    if own is None or amended.restatement is not None:
        return None
    if not all(change.is_certain for change in amended.revisions_at(each.quote)):
        times = tuple(replace(time, day=None, unless="") for time in each.times)
        each = replace(each, times=times)
    each = _map_spans(each, lambda span: amended.own_span(span) or Span(own.end, own.end))
    return _show(each, contract)


def _changes(each: Obligation, amended: InForce) -> tuple[str, ...]:
    """Return the names of the amendments that change a sentence, each with its clause."""
    changes = amended.revisions_at(each.quote)
    names = (f"{c.name}, clause {c.place}" if c.place else c.name for c in changes)
    return tuple(dict.fromkeys(names))


def _statement(each: Obligation, text: str) -> str:
    """Return what must be done, or not, as "must pay"; unchanged if it has its own verb."""
    words, opening = strip_bracket(text, each.action), _opening(each, text)
    if each.lead is None:
        is_whole = each.action.start <= each.binding.start
        return " ".join(filter(None, (_subject(each, text), "" if is_whole else opening, words)))
    if each.opening is None:
        return f"{each.lead.text_in(text).rstrip(' :')}: {words}"
    return f"{opening} {words[:1].lower() if words[1:2].islower() else words[:1]}{words[1:]}"


def _subject(each: Obligation, text: str) -> str:
    """Return the words that identify the party, if it is the one in some position."""
    named = each.actor.span
    if each.actor.name != EITHER or named is None or each.lead is not None:
        return ""
    is_near = 0 < each.binding.start - named.start <= _LONGEST_SUBJECT
    return text[named.start : each.binding.start].strip(", \n") if is_near else ""


def _opening(each: Obligation, text: str) -> str:
    """Return "must", "must not" or "must refrain from", with the verb of a list's lead-in."""
    opened = each.opening.text_in(text).strip(" :\n") if each.opening else ""
    modal = MODALS[each.kind]
    if opened:
        return f"{modal} {opened}:"
    led = each.lead if each.lead and each.opening is not None else each.binding
    if led.text_in(text).rstrip(" :\n").endswith("from"):
        return "must refrain from"
    return f"{modal} be" if each.action.text_in(text).startswith("responsible") else modal


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


def _whose(each: ObligationHead, side: Side) -> Literal["ours", "theirs", ""]:
    """Return whether an obligation binds those for whom the contract is read."""
    if {*each.parties, each.called} & set(side.names):
        return "ours"
    return "theirs" if side.names and each.parties and not side.roles else ""


def _where(contract: Contract, offset: int) -> str:
    """Return the label of the innermost clause at a place that has one."""
    labels = [node.label for node in contract.path_at(offset) if node.label]
    return labels[-1] if labels else ""
