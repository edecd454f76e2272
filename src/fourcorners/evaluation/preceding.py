"""The precedents benchmark, run: every query ranks the clauses that were judged for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fourcorners.evaluation.benchmark import Json
from fourcorners.evaluation.precedents import Asked, Format, Ranking, Split, ranked
from fourcorners.evaluation.preceding_asked import Asker
from fourcorners.models.encoder import Encoder
from fourcorners.models.reranker import Reranker
from fourcorners.precedents.collection import Collection, Vectors
from fourcorners.precedents.judge import fingerprint
from fourcorners.precedents.profile import RERANKERS, RETRIEVERS, Profile, embeds, learned, reranks
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
    vectors: Vectors | None = None,
    collection: Collection | None = None,
    asker: Asker | None = None,
    on_progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> list[Ranking]:
    """Rank the judged clauses of each query.

    All clauses of the corpus are the collection, in order of their ids; stars are never looked at.
    `vectors` gives those of clauses, if not the encoder itself; `collection` is what `collected`
    made, where several runs share it; `asker` has a language model expand queries and read the
    first again.

    Raises:
        LlmError: If a language model was asked, and has answered nothing.
    """
    ids = sorted(split.clauses)
    place = {clause: row for row, clause in enumerate(ids)}
    if collection is None:
        collection = collected(split, encoder, vectors)
    answers = []
    for done, asked in enumerate(split.queries, start=1):
        rows = [place[clause] for clause in sorted(asked.judged)]
        forms = wordings(asked, wording)
        found = scores(
            forms,
            collection,
            profile=profile,
            rows=rows,
            reranker=reranker,
            expansion=asker.expansion(forms) if asker else "",
        )
        if asker is not None:
            found = asker.reread(forms, found, [collection.texts[row] for row in rows])
        whole = zip(rows, found.tolist(), strict=True)
        answers.append(ranked(asked.id, {ids[row]: score for row, score in whole}))
        on_progress("Ranking", done, len(split.queries))
    if asker is not None:
        asker.require_answers()
    return answers


def collected(split: Split, encoder: Encoder, vectors: Vectors | None = None) -> Collection:
    """Return the clauses of the corpus in order of their ids, ready to be ranked."""
    return Collection(
        [split.clauses[clause] for clause in sorted(split.clauses)], encoder, vectors=vectors
    )


def grid(
    split: Split,
    encoder: Encoder,
    *,
    reranker: Reranker | None = None,
    vectors: Vectors | None = None,
    on_progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> dict[tuple[Profile, str], list[Ranking]]:
    """Rank by every retriever, alone and with the reranker if there is one, in every format."""
    collection = collected(split, encoder, vectors)
    profiles = RETRIEVERS if reranker is None else (*RETRIEVERS, *RERANKERS)
    cells = [(profile, wording) for profile in profiles for wording in (*Format, BOTH)]
    runs = {}
    for done, (profile, wording) in enumerate(cells, start=1):
        runs[profile, str(wording)] = run(
            split,
            str(wording),
            encoder,
            profile=profile,
            reranker=reranker if reranks(profile) else None,
            collection=collection,
        )
        on_progress("Ranking", done, len(cells))
    return runs


def without(split: Split, wording: str) -> list[str]:
    """Return the queries that have no such wording; their short one is asked instead."""
    wanted = Format.LONG if wording == BOTH else Format(wording)
    return [asked.id for asked in split.queries if wanted not in asked.forms]


def models(how: Profile, encoder: Encoder, reranker: Reranker | None) -> dict[str, Json]:
    """Return the names of the models that a profile used."""
    judge = judge_for(encoder) if learned(how) else None
    return {
        "encoder": encoder.name if embeds(how) else None,
        "precedents": judge.name if judge else None,
        "reranker": reranker.name if reranker else None,
    }


def seen(how: Profile, split: Split, encoder: Encoder) -> list[str]:
    """Return the queries that what a profile uses has learned from."""
    judge = judge_for(encoder) if learned(how) else None
    if judge is None:
        return []
    return [asked.id for asked in split.queries if fingerprint(asked.id) in judge.learned_from]


def notes(how: Profile, split: Split, wording: str, encoder: Encoder) -> Sequence[str]:
    """Return what must be known to read the figures."""
    told = []
    lacking, known = without(split, wording), seen(how, split, encoder)
    if lacking:
        told.append(f"{len(lacking)} of the queries have no such wording: the short one is asked.")
    if known:
        told.append(
            f"The model has learned from {len(known)} of the {len(split.queries)} queries: "
            "their figures are not out of fold."
        )
    if learned(how) and judge_for(encoder) is None:
        told.append(f"What was learned is not for the encoder {encoder.name}: hybrid was used.")
    return told
