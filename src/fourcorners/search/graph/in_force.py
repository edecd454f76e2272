"""The words of a contract that are in force: its text with the changes of its amendments.

The amended text exists only to be read. What is found in it has its place in the contract, and in
the amendments whose words it contains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from fourcorners.documents.document import Document, MarkKind
from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.memory import VersionedCache
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card, Fact, Value
from fourcorners.outline.card.read import read_card
from fourcorners.outline.card.term import changes_term, day_of
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.search.graph.changes import CitedChange
from fourcorners.search.graph.dates import (
    effective_day,
    has_other_days,
    is_conditional,
    restatement_span,
)
from fourcorners.search.graph.links import AmendmentLink, amendments_of, day_made
from fourcorners.search.graph.revisions import ClauseRevision, marker, new_numbers, read_edits
from fourcorners.search.graph.statements import AmendmentRelation
from fourcorners.text.span import Span
from fourcorners.text.values.periods import Period, describe_period

_OF_TERM = ("end", "renewal", "notice")  # the values of a card about the contract's term


@dataclass(frozen=True, slots=True)
class Revision:
    """What another document does to words of a contract.

    Attributes:
        document: The amending document.
        place: The clause of the amendment, if it has a number, and the day from which it counts,
            if that is to come.
        span: The words that make the change, in the amending document.
        old: The words that go; those of the clause where it is not certain which.
        removes: Whether these words are no longer in force.
        is_certain: Whether the words in force contain the change; else a person must read both.
    """

    document: str
    name: str
    place: str
    span: Span
    old: Span
    removes: bool
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words of the amended text, and the changes behind them.

    Attributes:
        source: Their place in the contract; None if they are an amendment's.
        old: The words of the contract whose place they take.
    """

    words: str
    source: Span | None
    old: Span | None = None
    by: tuple[Revision, ...] = ()


@dataclass(frozen=True, slots=True)
class InForce:
    """A contract with its amendments.

    Attributes:
        contract: The amended text, to be read; its spans are not those of the document.
        card: The card of the contract as amended; its spans are those of the document.
        revisions: The changes, in the order of their dates.
        restatement: What takes the place of the whole contract, if anything does.
        term_changes: The changes to words about the contract's term.
    """

    contract: Contract
    card: Card
    revisions: tuple[Revision, ...]
    restatement: Revision | None
    pieces: tuple[_Piece, ...]
    term_changes: tuple[Revision, ...]

    def own_span(self, span: Span) -> Span | None:
        """Return the words of the document from which amended words come, or which they replace."""
        return _own_span(self.pieces, span)

    def last_change(self, span: Span) -> Revision | None:
        """Return the last change to words of the document; None if they are in force."""
        in_force = [each.source for each in self.pieces if each.source]
        if any(source.contains(span) for source in in_force):
            return None
        changes = (each for each in self.revisions if each.removes and each.old.overlaps(span))
        return max(changes, key=self.revisions.index, default=None)

    def current_words(self, document: str, span: Span) -> tuple[str, Span] | None:
        """Return what is in force instead of words of an amendment: the document and its words."""
        for piece in self.pieces:
            if any(r.document == document and r.span.overlaps(span) for r in piece.by[:-1]):
                last = piece.by[-1]
                own = piece.source and (self.contract.id, piece.source)
                return own or (last.document, last.span)
        return None

    def revisions_at(self, span: Span) -> list[Revision]:
        """Return the changes behind words of the amended text, and those left to a person."""
        by = {each for piece, _ in _pieces_at(self.pieces, span) for each in piece.by}
        own = self.own_span(span)
        return [
            each
            for each in self.revisions
            if each in by or (own and not each.is_certain and each.old.overlaps(own))
        ]


def read_in_force(
    library: Library,
    document: str,
    among: Collection[str] | None = None,
    as_of: date | None = None,
) -> InForce | None:
    """Return a contract as amended by others (only those `among` some); None if none does.

    A change that takes effect after `as_of`, by default today, is not in force yet.
    """
    amending = [
        each for each in amendments_of(library, document) if among is None or each[1].id in among
    ]
    if not amending:
        return None
    day = as_of or datetime.now(UTC).date()
    made_from = [document, *(each.id for _, each in amending)]
    known: VersionedCache[InForce] = library.memory.cache("in force")
    return known.get(
        "",
        (day, *((each, library.state_of(each)) for each in made_from)),
        lambda: _amend(read_contract(library, document), amending, day),
    )


def card_in_force(library: Library, document: str, as_of: date | None = None) -> Card:
    """Return the card of a contract as amended on a day, by default today."""
    amended = read_in_force(library, document, as_of=as_of)
    return library.card(document) if amended is None else amended.card


