"""`Contract`: a contract, opened; each part of it is read, or computed, when it is first used."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fourcorners.documents.change_marks import (
    TrackedChange,
    find_tracked_changes,
    name_change_authors,
)
from fourcorners.documents.document import Document
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.memory import VersionedCache
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.party_names import ROLES
from fourcorners.outline.exclusions import (
    Exclusion,
    ExclusionKind,
    blank_text,
    document_exclusions,
    longest_shown,
)
from fourcorners.outline.passages.concordance import Concordance
from fourcorners.outline.passages.cut import Unit
from fourcorners.outline.references.labels import LabelIndex
from fourcorners.outline.terms import TermFinder
from fourcorners.outline.tree import CrossReference, DefinedTerm, Node, NodeKind, Outline, Passage
from fourcorners.text import evidence
from fourcorners.text.patterns import load_patterns
from fourcorners.text.quote import Quote
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_OPENING = 1_500
"""Characters of a clause that is shown whole; a longer one is cut to its first sentences."""

# Terms that every contract defines; their definitions are not informative.
_GENERAL = frozenset((
    "affiliate", "affiliates", "agreement", "amendment", "and", "article", "business", "company",
    "contract", "date", "day", "effective", "exhibit", "law", "laws", "letter", "of", "or", "our",
    "parties", "party", "person", "recital", "recitals", "schedule", "section", "term", "the",
    "us", "we", "you", "your",
))  # fmt: skip
_LONG = 900  # characters of a definition in running text, beyond which its sentence is shown
_HEADS = re.compile(r"[^\S\n]*(?:\(?\w{1,6}[.)]\s*)?[*_\"“‘']*(?:[Tt]he\s)?")
_PATTERNS = load_patterns("fourcorners.library", "contract")
_BY_REFERENCE = _PATTERNS["by_reference"]

Value = TypeVar("Value")


class _Part(Generic[Value]):
    """A property whose value is shared by all connections that open the contract."""

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make, self._name, self.__doc__ = make, make.__name__, make.__doc__

    def __get__(self, contract: Contract, owner: type[Contract]) -> Value:
        return contract.compute(self._name, lambda: self._make(contract))


class Contract:
    """A contract of a library, or one that was just read (`Contract.build`).

    It belongs to the connection that opened it. What it holds is shared with other connections, so
    it must not refer to the contract.
    """

    def __init__(
        self, library: Catalogue | None, document: str, parts: dict[Hashable, Any] | None = None
    ) -> None:
        self._library = library
        self._parts: dict[Hashable, Any] = {} if parts is None else parts
        self.id = document

    @classmethod
    def build(
        cls,
        document: Document,
        outline: Outline,
        card: Card,
        passages: Iterable[Passage],
        vectors: NDArray[np.float32] | None = None,
    ) -> Contract:
        """Return a contract that is in no library; the vectors are in the order of the spans."""
        ordered = tuple(sorted(passages, key=lambda passage: passage.span))
        exclusions = document_exclusions(document, outline)
        parts: dict[Hashable, Any] = {
            "text": blank_text(document.text, exclusions),
            "outline": outline,
            "card": card,
            "passages": ordered,
            "vectors": vectors,
            "exclusions": exclusions,
            "concordance": Concordance.build(document.text, ordered, exclusions),
        }
        contract = cls(None, document.id, parts)
        vars(contract).update(document=document, name=document.name, full_text=document.text)
        return contract

    def compute(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, computed once for all connections."""
        if key not in self._parts:
            self._parts[key] = make()
        value: Value = self._parts[key]
        return value

    @property
    def library(self) -> Catalogue:
        if self._library is None:
            raise LookupError(f"{self.id} is in no library")
        return self._library

    @cached_property
    def document(self) -> Document:
        """The document as it was read; its text includes what is not evidence."""
        return self.library.document(self.id)

    @cached_property
    def full_text(self) -> str:
        """The text of the document, including what is not evidence."""
        return self.library.text(self.id)

    @cached_property
    def name(self) -> str:
        return self.library.name_of(self.id)

    @_Part
    def text(self) -> str:
        """The text, with white space in place of what is not evidence."""
        return blank_text(self.full_text, self.exclusions)

    @_Part
    def outline(self) -> Outline:
        return self.library.outline(self.id)

    @_Part
    def card(self) -> Card:
        return self.library.card(self.id)

    @_Part
    def exclusions(self) -> tuple[Exclusion, ...]:
        """What is not evidence, in order and disjoint."""
        return self.library.exclusions(self.id)

    @_Part
    def tracked_changes(self) -> tuple[TrackedChange, ...]:
        return find_tracked_changes(self.document)

    def change_authors(self, *spans: Span) -> tuple[str, ...]:
        """Return the authors whose tracked changes some of these words are."""
        names = (name for each in spans for name in name_change_authors(self.tracked_changes, each))
        return tuple(dict.fromkeys(names))

    @property
    def unseen(self) -> list[Span]:
        """The exclusions except tables of contents, for naming places."""
        return [each.span for each in self.exclusions if each.kind is not ExclusionKind.CONTENTS]

    @_Part
    def passages(self) -> tuple[Passage, ...]:
        """The passages in order of position; they are disjoint."""
        return tuple(sorted(self._passages_by_ordinal, key=lambda passage: passage.span))

    @_Part
    def _passages_by_ordinal(self) -> list[Passage]:
        return self.library.passages(self.id)

    @_Part
    def vectors(self) -> NDArray[np.float32] | None:
        """One row for each passage (unit length); None where the library has none."""
        import numpy as np

        found = self.library.vectors(document=self.id).matrix
        if not len(found) or len(found) != len(self._passages_by_ordinal):
            return None
        order = sorted(range(len(found)), key=lambda at: self._passages_by_ordinal[at].span)
        return found[np.array(order, np.intp)]

    @_Part
    def headings(self) -> tuple[tuple[Span, ...], ...]:
        """For each passage, the spans of the headings above it, the outermost first."""
        return tuple(self._headings_above(passage) for passage in self.passages)

    def _headings_above(self, passage: Passage) -> tuple[Span, ...]:
        if passage.node is None:
            return ()
        node = self.outline.nodes[passage.node]
        path = [*self.outline.ancestors(node), node]
        return tuple(step.heading for step in path if step.heading)

    @_Part
    def concordance(self) -> Concordance:
        return self.library.concordance(self.id)

    @property
    def sentences(self) -> tuple[Unit, ...]:
        return self.concordance.units

    @property
    def index(self) -> WordIndex:
        return self.concordance.index

    def sentence_at(self, offset: int) -> int | None:
        """Return the position of the sentence that covers a character."""
        at = bisect_right(self.sentences, offset, key=lambda each: each.span.start) - 1
        return at if at >= 0 and offset < self.sentences[at].span.end else None

    def quote(self, span: Span) -> Quote:
        """Return the words at a span, verified: the longest part that is evidence."""
        shown = longest_shown(span, self.exclusions, self.full_text)
        quote = evidence.quote_span(self.full_text, shown)
        evidence.verify_quote(quote, self.full_text)
        return quote

    @_Part
    def labels(self) -> LabelIndex:
        return LabelIndex(self.text, self.outline.nodes)

    @_Part
    def _unspecific(self) -> frozenset[str]:
        named = {fact.value.short for fact in self.card.parties}
        named |= {fact.value.name for fact in self.card.parties}
        return frozenset(_fold(name) for name in (*named, *ROLES))

    @_Part
    def definitions(self) -> dict[str, DefinedTerm]:
        """The informative defined terms, each with its best definition.

        Parties, roles and what every contract defines are left out; a definition that only refers
        to another is replaced by that one.
        """
        best: dict[str, DefinedTerm] = {}
        for term in self.outline.terms:
            fold = _fold(term.term)
            if not fold or fold in self._unspecific or set(fold.split()) <= _GENERAL:
                continue
            known = best.get(fold)
            if known is None or (
                _BY_REFERENCE.search(known.definition.text_in(self.text))
                and not _BY_REFERENCE.search(term.definition.text_in(self.text))
            ):
                best[fold] = term
        return best

    @_Part
    def term_lines(self) -> list[int]:
        """The starts of lines that begin with a defined term, as in a list of definitions."""
        lines = []
        for term in self.outline.terms:
            line = self.text.rfind("\n", 0, term.span.start) + 1
            if _HEADS.fullmatch(self.text, line, term.span.start):
                lines.append(line)
        return sorted(lines)

    def definition(self, term: DefinedTerm) -> Span:
        """Return the words that define a term, without its neighbours in a list of definitions."""
        span = term.definition
        at = bisect_right(self.term_lines, term.span.start)
        line = self.term_lines[at - 1] if at else -1
        if line > self.text.rfind("\n", 0, term.span.start):
            after = self.term_lines[at] if at < len(self.term_lines) else span.end
            span = Span(max(span.start, line), max(term.span.end, min(span.end, after)))
        elif len(span) > _LONG:
            span = self.sentence(term.span)
        return span.strip(self.text)

    @_Part
    def _finder(self) -> TermFinder:
        far = len(self.text) + 1  # outside all examined words
        return TermFinder(
            [
                DefinedTerm(term.term, Span(far, far), term.definition)
                for term in self.definitions.values()
            ]
        )

    @_Part
    def _specific(self) -> tuple[DefinedTerm, ...]:
        return tuple(self.definitions.values())

    @_Part
    def attachments(self) -> tuple[Node, ...]:
        """The exhibits and schedules that are not within another part."""
        top = self.outline.children(None)
        return tuple(node for node in top if node.kind is NodeKind.SCHEDULE)

    def uses(self, words: str) -> list[tuple[DefinedTerm, int]]:
        """Return the terms defined here that words use, with the document's count of each."""
        used = dict.fromkeys(use.term for use in self._finder.find(words))
        terms = [self._specific[at] for at in used]
        return [
            (each, self.compute(("uses", each.term), partial(self.text.count, each.term)))
            for each in terms
        ]

    @_Part
    def _references(self) -> list[tuple[CrossReference, Node]]:
        nodes = self.outline.nodes
        return [
            (reference, nodes[reference.target])
            for reference in self.outline.references
            if reference.target is not None
        ]

    def references_from(self, span: Span) -> list[tuple[CrossReference, Node]]:
        return [each for each in self._references if span.contains(each[0].span)]

    def references_to(self, span: Span) -> list[tuple[CrossReference, Node]]:
        """Return the references elsewhere to a clause with some of these words."""
        return [
            (reference, node)
            for reference, node in self._references
            if node.span.overlaps(span)
            and not reference.span.overlaps(span)
            and node.kind is not NodeKind.TITLE
        ]

    def locate(self, span: Span) -> str:
        """Return the citation of the place of words: `4.1`, or the document's name."""
        node = self.outline.node_at(span.start)
        while node is not None and not (node.label and len(node.span) * 2 > len(span)):
            node = self.outline.nodes[node.parent] if node.parent is not None else None
        return f"{node.label} of {self.name}" if node else self.name

    def path_at(self, offset: int) -> list[Node]:
        """Return the nodes that contain a place, from the top down."""
        node = self.outline.node_at(offset)
        return [] if node is None else [*self.outline.ancestors(node), node]

    def opening(self, span: Span) -> Span:
        """Return a clause, or the first sentences of a long one."""
        span = span.strip(self.text)
        if len(span) <= MAX_OPENING:
            return span
        end = span.start
        for part in split_sentences(self.text, Span(span.start, span.start + MAX_OPENING)):
            if part.end < span.start + MAX_OPENING:
                end = part.end
        if end == span.start:  # one long sentence: whole words of it
            end = self.text.rfind(" ", span.start + MAX_OPENING // 2, span.start + MAX_OPENING)
        return Span(span.start, end if end > span.start else span.start + MAX_OPENING)

    def sentence(self, span: Span) -> Span:
        """Return the sentence around words, within their clause."""
        node = self.outline.node_at(span.start)
        low, high = max(0, span.start - MAX_OPENING), min(len(self.text), span.end + MAX_OPENING)
        if node is not None:
            low, high = max(low, node.span.start), max(span.end, min(high, node.span.end))
        for part in split_sentences(self.text, Span(low, high)):
            if part.start <= span.start < part.end:
                return Span(part.start, max(part.end, span.end))
        return span


def read_contract(library: Catalogue, document: str) -> Contract:
    """Open a contract; what connections read of those used last stays, until it changes.

    Raises:
        ConfigError: If there is none with this id.
    """
    known: VersionedCache[dict[Hashable, Any]] = library.memory.get_or_make(
        "contracts", lambda: VersionedCache(library.memory.documents)
    )
    return Contract(library, document, known.get("", (document, library.state_of(document)), dict))


def _fold(term: str) -> str:
    return " ".join(term.casefold().removeprefix("the ").split())
