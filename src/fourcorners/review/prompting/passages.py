"""Choose the passages of a contract that a language model reads for a provision."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.library.contract import Contract
from fourcorners.outline.clause import enclosing_clause
from fourcorners.playbooks.passages.ranking import (
    RankedContract,
    RankingTarget,
    default_weights,
    ranking_signals,
    score_sentences,
    sentence_weights,
    weights_key,
)
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.finding import Finding
from fourcorners.review.prompting.settings import PromptProfile, PromptSettings
from fourcorners.search.query.tree import And, Node, Or, Phrase, Prefix, Proximity, Query, Word
from fourcorners.text.span import Span, merge_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK, OVERLAP = 3_500, 700
MAX_PROPOSALS = 12  # of a cell that a model is shown
MAX_KEYWORDS = 20  # of a query that a model is given
_LIKELY = 0.02  # probability from which a candidate of the reader comes before the queries' best
_LABEL = re.compile(r"[\w.()]{1,12}")


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """A passage that a model is given, with its name."""

    span: Span
    label: str


def rank_passages(
    reading: Contract,
    contract: RankedContract,
    wanted: RankingTarget,
    draft: Finding,
    asking: PromptSettings,
) -> list[Span]:
    """Return the passages for a cell, the best first."""
    if asking.passages is None:
        whole = Span(0, len(reading.text)).strip(reading.text)
        return [whole] if whole else []
    if asking.profile is PromptProfile.PAPER:
        parts, worth = _worth(contract, wanted)
        return rank_chunks(len(contract.text), parts, worth)[: asking.passages]
    return _clauses(reading, contract, wanted, draft, asking.passages)


def order_passages(
    reading: Contract, ranked: Sequence[Span], asking: PromptSettings
) -> list[PromptPassage]:
    """Return ranked passages as they are given: in the order of the document, chunks merged."""
    if asking.passages is None:
        return [PromptPassage(span, "the whole contract") for span in ranked]
    ordered = merge_spans(ranked) if asking.profile is PromptProfile.PAPER else sorted(ranked)
    return name_passages(reading, ordered)


def name_passages(reading: Contract, spans: Iterable[Span]) -> list[PromptPassage]:
    """Return passages with what the program calls each; those without words fall away."""
    held = filter(None, (span.strip(reading.text) for span in spans))
    return [PromptPassage(span, _name_place(reading, at, span)) for at, span in enumerate(held, 1)]


def fixed_chunks(length: int, size: int = CHUNK, overlap: int = OVERLAP) -> list[Span]:
    step = size - overlap
    count = 1 + max(0, -(-(length - size) // step))
    return [Span(at * step, min(length, at * step + size)) for at in range(count)]


def _worth(
    contract: RankedContract, wanted: RankingTarget
) -> tuple[Sequence[Span], NDArray[np.float64]]:
    weighing = default_weights()[weights_key(contract, wanted)]
    return sentence_weights(contract, score_sentences(ranking_signals(contract, wanted), weighing))


def rank_chunks(length: int, parts: Sequence[Span], worth: NDArray[np.float64]) -> list[Span]:
    """Return chunks of a fixed length by the worth of the parts whose middles lie in them."""
    import numpy as np

    middles = np.array([(part.start + part.end) / 2 for part in parts])
    total = np.concatenate([[0.0], np.cumsum(worth)])
    chunks = fixed_chunks(length)
    first = np.searchsorted(middles, [chunk.start for chunk in chunks])
    beyond = np.searchsorted(middles, [chunk.end for chunk in chunks])
    totals = (total[beyond] - total[first]).tolist()
    order = sorted(range(len(chunks)), key=lambda at: (-totals[at], at))
    return [chunks[at] for at in order]


def _clauses(
    reading: Contract,
    contract: RankedContract,
    wanted: RankingTarget,
    draft: Finding,
    most: int,
) -> list[Span]:
    text = reading.text
    found: list[Span] = []
    for span in _promising(contract, wanted, draft, most):
        clause = enclosing_clause(reading.outline, text, span)
        if any(each.contains(clause) for each in found):
            continue
        inside = [at for at, each in enumerate(found) if clause.contains(each)]
        if inside:
            found[inside[0]] = clause
            found = [each for at, each in enumerate(found) if at not in inside[1:]]
        elif len(found) < most and not any(each.overlaps(clause) for each in found):
            found.append(clause)
        elif len(found) < most:
            found.append(span)
        if len(found) >= most:
            break
    return found


def _promising(
    contract: RankedContract, wanted: RankingTarget, draft: Finding, most: int
) -> Iterator[Span]:
    yield from (each.quote.span for each in draft.evidence if each.quote.span)
    yield from (span for span, probability in draft.candidates if probability >= _LIKELY)
    parts, worth = _worth(contract, wanted)
    best = sorted(range(len(parts)), key=lambda at: (-float(worth[at]), at))[: 4 * most]
    yield from (span for at in best if (span := parts[at].strip(contract.text)))
    yield from (span for span, _ in draft.candidates)


def split_proposals(
    draft: Finding, passages: Sequence[PromptPassage]
) -> tuple[list[Span], list[Span]]:
    finds = [
        each.quote.span
        for each in draft.evidence
        if each.quote.span and _holds(passages, each.quote.span)
    ]
    more: list[Span] = []
    for span, _ in draft.candidates:
        is_new = not any(each.overlaps(span) for each in (*finds, *more))
        if span and is_new and _holds(passages, span):
            more.append(span)
    return finds, more[: max(0, MAX_PROPOSALS - len(finds))]


def _holds(passages: Sequence[PromptPassage], span: Span) -> bool:
    return any(each.span.contains(span) for each in passages)


def _name_place(reading: Contract, number: int, span: Span) -> str:
    node = reading.outline.node_at(span.start)
    while node is not None and not node.label:
        node = reading.outline.nodes[node.parent] if node.parent is not None else None
    if node is None or not _LABEL.fullmatch(node.label):
        return f"excerpt {number}"
    return f"excerpt {number}, clause {node.label}"


def ranking_target(provision: Provision, examples: NDArray[np.float32] | None) -> RankingTarget:
    return RankingTarget(
        learned=provision.learned,
        query=provision.query,
        avoid=provision.avoid,
        examples=examples,
        fact=provision.card,
    )


def query_keywords(query: Query) -> list[str]:
    """Return the words of a query that count most, each once; not those under a NOT."""
    boosts: dict[str, float] = {}
    for word, boost in _words(query.tree, 1.0):
        if len(word) > 1 and not word.isdigit():
            boosts[word] = max(boost, boosts.get(word, 0.0))
    return sorted(boosts, key=lambda word: -boosts[word])[:MAX_KEYWORDS]


def _words(node: Node, boost: float) -> Iterator[tuple[str, float]]:
    if isinstance(node, Word | Prefix):
        yield node.token, boost * node.boost
    elif isinstance(node, Phrase):
        yield " ".join(node.tokens), boost * node.boost
    elif isinstance(node, And | Or | Proximity):
        for part in node.parts:
            yield from _words(part, boost * node.boost)


def score_of(span: Span, candidates: Iterable[tuple[Span, float]]) -> float:
    """Return the local reader's probability of the same words; 0 if it saw none."""
    return max((chance for each, chance in candidates if each.overlaps(span)), default=0.0)
