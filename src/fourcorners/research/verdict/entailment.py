"""Yes or no by the entailment model: whether a contract bears out the statement of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fourcorners.models.entailment.spans import split_items
from fourcorners.models.entailment.unseen import HypothesisGuide
from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners.research.context import ResearchContext
from fourcorners.review.risk.rules import query_boosts
from fourcorners.search.concepts import Concept
from fourcorners.search.sentences.retrieve import Snippet
from fourcorners.search.sentences.units import document_cache
from fourcorners.text.span import Span

MAX_SPANS_LENGTH = 600
"""Pieces of a contract that are read whole; of a longer one those around what was found."""
_AROUND = 3_000  # characters on either side of what was found
_EVIDENCE = 0.15  # from which a span is the evidence


@dataclass(frozen=True, slots=True)
class EntailmentJudgement:
    """Whether a statement is borne out: `label` None where the model is not sure enough.

    Attributes:
        scores: The probabilities that the contract entails, contradicts or does not mention it.
        evidence: The spans that show it, best first.
    """

    document: str
    label: Label | None
    scores: tuple[float, float, float]
    evidence: tuple[Span, ...]


def judge_statement(
    context: ResearchContext,
    statement: str,
    snippets: Sequence[Snippet],
    concepts: Sequence[Concept],
) -> EntailmentJudgement | None:
    """Judge a statement by the contract of the best snippet; None if there is nothing to read."""
    from fourcorners.models.entailment.model import load_entailment

    if not statement or not snippets or context.encoder is None:
        return None
    document = snippets[0].document
    units = document_cache(context.library).get(context.library, document)
    spans = split_items(units.text, [unit.span for unit in units.units])
    if len(spans) > MAX_SPANS_LENGTH:
        near = [each.span for each in snippets if each.document == document]
        spans = [
            span for span in spans if any(abs(span.start - each.start) < _AROUND for each in near)
        ]
    if not spans:
        return None
    model = load_entailment()
    guide = None
    if concepts and model.known_hypothesis(statement) is None:
        texts = [span.text_in(units.text) for span in spans]
        guide = HypothesisGuide(query_boosts(concepts[0].query, texts), concepts[0].clauses)
    verdict = model.judge(units.text, spans, [statement], [guide])[0]
    at = LABELS.index(verdict.label)
    others = verdict.scores[:at] + verdict.scores[at + 1 :]
    sure = verdict.scores[at] - max(others) >= verdict.margin
    return EntailmentJudgement(
        document,
        verdict.label if sure else None,
        verdict.scores,
        tuple(spans[place] for place, chance in verdict.evidence[:3] if chance >= _EVIDENCE),
    )
