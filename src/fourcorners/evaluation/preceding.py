"""The precedents benchmark, run: every query ranks the clauses that were judged for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fourcorners.evaluation.benchmark import Json
from fourcorners.evaluation.precedents import Asked, Format, Ranking, Split, ranked
from fourcorners.models.encoder import Encoder
from fourcorners.models.reranker import Reranker
from fourcorners.precedents.collection import Collection
from fourcorners.precedents.judge import fingerprint
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.scoring import judge_for, scores

BOTH = "both"
"""Short and long together: their scores are averaged."""


def wordings(asked: Asked, wording: str) -> list[str]:
    """Return the query in a format, or short and long."""
    forms = (Format.SHORT, Format.LONG) if wording == BOTH else (Format(wording),)
    return list(dict.fromkeys(asked.wording(form) for form in forms))


def run(
    split: Split,
    wording: str,
    encoder: Encoder,
    *,
    profile: Profile = Profile.DEFAULT,
    reranker: Reranker | None = None,
    on_progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> list[Ranking]:
    """Rank the judged clauses of each query.

    All clauses of the corpus are the collection, in order of their ids; stars are never looked at.
    """
    ids = sorted(split.clauses)
    place = {clause: row for row, clause in enumerate(ids)}
    collection = Collection([split.clauses[clause] for clause in ids], encoder)
    answers = []
    for done, asked in enumerate(split.queries, start=1):
        rows = [place[clause] for clause in sorted(asked.judged)]
        found = scores(
            wordings(asked, wording), collection, profile=profile, rows=rows, reranker=reranker
        )
        answers.append(ranked(asked.id, {ids[row]: float(found[row]) for row in rows}))
        on_progress("Ranking", done, len(split.queries))
    return answers


def without(split: Split, wording: str) -> list[str]:
    """Return the queries that have no such wording; their short one is asked instead."""
    wanted = Format.LONG if wording == BOTH else Format(wording)
    return [asked.id for asked in split.queries if wanted not in asked.forms]


def models(how: Profile, encoder: Encoder, reranker: Reranker | None) -> dict[str, Json]:
    """Return the names of the models that a profile used."""
    dense = how not in (Profile.BM25, Profile.BM25_RERANK)
    judge = judge_for(encoder) if how is Profile.DEFAULT else None
    return {
        "encoder": encoder.name if dense else None,
        "precedents": judge.name if judge else None,
        "reranker": reranker.name if reranker else None,
    }


def seen(how: Profile, split: Split, encoder: Encoder) -> list[str]:
    """Return the queries that what a profile uses has learned from."""
    judge = judge_for(encoder) if how is Profile.DEFAULT else None
    if judge is None:
        return []
    return [asked.id for asked in split.queries if fingerprint(asked.id) in judge.learned_from]


def notes(how: Profile, split: Split, wording: str, encoder: Encoder) -> Sequence[str]:
    """Return what must be known to read the figures."""
    told = []
    lacking, learned = without(split, wording), seen(how, split, encoder)
    if lacking:
        told.append(f"{len(lacking)} of the queries have no such wording: the short one is asked.")
    if learned:
        told.append(
            f"The model has learned from {len(learned)} of the {len(split.queries)} queries: "
            "their figures are not out of fold."
        )
    if how is Profile.DEFAULT and judge_for(encoder) is None:
        told.append(f"What was learned is not for the encoder {encoder.name}: hybrid was used.")
    return told