def _amend(
    contract: Contract, amending: Sequence[tuple[AmendmentLink, Contract]], today: date
) -> InForce:
    pieces, current = [_Piece(contract.text, Span(0, len(contract.text)))], contract
    revisions: list[Revision] = []
    longer: list[tuple[Revision, Period | date]] = []
    restatement, is_numbered, words = None, True, dict[tuple[str, Span], str]()
    later = set[Revision]()  # not yet in effect
    for link, reading in amending:
        if link.relation is not AmendmentRelation.AMENDS:
            span, is_certain = restatement_span(reading, link, today)
            whole = _revision(reading, span, span.start, Span(0, len(contract.text)))
            whole = replace(whole, removes=is_certain, is_certain=is_certain)
            restatement = whole if whole.is_certain else restatement
            revisions += [] if whole.is_certain else [whole]
            continue
        before, free = pieces, len(current.text)
        made = day_made(link, reading)
        is_ordered = is_numbered and (len(amending) == 1 or made is not None)
        is_ordered = is_ordered and not is_conditional(reading)
        edits = sorted(read_edits(reading, link, current), key=_place, reverse=True)
        for change, edit in edits:
            day = effective_day(reading, change) or made
            is_later = day is not None and day > today
            old = _own_span(before, edit.span or edit.clause) or Span(0, 0)
            if edit.clause == Span(0, len(current.text)):
                old = Span(0, len(contract.text))
            if edit.is_beside:
                old = Span(old.end, old.end)
            first = _first_wording(contract, change) if edit.restores else None
            is_certain = (
                is_ordered
                and edit.is_certain
                and edit.span.end <= free
                and not has_other_days(reading, change, edit, day, today)
                and (not edit.restores or bool(first))
            )
            revision = replace(
                _revision(reading, change.span, change.cited.start, old),
                removes=is_certain and bool(edit.span) and not is_later,
                is_certain=is_certain,
            )
            if day and is_later:
                place = f"{revision.place}, from {day.day} {day:%B %Y}".removeprefix(", ")
                revision = replace(revision, place=place)
            words[revision.document, revision.span] = change.span.text_in(reading.text)
            later |= {revision} if is_later else set()
            revisions.append(revision)
            if not is_certain or is_later:
                continue
            free = edit.span.start
            new = edit.words.text_in(reading.text) if edit.words else ""
            if first:
                piece = _Piece(first.text_in(contract.text), first, None, (revision,))
            else:
                piece = _Piece(edit.lead + new, None, old if edit.span else None, (revision,))
            pieces = list(_apply(pieces, edit.span, piece))
            longer += [(revision, edit.extends)] if edit.extends else []
        if pieces is not before:
            current = _read(contract.document, pieces)
        numbers = new_numbers(reading)
        if numbers:
            pieces = _renumber(pieces, current, numbers)
            current = _read(contract.document, pieces)
        is_numbered = is_numbered and numbers is not None
    of_term = tuple(
        replace(each, is_certain=each.is_certain and each not in later)
        for each in revisions
        if _is_of_term(each, contract.card)
        or changes_term(words.get((each.document, each.span), ""))
    )
    is_known = restatement is None and all(each.is_certain for each in of_term)
    card = _card(contract, current, pieces, longer, is_known=is_known)
    of_term = of_term if restatement is None else (*of_term, replace(restatement, is_certain=False))
    if current is contract:  # which its connection opened: what is shared must not hold it
        current = _read(contract.document, pieces)
    return InForce(current, card, tuple(revisions), restatement, tuple(pieces), of_term)


def _place(each: tuple[CitedChange, ClauseRevision]) -> Span:
    return each[1].span


def _renumber(
    pieces: Sequence[_Piece], current: Contract, numbers: Mapping[str, str]
) -> list[_Piece]:
    for node in reversed(current.outline.nodes):
        old = node.label.partition(".")[0]
        if old in numbers and current.text.startswith(old, node.span.start):
            number = Span(node.span.start, node.span.start + len(old))
            piece = _Piece(numbers[old], None, _own_span(pieces, number))
            pieces = [*_apply(pieces, number, piece)]
    return [*pieces]


def _revision(reading: Contract, span: Span, cited: int, old: Span) -> Revision:
    labels = [node.label for node in reading.path_at(cited) if node.label]
    words = span.text_in(reading.text)
    place = labels[-1] if labels else words[: marker(words)].strip(" .)(")
    return Revision(reading.id, reading.name, place, span, old, removes=True)


def _first_wording(contract: Contract, change: CitedChange) -> Span | None:
    at = change.find(contract.labels)
    return None if at is None else contract.outline.nodes[at].span.strip(contract.text)


