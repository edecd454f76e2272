"""Judge the reader of answers on questions that it has not learned from, and fit how it is weighed.

Of the sentences that the search puts first the needed ones should come first, and the reader should
tell whether anything answers at all. The log-odds of the
search and of the reader make one chance: the lines that do so (`search/answering.json`) are fitted
here, one where a known kind of clause is asked for and one where none is; what is printed of them
is out of fold, by question.

    python -m training.answer_reader.judge --run RUN --model FOLDER [--write]
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.answer_reader.reader import open_answer_reader
from fourcorners.models.registry import default_encoder
from fourcorners.search.sentences.answer_scores import FILE
from training.answer_reader.data import POOL, Judged
from training.common.logistic import fit_one

FIRST = (3, 5, 8, 12)
ROOM, WIDE = 2_600, 3_400  # characters that a report quotes, and that one could
READ = (24, 32, POOL)  # sentences
FOLDS = 5
STRENGTH = 10.0
UNREAD = 5  # the percentile of logits that stands for a sentence which was not read
Array = NDArray[np.float64]


def recall(
    judged: Sequence[Judged], scores: Sequence[Array], first: int, room: float = 1e9
) -> float:
    """Return the mean share of needed sentences among the first of each question."""
    shares = []
    for one, score in zip(judged, scores, strict=True):
        needed = int((one.grades == 1).sum()) + one.missed
        if not needed:
            continue
        used, hit = 0.0, 0
        for nth, at in enumerate(np.argsort(-score, kind="stable")[:first].tolist()):
            if nth and used + one.lengths[at] > room:
                continue
            used += one.lengths[at]
            hit += int(one.grades[at] == 1)
        shares.append(hit / needed)
    return float(np.mean(shares))


def area(right: Array, wrong: Array) -> float:
    """Return the area under the curve: how often one of the right is above one of the wrong."""
    above = (right[:, None] > wrong[None, :]).mean()
    return float(above + (right[:, None] == wrong[None, :]).mean() / 2)


def line_of(rows: Array, targets: Array) -> Array:
    """Return the weights of search and reader, and the constant."""
    kept = targets != 0.5
    with_constant = np.concatenate([rows[kept], np.ones((int(kept.sum()), 1))], axis=1)
    return fit_one(with_constant, targets[kept], STRENGTH)


def weigh(judged: Sequence[Judged], told: Sequence[Array]) -> tuple[list[Array], dict[str, Array]]:
    """Return the log-odds of both, out of fold, and the lines fitted on all."""
    weighed: list[Array] = [np.empty(0)] * len(judged)
    lines: dict[str, Array] = {}
    for name, known in (("known", True), ("unknown", False)):
        own = [at for at, one in enumerate(judged) if one.known is known]
        rows = {at: np.stack([judged[at].odds, told[at]], axis=1) for at in own}

        def fitted(places: Sequence[int], rows: dict[int, Array] = rows) -> Array:
            grades = np.concatenate([judged[at].grades for at in places])
            return line_of(np.concatenate([rows[at] for at in places]), grades)

        lines[name] = fitted(own)
        for fold in range(FOLDS):
            line = fitted([at for nth, at in enumerate(own) if nth % FOLDS != fold])
            for at in own[fold::FOLDS]:
                weighed[at] = rows[at] @ line[:-1] + line[-1]
    return weighed, lines


def scores(
    judged: Sequence[Judged],
    told: Sequence[Array],
    weighed: Sequence[Array],
) -> dict[str, object]:
    """Return all figures."""
    silent = np.array([one.kind == "silent" for one in judged])
    there = np.array([bool((one.grades == 1).any()) for one in judged])
    found: dict[str, object] = {"questions": len(judged), "silent": int(silent.sum())}
    ways = {"search": [one.odds for one in judged], "reader": told, "both": weighed}
    for name, each in ways.items():
        best = np.array([float(one.max()) for one in each])
        found[name] = {
            **{f"first {first}": round(recall(judged, each, first), 4) for first in FIRST},
            "first 12 in room": round(recall(judged, each, 12, ROOM), 4),
            "silence told apart": round(area(best[there], best[silent]), 4),
        }
    perfect = [one.grades for one in judged]
    found["read at all"] = round(recall(judged, perfect, POOL), 4)
    return found


def fewer(
    judged: Sequence[Judged], told: Sequence[Array], read: int, unread: float
) -> dict[str, float]:
    """Return what is found where so many sentences are read; all others count as `unread`."""
    cut = [np.where(np.arange(len(each)) < read, each, unread) for each in told]
    weighed, _ = weigh(judged, cut)
    return {
        f"first 12 in {room}": round(recall(judged, weighed, 12, room), 4) for room in (ROOM, WIDE)
    }


def main() -> None:
    """Read all pairs, fit, and write what comes of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name}")
    given = parser.parse_args()
    _, judged = pickle.loads((given.run / "lessons.pickle").read_bytes())  # noqa: S301 - our own
    reader = open_answer_reader(given.model)
    kept = given.run / f"read-{reader.name.rpartition('-')[2]}.pickle"
    if not kept.is_file():
        read = [reader.read(one.question, one.texts) for one in judged]
        kept.write_bytes(pickle.dumps(read))
    told: list[Array] = pickle.loads(kept.read_bytes())  # noqa: S301 - our own
    weighed, lines = weigh(judged, told)
    report = scores(judged, told, weighed)
    (given.run / "scores.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(json.dumps(report, indent=1))
    unread = round(float(np.percentile(np.concatenate(told), UNREAD)), 3)
    for read in READ:
        print(f"{read} read: {fewer(judged, told, read, unread)}")
    names = ("search", "reader", "bias")
    content = {
        "provenance": f"training/answer_reader/judge.py on {len(judged)} questions to contracts "
        f"that neither encoder nor reader learned from, {POOL} sentences each; reader "
        f"{reader.name}.",
        "encoder": default_encoder().name,
        **{
            name: dict(zip(names, (round(float(each), 4) for each in line), strict=True))
            for name, line in lines.items()
        },
        "unread": unread,
    }
    print(json.dumps(content, indent=1))
    if given.write:
        FILE.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
