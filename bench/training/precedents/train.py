r"""Learn how lawyers rate precedents: `src/fourcorners/precedents/weights`.

Two matrices (for the vector of the query and for those of the clauses, the identity at first) and
a weight for each feature are fitted to ACORD's stars: the softmax over a query's candidates is
drawn to the softmax over their stars (Kullback and Leibler). Of each query short, medium and long
wording are learned from in turn. Weights stay near to those set by hand, without which topics that
are not among the queries suffer. Three seeds are averaged, which matrices that start alike allow.
The figures of the model are by folds, but see `precedents.learning.START`; the settings there were
chosen by such folds over the train queries, from which the model learns.

    python -m training.precedents.train --data DIR/acord --run-out oof --write
    python -m training.precedents.train --data DIR/acord --ablate

The second prints what each part of the ranking is worth, and writes nothing.

Takes some minutes on one core, most of it for the vectors, which --vectors keeps in a file.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from fourcorners.models import default_encoder
from fourcorners.models.card import save_card
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.registry import PRECEDENTS, WEIGHTS
from fourcorners.precedents.scoring.collection import ClauseCollection
from fourcorners.precedents.scoring.score import (
    FILE,
    FIRST_STEP_WEIGHTS,
    LEARNED_FEATURES,
    WORDS_WEIGHT,
    PrecedentModel,
    text_hash,
)
from fourcorners_bench.precedents.loader import AcordQuery, load_split
from fourcorners_bench.precedents.score import figures_by_category, score_run
from fourcorners_bench.run_files import write_lines
from training.precedents.judge import (
    ALIKE,
    FOLDS,
    by_wording,
    calibrated,
    calibration_error,
    grouped_folds,
    out_of_fold,
    plain_folds,
    ranking,
    told,
    topic_folds,
)
from training.precedents.learning import (
    FAMILIES,
    HEAD_DECAY,
    HEAD_RATE,
    HEAD_STEPS,
    JOINT_RATE,
    JOINT_STEPS,
    MATRIX_DECAY,
    MATRIX_RATE,
    SEEDS,
    WHOLE,
    Case,
    Floats,
    Parts,
    by_hand,
    cases_of,
    learn,
    moments,
    scored,
)

VERSION = "1"
CLEAN = {
    "commit": "5132b48",
    "measures": ["ndcg@5", "ndcg@10", "3-star@5"],
    "grouped, short": [77.4, 82.6, 72.9],
    "plain, short": [79.2, 82.7, 76.9],
    "by topic, short": [61.8, 66.0, 58.4],
}

LIMITS = [
    "English-language commercial contracts of the United States.",
    "Most of the queries are on liability and indemnities; of other topics there are few.",
    "Stars are those of lawyers who differed on a fifth of the ratings.",
    "Its start was informed by all train queries: the figures by folds are optimistic.",
    "Those under `clean` have no such start; settings were chosen by the same folds.",
    "Rules of concepts were written with the published list of queries in mind.",
    "For another encoder the model is not used.",
]


def vectors_of(texts: list[str], encoder: Encoder, cache_file: Path | None) -> NDArray[np.float32]:
    """Return the vectors of the clauses, from the file if it has them."""
    key = hashlib.sha256("\0".join([encoder.name, *texts]).encode()).hexdigest()
    if cache_file is not None and cache_file.is_file():
        with np.load(cache_file) as held:
            if str(held["key"]) == key:
                return held["vectors"].astype(np.float32)
    vectors = encoder.encode(texts)
    if cache_file is not None:
        np.savez(cache_file, key=np.array(key), vectors=vectors)
    return vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, help="keep the clauses' vectors in this file")
    parser.add_argument("--run-out", type=Path, help="folder of the out-of-fold run files")
    parser.add_argument("--ablate", action="store_true", help="print what each part is worth")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    encoder = default_encoder()
    train, valid = load_split(given.data, "train"), load_split(given.data, "valid")
    ids = sorted(train.clauses)
    texts = [train.clauses[clause] for clause in ids]
    collection = ClauseCollection(texts, encoder, vectors=vectors_of(texts, encoder, given.vectors))
    if given.ablate:
        ablate(train.queries, ids, collection)
        return
    cases = cases_of(train.queries, ids, collection)
    average, spread = moments(cases)
    unlearned = [
        [((case.found.features - average) / spread) @ by_hand() for case in each] for each in cases
    ]
    report, scores = by_folds(train.queries, cases, ids, encoder, given.run_out)
    report["weights that learning starts from"] = {
        form: told(train.queries, run) for form, run in by_wording(cases, unlearned, ids).items()
    }
    pooled = np.concatenate([each for own in scores for each in own])
    gains = np.concatenate([case.gains for each in cases for case in each])
    levels = calibrated(pooled, gains)
    chances = 1 / (1 + np.exp(-np.clip(np.outer(pooled, levels[:, 0]) + levels[:, 1], -60, 60)))
    errors = [calibration_error(chances[:, at], gains >= at + 1) for at in range(4)]
    report["calibration error, 2 to 5 stars"] = [round(each, 4) for each in errors]
    print("calibration error:", report["calibration error, 2 to 5 stars"])
    judge = learn(cases, encoder.name)
    checked = cases_of(valid.queries, ids, collection)
    runs = by_wording(checked, [[scored(judge, case) for case in each] for each in checked], ids)
    report["valid, not learned from"] = {
        form: told(valid.queries, run) for form, run in runs.items()
    }
    print(json.dumps(report["valid, not learned from"], indent=1))
    print(
        {
            name: round(float(each), 2)
            for name, each in zip(LEARNED_FEATURES, judge.weights, strict=True)
        }
    )
    if given.write:
        write(judge, levels, cases, report)


def by_folds(
    queries: Sequence[AcordQuery],
    cases: Sequence[Sequence[Case]],
    ids: list[str],
    encoder: Encoder,
    run_out: Path | None,
) -> tuple[dict[str, object], list[list[Floats]]]:
    """Print and return the figures of each way to fold, with the scores of the last, plain one."""
    folds = {
        "grouped": grouped_folds(cases),
        "by topic": topic_folds(cases),
        "plain": plain_folds(len(cases)),
    }
    report: dict[str, object] = {}
    scores: list[list[Floats]] = []
    for name, own in folds.items():
        for used in (WHOLE, Parts(matrices=False)):
            found = out_of_fold(cases, own, encoder.name, used)
            runs = by_wording(cases, found, ids)
            label = f"{name}, {'whole' if used.matrices else 'weights alone'}"
            report[label] = {form: told(queries, run) for form, run in runs.items()}
            for form, run in runs.items():
                values = " ".join(f"{each[0]:5.1f}" for each in told(queries, run).values())
                print(f"{label}, {form}: {values}", flush=True)
                if run_out is not None and used.matrices:
                    run_out.mkdir(parents=True, exist_ok=True)
                    write_lines(run_out / f"precedents-{name.replace(' ', '-')}-{form}.jsonl", run)
            if not used.matrices:
                continue
            scores = found
            rows = score_run(queries, runs["short"])
            for category, (count, part) in figures_by_category(rows).items():
                values = " ".join(
                    "    -" if f.value is None else f"{100 * f.value:5.1f}" for f in part.values()
                )
                print(f"{label}, short, {category} ({count}): {values}", flush=True)
    return report, scores


ABLATIONS: dict[str, tuple[Parts, tuple[float, ...]]] = {
    "whole": (WHOLE, FIRST_STEP_WEIGHTS),
    "without matrices": (Parts(matrices=False), FIRST_STEP_WEIGHTS),
    "without BM25": (Parts(("encoder", "concepts", "making")), (1.0, 1.0, 0.0, 0.0)),
    "without the encoder": (
        Parts(("BM25", "concepts", "making"), matrices=False),
        (0.0, 0.0, 1.0, 1.0),
    ),
    "without concepts": (Parts(("encoder", "BM25", "making")), FIRST_STEP_WEIGHTS),
    "without making": (Parts(("encoder", "BM25", "concepts")), FIRST_STEP_WEIGHTS),
    "encoder and matrices alone": (Parts(("encoder",)), (1.0, 1.0, 0.0, 0.0)),
    **{
        f"{family} alone": (Parts((family,), matrices=False), FIRST_STEP_WEIGHTS)
        for family in FAMILIES
        if family not in ("encoder", "BM25")
    },
    "encoder alone": (Parts(("encoder",), matrices=False), (1.0, 1.0, 0.0, 0.0)),
    "BM25 alone": (Parts(("BM25",), matrices=False), (0.0, 0.0, 1.0, 1.0)),
}
"""What is there, and by what candidates are chosen: cosines and words, plain and expanded."""


def ablate(queries: Sequence[AcordQuery], ids: list[str], collection: ClauseCollection) -> None:
    """Print what is left without parts of the model: short queries, grouped folds, one seed."""
    name = collection.encoder.name
    print("| what is there | NDCG@5 | NDCG@10 | 3-star@5 | 4-star@5 | 5-star@5 |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    cases: dict[tuple[float, ...], list[list[Case]]] = {}
    for label, (used, chosen_by) in ABLATIONS.items():
        if chosen_by not in cases:
            cases[chosen_by] = cases_of(queries, ids, collection, chosen_by)
        own = cases[chosen_by]
        found = out_of_fold(
            own, grouped_folds(cases[FIRST_STEP_WEIGHTS]), name, used, seeds=SEEDS[:1]
        )
        _print_row(label, queries, own, [each[:1] for each in found], ids)
    own = cases[FIRST_STEP_WEIGHTS]
    cosine, words = LEARNED_FEATURES.index("cosine"), LEARNED_FEATURES.index("words")
    unjudged = [
        [each[0].found.features[:, cosine] + WORDS_WEIGHT * each[0].found.features[:, words]]
        for each in own
    ]
    _print_row("without the judge of stars", queries, own, unjudged, ids)


def _print_row(
    label: str,
    queries: Sequence[AcordQuery],
    cases: Sequence[Sequence[Case]],
    scores: Sequence[Sequence[Floats]],
    ids: list[str],
) -> None:
    run = [ranking(each[:1], own, ids) for each, own in zip(cases, scores, strict=True)]
    values = [
        "-" if figure is None else f"{figure:.1f} ({low:.0f}-{high:.0f})"
        for figure, low, high in told(queries, run).values()
    ]
    print(f"| {label} | {' | '.join(values)} |", flush=True)


def write(
    judge: PrecedentModel,
    levels: Floats,
    cases: Sequence[Sequence[Case]],
    report: dict[str, object],
) -> None:
    """Write the model with its card."""
    folder = WEIGHTS / PRECEDENTS
    folder.mkdir(exist_ok=True)
    buffer = io.BytesIO()
    np.savez(
        buffer,
        query_matrix=judge.query_matrix.astype(np.float16),
        clause_matrix=judge.clause_matrix.astype(np.float16),
        sharpness=np.array(judge.sharpness),
        mean=judge.mean,
        spread=judge.spread,
        weights=judge.weights,
        levels=levels,
    )
    content = buffer.getvalue()
    (folder / FILE).write_bytes(content)
    queries = [each[0].asked for each in cases]
    clauses = sorted({clause for asked in queries for clause in asked.judged})
    card = {
        "name": PRECEDENTS,
        "version": VERSION,
        "kind": "precedents",
        "description": "An adapter of vectors and weights of features: how many stars a lawyer "
        "would give a clause as a precedent for a query.",
        "dimension": len(judge.query_matrix),
        "max_tokens": 0,
        "licence": "Apache-2.0",
        "source": "ACORD (The Atticus Project, CC BY 4.0): the stars that lawyers gave for "
        f"{len(queries)} queries of its train split",
        "command": "python -m training.precedents.train --data DIR/acord --write",
        "encoder": judge.encoder,
        "settings": {
            "seeds": list(SEEDS),
            "steps": [HEAD_STEPS, JOINT_STEPS],
            "rates": [HEAD_RATE, JOINT_RATE, MATRIX_RATE],
            "decay": [HEAD_DECAY, MATRIX_DECAY],
            "sharpness": judge.sharpness,
            "folds": FOLDS,
            "alike": ALIKE,
        },
        "data": {
            "set": "ACORD, queries of its train split in three wordings, and the clauses judged",
            "queries": len(queries),
            "clauses": len(clauses),
            "mean_judged": round(mean(len(asked.judged) for asked in queries), 1),
            "clause_ids_sha256": text_hash("\n".join(clauses)),
        },
        "scores": report,
        "clean": CLEAN,
        "limits": LIMITS,
        "learned_from": [text_hash(asked.id) for asked in queries],
        "files": {FILE: hashlib.sha256(content).hexdigest()},
    }
    save_card(folder, card)


if __name__ == "__main__":
    main()
