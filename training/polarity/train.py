r"""Teach which way words lean that answer a question of yes or no (`models/polarity`).

It learns from the written questions (`lay_questions.jsonl`) that are answered yes or no, each with
the sentences that it needs; signs that fewer than `SELDOM` of them have do not count. What is
printed is of contracts that were not learned from: by five folds of those to learn from, and of the
fold that no model has learned from.

    python -m training.polarity.train --data DATA [--write]
"""

from __future__ import annotations

import argparse
import io
import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import yaml
from numpy.typing import NDArray

from fourcorners.models.card import CARD_FILE
from fourcorners.models.polarity.features import polarity_features
from fourcorners.models.polarity.model import FILE, hash_feature
from fourcorners.models.registry import POLARITY, WEIGHTS
from training.answer_reader.data import read_questions, texts
from training.common.logistic import fit_many

SELDOM = 4
STRENGTH = 0.1
SURE = 0.85  # the chance from which an answer is given
SHARES = (0.1, 0.3, 0.5, 1.0)
PARTS = 5
Floats = NDArray[np.float32]


def cases(data: Path) -> tuple[list[dict[str, float]], Floats, list[str], NDArray[np.bool_]]:
    """Return signs, whether the answer is yes, the contract, and whether it is held out."""
    known = texts(data)
    found, yes, of, held = [], [], [], []
    for each in read_questions():
        if each.kind == "yesno" and each.needed and each.verdict in ("yes", "no"):
            text, is_held = known[each.contract]
            words = " ".join(span.text_in(text) for span in each.needed)
            found.append(polarity_features(each.question, words))
            yes.append(each.verdict == "yes")
            of.append(each.contract)
            held.append(is_held)
    return found, np.array(yes, np.float32), of, np.array(held)


def learn(
    found: list[dict[str, float]], yes: Floats, learned: NDArray[np.bool_]
) -> tuple[NDArray[np.uint32], Floats]:
    """Return the signs that count, and their weights with the constant."""
    own = [each for each, is_learned in zip(found, learned, strict=True) if is_learned]
    often: dict[int, int] = {}
    for each in own:
        for sign in each:
            often[hash_feature(sign)] = often.get(hash_feature(sign), 0) + 1
    codes = np.array(sorted(key for key, count in often.items() if count >= SELDOM), np.uint32)
    fit = fit_many(rows_of(own, codes), yes[learned][:, None], STRENGTH)
    return codes, fit[:, 0].astype(np.float16).astype(np.float32)


def rows_of(found: list[dict[str, float]], codes: NDArray[np.uint32]) -> sp.csr_matrix:
    """Return a row for each case, the constant last."""
    place = {int(each): at for at, each in enumerate(codes)}
    columns, values, ends = [], [], [0]
    for each in found:
        row = {
            place[key]: count
            for sign, count in each.items()
            if (key := hash_feature(sign)) in place
        }
        columns += [*row, len(codes)]
        values += [*row.values(), 1.0]
        ends.append(len(columns))
    return sp.csr_matrix((values, columns, ends), (len(found), len(codes) + 1), np.float32)


def told(found: list[dict[str, float]], codes: NDArray[np.uint32], weights: Floats) -> Floats:
    """Return the chance of yes of each case."""
    chances: Floats = 1 / (1 + np.exp(-(rows_of(found, codes) @ weights)))
    return chances


def scores(chances: Floats, yes: Floats) -> dict[str, float]:
    """Return the share that is right: of the surest, and from `SURE` on with how many those are."""
    surety = np.maximum(chances, 1 - chances)
    right = ((chances > 0.5) == (yes > 0.5))[np.argsort(-surety, kind="stable")]
    report = {
        f"right of the surest {share:.0%}": round(float(right[: int(share * len(right))].mean()), 3)
        for share in SHARES
    }
    given = int((surety >= SURE).sum())
    report["answered"] = round(given / len(right), 3)
    report["right of them"] = round(float(right[:given].mean()), 3)
    return {"questions": len(right), **report}


def main() -> None:
    """Learn, print how it does, and write the model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found, yes, of, held = cases(given.data)
    part = np.array([int(sha256(each.encode()).hexdigest(), 16) % PARTS for each in of])
    chances = np.zeros(len(found), np.float32)
    for out in range(PARTS):
        codes, weights = learn(found, yes, ~held & (part != out))
        own = np.flatnonzero(~held & (part == out))
        chances[own] = told([found[at] for at in own], codes, weights)
    codes, weights = learn(found, yes, ~held)
    own = np.flatnonzero(held)
    chances[own] = told([found[at] for at in own], codes, weights)
    report = {
        "by five folds of contracts": scores(chances[~held], yes[~held]),
        "on contracts held out": scores(chances[held], yes[held]),
    }
    print(json.dumps(report, indent=1))
    if given.write:
        folder = WEIGHTS / POLARITY
        folder.mkdir(exist_ok=True)
        packed = io.BytesIO()
        np.savez_compressed(packed, codes=codes, weights=weights.astype(np.float16), sure=SURE)
        (folder / FILE).write_bytes(packed.getvalue())
        card = {
            "name": POLARITY,
            "version": "1",
            "kind": "polarity",
            "description": f"Logistic regression on {len(codes):,} signs of a question of yes or "
            "no and the words that answer it: which way they lean.",
            "dimension": 1,
            "max_tokens": 0,
            "licence": "CC-BY-4.0",
            "source": "The project's own questions to contracts of CUAD v1, The Atticus Project, "
            "CC BY 4.0",
            "command": "python -m training.polarity.train --data DATA --write",
            "files": {FILE: sha256(packed.getvalue()).hexdigest()},
            "scores": report,
            "limits": "English-language commercial contracts; questions and answers were written "
            "by the project's engineers (automated), not by lawyers. It knows no parties: that "
            "another may do what is asked reads like a yes.",
        }
        written = yaml.safe_dump(card, sort_keys=False, width=96, allow_unicode=True)
        (folder / CARD_FILE).write_text(written, "utf-8")


if __name__ == "__main__":
    main()
