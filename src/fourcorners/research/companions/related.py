"""What else a contract says of a question around the clause that was found for it.

A question of two circumstances is often answered by two sentences of one clause, of which a search
finds the one that has most of its words; and what follows from a clause stands where it is referred
to by its number: "an assignment in violation of Section 10.2 is void".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fourcorners.outline.tree import Node, NodeKind
from fourcorners.research.answerability.similarity import stem_rarity
from fourcorners.research.context import ResearchContext
from fourcorners.search.graph import Located
from fourcorners.search.graph.contract import Contract
from fourcorners.search.sentences.units import PreparedDocument, document_cache
from fourcorners.search.stems import stems
from fourcorners.text.span import Span

MAX_SENTENCES = 2
"""Sentences of each sort."""
MAX_LENGTH = 500
"""Characters of a sentence that is brought along, at most."""
_BEST = 2  # of the words shown, those around which is looked
_LARGEST = 1_500  # characters of a clause that a reference to it is about
_PARTS = frozenset({NodeKind.ARTICLE, NodeKind.SCHEDULE})


@dataclass(frozen=True, slots=True)
class ContextSentence:
    """A sentence, and why it is there; `share` is how much of the question it adds, by rarity."""

    document: str
    span: Span
    because: str
    share: float


def find_uncovered(
    context: ResearchContext, asked: str, shown: Sequence[Located]
) -> Iterator[ContextSentence]:
    """Yield sentences of the clauses found that have words of the question which none shown has."""
    for document in dict.fromkeys(each.document for each in shown[:_BEST]):
        spans = [each.span for each in shown if each.document == document]
        units = document_cache(context.library).get(context.library, document)
        reading = context.read_contract(document)
        clauses = {_article(reading, span) for span in spans[:_BEST]} - {None}
        rows = [
            (unit.span, set(stems(unit.span.text_in(units.text))))
            for unit in units.units
            if len(unit.span) <= MAX_LENGTH
            and not any(unit.span.overlaps(span) for span in spans)
            and _article(reading, unit.span) in clauses
        ]
        yield from _adding(document, units, set(stems(asked)), spans, rows)


def _adding(
    document: str,
    units: PreparedDocument,
    asked: set[str],
    spans: Sequence[Span],
    rows: list[tuple[Span, set[str]]],
) -> Iterator[ContextSentence]:
    weight = {stem: stem_rarity(units, stem) for stem in asked & units.forms.keys()}
    whole = sum(weight.values()) or 1.0
    missing = weight.keys() - {stem for span in spans for stem in stems(span.text_in(units.text))}
    for _ in range(MAX_SENTENCES):
        best = max(rows, key=lambda row: sum(weight[s] for s in row[1] & missing), default=None)
        if best is None or not best[1] & missing:
            return
        share = sum(weight[stem] for stem in best[1] & missing) / whole
        yield ContextSentence(
            document, best[0], "is of the same clause, and speaks of it too", share
        )
        missing = missing - best[1]
        rows.remove(best)


def _article(reading: Contract, span: Span) -> int | None:
    """Return the article that holds a place, or what is highest above it where there is none."""
    node = reading.outline.node_at(span.start)
    if node is None:
        return None
    path = [*reading.outline.ancestors(node), node]
    return next((each.id for each in reversed(path) if each.kind in _PARTS), path[0].id)


def find_referring(context: ResearchContext, shown: Sequence[Located]) -> Iterator[ContextSentence]:
    """Yield sentences elsewhere that speak of the best clause found by its number."""
    for one in shown[:_BEST]:
        reading = context.read_contract(one.document)
        told: list[Span] = []
        for reference, node in reading.references_to(one.span):
            if not _is_meant(node, one.span):
                continue
            sentence = reading.sentence(reference.span)
            if len(sentence) <= MAX_LENGTH and not any(sentence.overlaps(other) for other in told):
                told.append(sentence)
        for span in told[:MAX_SENTENCES]:
            because = f"speaks of {reading.locate(one.span)} by its number"
            yield ContextSentence(one.document, span, because, 0.0)


def _is_meant(node: Node, span: Span) -> bool:
    return node.kind not in _PARTS and len(node.span) <= max(_LARGEST, 2 * len(span))
