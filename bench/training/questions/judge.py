r"""Judge the reader on questions that it has not learned from, and fit what is made of its answers.

Of the sentences that the search puts first the needed ones should come first, and the reader should
tell whether anything answers at all. Fitted here, and printed out of fold by contract: how the
log-odds of search and reader make one chance (`search/sentences/answering.json`), and the judgement
of a contract (`research/answerability/judgement.json`). BLIND is a clause reader that has not
learned from the contracts (`training.clause_reader.held_out`).

    python -m training.questions.judge --data DATA --library contracts.db --blind BLIND \
        --run RUN --model FOLDER [--write]
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.clause_reader.reader import open_reader as open_clause_reader
from fourcorners.models.reader.reader import open_reader
from fourcorners.models.registry import default_encoder
from fourcorners.research.answerability.search import FILE as JUDGEMENT
from fourcorners.research.answerability.search import answer_signs
from fourcorners.search.sentences.answer_scores import FILE
from training.common.logistic import fit_one
from training.questions.data import (
    OF_KIND,
    OF_REMOVAL,
    POOL,
    Judged,
    gather_judged,
    gather_removal,
)

FIRST = (1, 3, 4, 8)
ROOM = 1_200  # characters that an answer quotes
READ = (12, 16, 20, POOL)  # sentences
FOLDS = 5
STRENGTH = 10.0
WRITTEN = "written"
FALSE_SILENCE = 0.05  # of the questions that have an answer
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
    cache_file = targets != 0.5
    with_constant = np.concatenate([rows[cache_file], np.ones((int(cache_file.sum()), 1))], axis=1)
    return fit_one(with_constant, targets[cache_file], STRENGTH)


def weigh(
    judged: Sequence[Judged], reader_odds: Sequence[Array]
) -> tuple[list[Array], dict[str, Array]]:
    """Return the log-odds of both, out of fold, and the lines fitted on all."""
    weighed: list[Array] = [np.empty(0)] * len(judged)
    lines: dict[str, Array] = {}
    for name, known in (("known", True), ("unknown", False)):
        own = [at for at, one in enumerate(judged) if one.known is known]
        rows = {at: np.stack([judged[at].odds, reader_odds[at]], axis=1) for at in own}

        def fit_line(places: Sequence[int], rows: dict[int, Array] = rows) -> Array:
            grades = np.concatenate([judged[at].grades for at in places])
            return line_of(np.concatenate([rows[at] for at in places]), grades)

        lines[name] = fit_line(own)
        for fold in range(FOLDS):
            line = fit_line([at for nth, at in enumerate(own) if nth % FOLDS != fold])
            for at in own[fold::FOLDS]:
                weighed[at] = rows[at] @ line[:-1] + line[-1]
    return weighed, lines


def scores(
    judged: Sequence[Judged], reader_odds: Sequence[Array], weighed: Sequence[Array]
) -> dict[str, object]:
    """Return how the sentences are ordered, by each way."""
    silent = np.array([one.kind == "silent" for one in judged])
    there = np.array([bool((one.grades == 1).any()) for one in judged])
    found: dict[str, object] = {"questions": len(judged), "silent": int(silent.sum())}
    ways = {"search": [one.odds for one in judged], "reader": reader_odds, "both": weighed}
    for name, each in ways.items():
        best = np.array([float(one.max()) for one in each])
        found[name] = {
            **{f"first {first}": round(recall(judged, each, first), 4) for first in FIRST},
            "first 4 in room": round(recall(judged, each, 4, ROOM), 4),
            "silence recognised": round(area(best[there], best[silent]), 4),
        }
    perfect = [one.grades for one in judged]
    found["read at all"] = round(recall(judged, perfect, POOL), 4)
    return found


def fewer(
    judged: Sequence[Judged], reader_odds: Sequence[Array], read: int, unread: float
) -> dict[str, float]:
    """Return what is found where so many sentences are read; all others count as `unread`."""
    cut = [np.where(np.arange(len(each)) < read, each, unread) for each in reader_odds]
    weighed, _ = weigh(judged, cut)
    return {f"first {first}": round(recall(judged, weighed, first, ROOM), 4) for first in (1, 4)}


def fit_signs(
    rows: Sequence[Mapping[str, float]], targets: Array, weights: Array, groups: Sequence[str]
) -> tuple[dict[str, float], float, Array]:
    """Return the weights of signs, the constant, and the log-odds out of fold by group."""
    names = list(rows[0])
    table = np.array([[row[name] for name in names] for row in rows])
    middle, scale = table.mean(0), table.std(0) + 1e-9
    scaled = np.concatenate([(table - middle) / scale, np.ones((len(rows), 1))], axis=1)

    def fit_line(own: NDArray[np.bool_]) -> Array:
        return fit_one(scaled[own], targets[own], STRENGTH, weights=weights[own])

    fold = np.array([int(sha256(each.encode()).hexdigest(), 16) % FOLDS for each in groups])
    odds = np.zeros(len(rows))
    for out in range(FOLDS):
        odds[fold == out] = scaled[fold == out] @ fit_line(fold != out)
    line = fit_line(np.ones(len(rows), bool))
    plain = line[:-1] / scale
    bias = float(line[-1] - plain @ middle)
    return dict(zip(names, plain.tolist(), strict=True)), bias, odds


def fit_judgement(
    judged: Sequence[Judged], both: Sequence[Array]
) -> tuple[dict[str, object], dict[str, object]]:
    """Return the weights of the judgement, and how it does out of fold by contract."""
    found: dict[str, object] = {}
    report: dict[str, object] = {}
    there = np.array([bool((one.grades > 0).any()) or one.missed > 0 for one in judged])
    kinds = np.array([one.kind for one in judged])
    kinds[~np.isin(kinds, (OF_KIND, OF_REMOVAL))] = WRITTEN
    known = np.array([one.margin is not None for one in judged])
    for name, own in (("known", known), ("unknown", ~known)):
        places = np.flatnonzero(own)
        signs = [answer_signs(np.sort(both[at])[::-1].tolist(), judged[at].margin) for at in places]
        groups = [judged[at].contract for at in places]
        share = np.array([1 / (own & (kinds == kinds[at])).sum() for at in places])
        weights, bias, odds = fit_signs(
            signs, there[own].astype(float), share * len(places) / share.sum(), groups
        )
        asked = there[own] & (kinds[own] == (OF_REMOVAL if name == "known" else WRITTEN))
        limit = float(np.quantile(odds[asked], FALSE_SILENCE))
        found[name] = {"bias": bias, "weights": weights, "limit": 1 / (1 + np.exp(-limit))}
        for kind in (WRITTEN, OF_KIND, OF_REMOVAL):
            of_kind = kinds[own] == kind
            if of_kind.any():
                yes, no = odds[of_kind & there[own]], odds[of_kind & ~there[own]]
                report[f"{name}, {kind}"] = {
                    "answered": len(yes),
                    "silent": len(no),
                    "distinguished": area(yes, no),
                    "silence said": float((no < limit).mean()),
                    "silence said wrongly": float((yes < limit).mean()),
                }
    return found, report


def rounded(value: object) -> object:
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--blind", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="write what is fitted")
    given = parser.parse_args()
    gathered = given.run / "judged.pickle"
    if not gathered.is_file():
        blind = open_clause_reader(given.blind)
        judged = gather_judged(given.data, given.library, default_encoder(), blind)
        cases = gather_removal(given.data, given.run / "removal.db", default_encoder(), blind)
        gathered.write_bytes(pickle.dumps([*judged, *cases]))
    every: list[Judged] = pickle.loads(gathered.read_bytes())  # noqa: S301 - our own
    reader = open_reader(given.model)
    cache_file = given.run / f"read-{reader.name.rpartition('-')[2]}.pickle"
    if not cache_file.is_file():
        cache_file.write_bytes(
            pickle.dumps([reader.relevance(one.question, one.texts) for one in every])
        )
    logits: list[Array] = pickle.loads(cache_file.read_bytes())  # noqa: S301 - our own
    written = [at for at, one in enumerate(every) if one.kind not in (OF_KIND, OF_REMOVAL)]
    judged = [every[at] for at in written]
    reader_odds = [logits[at] for at in written]
    weighed, lines = weigh(judged, reader_odds)
    report = {"sentences": scores(judged, reader_odds, weighed)}
    unread = round(float(np.percentile(np.concatenate(reader_odds), UNREAD)), 3)
    for read in READ:
        print(f"{read} read: {fewer(judged, reader_odds, read, unread)}")
    names = ("search", "reader", "bias")
    content = {
        "provenance": f"training/questions/judge.py on {len(judged)} questions that the reader "
        f"has not learned, to contracts that the encoder has not, {POOL} sentences each; reader "
        f"{reader.name}.",
        "encoder": default_encoder().name,
        **{
            name: dict(zip(names, (round(float(each), 4) for each in line), strict=True))
            for name, line in lines.items()
        },
        "unread": unread,
    }
    both = [
        np.stack([one.odds, own], axis=1) @ line[:-1] + line[-1]
        for one, own in zip(every, logits, strict=True)
        for line in [lines["known" if one.known else "unknown"]]
    ]
    for at, own in zip(written, weighed, strict=True):
        both[at] = own
    fit_line, measured = fit_judgement(every, both)
    report["judgement"] = measured
    report_text = json.dumps(rounded(report), indent=1)
    (given.run / "scores.json").write_text(report_text + "\n", "utf-8")
    print(report_text)
    judgement = {
        "provenance": f"training/questions/judge.py on {len(every)} questions that the reader "
        f"has not learned, to contracts that the encoder has not; reader {reader.name}.",
        "reader": reader.name,
        **fit_line,
    }
    if given.write:
        FILE.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
        JUDGEMENT.write_text(json.dumps(rounded(judgement), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
