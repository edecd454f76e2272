"""A document and the edges within it, cached for the most recently used documents."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import as_string
from fourcorners.library.memory import VersionedCache
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.party_names import ROLES
from fourcorners.outline.exclusions import Exclusion
from fourcorners.outline.references.labels import LabelIndex
from fourcorners.outline.terms import TermFinder
from fourcorners.outline.tree import CrossReference, DefinedTerm, Node, NodeKind, Outline
from fourcorners.search.graph.changes import ClauseChange, parse_changes
from fourcorners.search.stems import word_list
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

MAX_OPENING = 1_500
"""Characters of a clause that is shown whole; a longer one is cut to its first sentences."""

_GENERAL = word_list("general")
_LONG = 900  # characters of a definition in running text, beyond which its sentence is shown
_HEADS = re.compile(r"[^\S\n]*(?:\(?\w{1,6}[.)]\s*)?[*_\"“‘']*(?:[Tt]he\s)?")
_PATTERNS = load_patterns("fourcorners.search.graph", "contract")
_BY_REFERENCE = _PATTERNS["by_reference"]


@dataclass(frozen=True, eq=False)
class Contract:
    """A document with its outline, and what is computed from them on demand.

    Attributes:
        text: The text, with white space in place of what is not evidence.
        exclusions: What is not evidence, in order and disjoint.
    """

    document: str
    name: str
    text: str
    outline: Outline
    card: Card
    exclusions: tuple[Exclusion, ...] = ()

    @cached_property
    def labels(self) -> LabelIndex:
        return LabelIndex(self.text, self.outline.nodes)

    @cached_property
    def changes(self) -> tuple[ClauseChange, ...]:
        return parse_changes(self.text)

    @cached_property
    def _unspecific(self) -> frozenset[str]:
        named = {fact.value.short for fact in self.card.parties}
        named |= {fact.value.name for fact in self.card.parties}
        return frozenset(_fold(name) for name in (*named, *ROLES))

    @cached_property
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

    @cached_property
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

    @cached_property
    def _finder(self) -> TermFinder:
        far = len(self.text) + 1  # outside all examined words
        return TermFinder(
            [
                DefinedTerm(term.term, Span(far, far), term.definition)
                for term in self.definitions.values()
            ]
        )

    @cached_property
    def _specific(self) -> tuple[DefinedTerm, ...]:
        return tuple(self.definitions.values())

    @cached_property
    def _times(self) -> dict[str, int]:
        return {}

    def _count(self, term: str) -> int:
        if term not in self._times:
            self._times[term] = self.text.count(term)
        return self._times[term]

    @cached_property
    def attachments(self) -> tuple[Node, ...]:
        """The exhibits and schedules that are not within another part."""
        top = self.outline.children(None)
        return tuple(node for node in top if node.kind is NodeKind.SCHEDULE)

    def uses(self, words: str) -> list[tuple[DefinedTerm, int]]:
        """Return the terms defined here that words use, with the document's count of each."""
        used = dict.fromkeys(use.term for use in self._finder.find(words))
        return [(self._specific[at], self._count(self._specific[at].term)) for at in used]

    @cached_property
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

    def is_changed_document(self, raw: str, span: Span) -> bool:
        """Return whether a reference is to the document that this one changes."""
        return any(change.cited.overlaps(span) for change in self.changes) if raw else False

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
    """Read a document, from memory if it was read before and nothing has changed."""
    known: VersionedCache[Contract] = library.memory.cache("contracts")
    return known.get(library.content_version, document, lambda: _read(library, document))


def _read(library: Catalogue, document: str) -> Contract:
    text = library.evidence_text(document)
    name = library.execute("SELECT name FROM documents WHERE id = ?", (document,))[0][0]
    return Contract(
        document,
        as_string(name),
        text,
        library.outline(document),
        library.card(document),
        library.exclusions(document),
    )


def _fold(term: str) -> str:
    return " ".join(term.casefold().removeprefix("the ").split())