def _apply(pieces: Sequence[_Piece], span: Span, new: _Piece) -> Iterator[_Piece]:
    """Yield the pieces of a text with some of its words replaced."""
    gone = [each for each, _ in _pieces_at(pieces, span)] if span else []
    by = dict.fromkeys(each for piece in gone for each in piece.by)
    new, at, is_placed = replace(new, by=(*by, *new.by)), 0, False
    for piece in pieces:
        end = at + len(piece.words)
        cut = Span(max(at, min(span.start, end)) - at, max(at, min(span.end, end)) - at)
        if cut.start or not piece.words:
            yield _part(piece, Span(0, cut.start))
        if not is_placed and span.start <= end:
            is_placed = True
            yield new
        if cut.end < len(piece.words):
            yield _part(piece, Span(cut.end, len(piece.words)))
        at = end


def _part(piece: _Piece, part: Span) -> _Piece:
    source = piece.source and part.shift(piece.source.start)
    return replace(piece, words=part.text_in(piece.words), source=source)


def _pieces_at(pieces: Sequence[_Piece], span: Span) -> Iterator[tuple[_Piece, Span]]:
    """Yield the pieces of which a span has words, or which it contains empty, with the part."""
    at = 0
    for piece in pieces:
        end = at + len(piece.words)
        if span.start < end and at < span.end:
            yield piece, Span(max(span.start, at) - at, min(span.end, end) - at)
        elif not piece.words and span.start <= at <= span.end:
            yield piece, Span(0, 0)
        at = end


def _own_span(pieces: Sequence[_Piece], span: Span) -> Span | None:
    own = [
        part.shift(piece.source.start) if piece.source else piece.old
        for piece, part in _pieces_at(pieces, span)
        if piece.words
    ]
    spans = [each for each in own if each]
    return Span(min(spans).start, max(each.end for each in spans)) if spans else None


def _read(document: Document, pieces: Sequence[_Piece]) -> Contract:
    """Read an amended text. Marks and pages are kept for the words that remain."""
    text = "".join(piece.words for piece in pieces)

    def place(span: Span) -> Span:
        return Span(_new_place(pieces, span.start), _new_place(pieces, span.end))

    amended = replace(
        document,
        text=text,
        pages=tuple(replace(each, span=place(each.span)) for each in document.pages),
        marks=tuple(
            replace(each, span=place(each.span))
            for each in document.marks
            if each.kind not in (MarkKind.HIDDEN, MarkKind.DELETED)
        ),
        words=(),
    )
    outline = build_outline(amended)
    cut = cut_passages(amended, outline)
    return Contract.build(amended, outline, read_card(amended, outline), cut)


def _new_place(pieces: Sequence[_Piece], offset: int) -> int:
    at = 0
    for piece in pieces:
        if piece.source and not piece.by and offset <= piece.source.end:
            return at + max(0, offset - piece.source.start)
        at += len(piece.words)
    return at


def _card(
    contract: Contract,
    current: Contract,
    pieces: Sequence[_Piece],
    longer: Sequence[tuple[Revision, Period | date]],
    *,
    is_known: bool,
) -> Card:
    """Return the facts of a contract's card that its amendments change, as amended."""
    if longer:  # the words of an extension are computed with, not read
        added = {each for each, _ in longer}
        pieces = [each for each in pieces if each.source or not added.intersection(each.by)]
        current = _read(contract.document, pieces)
    new = current.card
    values = [
        replace(
            each,
            span=_anchor(pieces, each.span),
            parts=tuple(_anchor(pieces, part) for part in each.parts),
        )
        for each in new.values
    ]
    for _, by in longer:
        values = [_extend(each, by) if each.kind == "end" else each for each in values]
    if not is_known:
        values = [replace(each, asserted=False) for each in values]
    end = next((each for each in values if each.kind == "end" and each.asserted), None)
    day = day_of(end)
    law, effective = new.governing_law, new.effective_date
    return replace(
        contract.card,
        values=tuple(values),
        effective_date=effective and replace(effective, span=_anchor(pieces, effective.span)),
        governing_law=law and replace(law, span=_anchor(pieces, law.span)),
        renewal=new.renewal and replace(new.renewal, span=_anchor(pieces, new.renewal.span)),
        expiry_date=Fact(day, end.span, end.confidence) if end and day else None,
    )


def _anchor(pieces: Sequence[_Piece], span: Span) -> Span:
    """Return the words of the document for some that are read in the amended text."""
    by = [each for piece, _ in _pieces_at(pieces, span) for each in piece.by]
    return _own_span(pieces, span) or (by[0].old if by else Span(0, 0))


def _extend(end: Value, by: Period | date) -> Value:
    if isinstance(by, date):
        return replace(end, text=by.isoformat(), arithmetic="")
    day = day_of(end)
    if day is None:
        return replace(end, asserted=False)
    arithmetic = f"{end.arithmetic or day} + {describe_period(by)}"
    return replace(end, text=by.shift(day).isoformat(), arithmetic=arithmetic)


def _is_of_term(revision: Revision, card: Card) -> bool:
    spans = [each.span for each in card.values if each.kind in _OF_TERM]
    spans += [card.renewal.span] if card.renewal else []
    return any(revision.old.overlaps(span) for span in spans)
