"""The precedents benchmark, run: every query ranks the clauses that were judged for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.precedents.profile import (
    RERANKERS,
    RETRIEVERS,
    Profile,
    RankingMethod,
    Rerank,
    uses_learned_model,
    uses_reranker,
    uses_vectors,
)
from fourcorners.precedents.scoring.collection import ClauseCollection, Vectors
from fourcorners.precedents.scoring.score import Scoring, model_for, score_clauses, text_hash
from fourcorners_bench.precedents.loader import AcordQuery, Format, Ranking, Split, rank_by_score
from fourcorners_bench.precedents.model_rerank import ModelReranker
from fourcorners_bench.record import Json, OnProgress, with_progress

BOTH_WORDINGS = "both"
"""Short and long together: their scores are averaged."""
MODEL_CELLS = (
    RankingMethod(Profile.BM25, Rerank.POINTWISE),
    RankingMethod(Profile.DENSE, Rerank.POINTWISE),
    RankingMethod(Profile.BM25, Rerank.PAIRWISE),
)
"""How the paper has language models rank (tables D-3 and D-5)."""


def wordings(asked: AcordQuery, wording: str) -> list[str]:
    forms = (Format.SHORT, Format.LONG) if wording == BOTH_WORDINGS else (Format(wording),)
    return list(dict.fromkeys(asked.wording(form) for form in forms))


@dataclass(frozen=True, slots=True)
class ClauseRanker:
    """What ranks clauses, for queries in which wording.

    Attributes:
        vectors: Gives those of clauses, if not the encoder itself.
    """

    encoder: Encoder
    wording: str = Format.SHORT.value
    profile: Profile = Profile.DEFAULT
    reranker: Reranker | None = None
    vectors: Vectors | None = None


def run_precedents(
    split: Split,
    ranker: ClauseRanker,
    *,
    collection: ClauseCollection | None = None,
    asker: ModelReranker | None = None,
    on_progress: OnProgress | None = None,
) -> list[Ranking]:
    """Rank the judged clauses of each query.

    All clauses of the corpus are the collection, in order of their ids; stars are never looked at.
    `collection` is what `build_collection` made, where several runs share it; `asker` has a
    language model expand queries and read the first again.

    Raises:
        LlmError: If a language model was asked, and has answered nothing.
    """
    ids = sorted(split.clauses)
    place = {clause: row for row, clause in enumerate(ids)}
    if collection is None:
        collection = build_collection(split, ranker.encoder, ranker.vectors)
    answers = []
    for asked in with_progress(split.queries, "Ranking", on_progress):
        rows = [place[clause] for clause in sorted(asked.judged)]
        forms = wordings(asked, ranker.wording)
        found = score_clauses(
            forms,
            collection,
            Scoring(
                profile=ranker.profile,
                reranker=ranker.reranker,
                expansion=asker.expansion(forms) if asker else "",
            ),
            rows=rows,
        )
        if asker is not None:
            found = asker.rerank_scores(forms, found, [collection.texts[row] for row in rows])
        whole = zip(rows, found.tolist(), strict=True)
        answers.append(rank_by_score(asked.id, {ids[row]: score for row, score in whole}))
    if asker is not None:
        asker.require_answers()
    return answers


def build_collection(
    split: Split, encoder: Encoder, vectors: Vectors | None = None
) -> ClauseCollection:
    """Return the clauses of the corpus in order of their ids, ready to be ranked."""
    return ClauseCollection(
        [split.clauses[clause] for clause in sorted(split.clauses)], encoder, vectors=vectors
    )


def run_grid(
    split: Split,
    ranker: ClauseRanker,
    *,
    asker: ModelReranker | None = None,
    on_progress: OnProgress | None = None,
) -> dict[tuple[str, str], list[Ranking]]:
    """Rank by every retriever, alone and with the reranker if there is one, in every format.

    `asker` has a language model read again what BM25 and the encoder rank first, in the ranker's
    format, as the paper does (tables D-3 and D-5).
    """
    collection = build_collection(split, ranker.encoder, ranker.vectors)
    profiles = RETRIEVERS if ranker.reranker is None else (*RETRIEVERS, *RERANKERS)
    cells: list[tuple[RankingMethod, str]] = [
        (RankingMethod(profile), str(wording))
        for profile in profiles
        for wording in (*Format, BOTH_WORDINGS)
    ]
    if asker is not None:
        cells += [(way, ranker.wording) for way in MODEL_CELLS]
    runs = {}
    for way, wording in with_progress(cells, "Ranking", on_progress):
        if asker is not None:
            asker.rerank = way.rerank
        runs[way.name, wording] = run_precedents(
            split,
            replace(
                ranker,
                wording=wording,
                profile=way.profile,
                reranker=ranker.reranker if uses_reranker(way.profile) else None,
            ),
            collection=collection,
            asker=asker if way.rerank else None,
        )
    return runs


def queries_without_wording(split: Split, wording: str) -> list[str]:
    """Return the queries that have no such wording; their short one is asked instead."""
    wanted = Format.LONG if wording == BOTH_WORDINGS else Format(wording)
    return [asked.id for asked in split.queries if wanted not in asked.forms]


def model_names(how: Profile, encoder: Encoder, reranker: Reranker | None) -> dict[str, Json]:
    judge = model_for(encoder) if uses_learned_model(how) else None
    return {
        "encoder": encoder.name if uses_vectors(how) else None,
        "precedents": judge.name if judge else None,
        "reranker": reranker.name if reranker else None,
    }


def trained_queries(how: Profile, split: Split, encoder: Encoder) -> list[str]:
    judge = model_for(encoder) if uses_learned_model(how) else None
    if judge is None:
        return []
    return [asked.id for asked in split.queries if text_hash(asked.id) in judge.learned_from]


def run_notes(how: Profile, split: Split, wording: str, encoder: Encoder) -> Sequence[str]:
    """Return what must be known to read the figures."""
    measures = []
    lacking, known = queries_without_wording(split, wording), trained_queries(how, split, encoder)
    if lacking:
        measures.append(
            f"{len(lacking)} of the queries have no such wording: the short one is asked."
        )
    if known:
        measures.append(
            f"The model has learned from {len(known)} of the {len(split.queries)} queries: "
            "their figures are not out of fold."
        )
    if uses_learned_model(how) and model_for(encoder) is None:
        measures.append(f"What was learned is not for the encoder {encoder.name}: hybrid was used.")
    return measures
