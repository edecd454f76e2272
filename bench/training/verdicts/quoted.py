"""Learn which of the words that the program quotes of a provision are no such provision.

    python -m training.verdicts.quoted --data DIR/cuad
    python -m training.verdicts.quoted --data DIR/cuad --write

Regressions over the words learn it from all labelled clauses. The first command leaves two folds of
contracts out, weighs what the regressions say of the program's own quotes there with the
probability with which each was found (`review/extract/second_look.py` has the weights), and prints
how many quotes the limits of log-odds would leave out. The second learns from all and adds the
regressions to the verdict reader that ships; run it after `training.verdicts.train --write`. Each
takes some five CPU-minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from fourcorners.models.card import CARD_FILE
from fourcorners.models.verdict_reader.features import ClauseFeatures
from fourcorners.models.verdict_reader.reader import (
    IS,
    NO_SUCH,
    QUESTIONS,
    QUOTED,
    WEIGHTS,
    ClauseReading,
    Head,
    judge,
)
from fourcorners.review.extract.second_look import NONE_FROM, OTHER_FROM
from fourcorners.search.sentences.weights import chance_odds
from training.verdicts.data import HERE, Example, load_examples, load_heads
from training.verdicts.train import OUT, Rows, learn, pack_models

LEFT_OUT = (0, 1)  # folds
LEAST = 1e-3  # chance beyond which log-odds do not go, as the program has it


def measure(heads: Sequence[Head], examples: Sequence[Example], rows: Rows) -> None:
    """Print the weights of words and finding, and what limits would leave out, out of fold."""
    lines = (HERE / "sample.jsonl").read_text("utf-8").splitlines()
    found = {each["id"]: each["found"] for each in map(json.loads, lines) if "found" in each}
    models = learn(heads, [each for each in examples if each.fold not in LEFT_OUT], rows)
    by_provision = {each.provision: each for each in heads}
    quotes = [
        each
        for each in examples
        if each.fold in LEFT_OUT and each.id in found and IS in each.settled
    ]
    signs = np.zeros((len(quotes), 2))
    for row, each in enumerate(quotes):
        reading = ClauseReading(rows[each.id], {})
        chances = dict(judge(by_provision[each.provision], models, reading))
        signs[row] = [chance_odds(part, LEAST) for part in (chances[NO_SUCH], found[each.id])]
    labels = np.array([each.answers[IS] for each in quotes])
    folds = np.array([each.fold for each in quotes])
    doubts = np.zeros(len(quotes))
    for fold in LEFT_OUT:
        fitted = LogisticRegression(C=10).fit(
            signs[folds != fold], labels[folds != fold] == NO_SUCH
        )
        doubts[folds == fold] = fitted.decision_function(signs[folds == fold])
    fitted = LogisticRegression(C=10).fit(signs, labels == NO_SUCH)
    print(f"{len(quotes)} quotes; weights {fitted.coef_[0]}, constant {fitted.intercept_[0]:.3f}")
    for limit in (OTHER_FROM, NONE_FROM):
        shares = {name: (doubts[labels == name] >= limit).mean() for name in np.unique(labels)}
        print(
            f"from {limit} on left out:", {name: f"{share:.1%}" for name, share in shares.items()}
        )


def write(heads: Sequence[Head], examples: Sequence[Example], rows: Rows) -> None:
    """Add the regressions to the files of the reader and its card."""
    with np.load(OUT / WEIGHTS) as stored:
        others = {name: stored[name] for name in stored if f".{QUOTED}/" not in name}
    named = {head.name: replace(head, question=QUOTED) for head in heads}
    models = {named[name].name: model for name, model in learn(heads, examples, rows).items()}
    buffer = BytesIO()
    np.savez_compressed(buffer, **others, **pack_models(models))  # type: ignore[arg-type]
    asked = json.loads((OUT / QUESTIONS).read_text("utf-8"))
    asked = [each for each in asked if each["question"] != QUOTED]
    asked += [each.as_json() for each in named.values()]
    made = {
        WEIGHTS: buffer.getvalue(),
        QUESTIONS: (json.dumps(asked, indent=1) + "\n").encode(),
    }
    card = (OUT / CARD_FILE).read_text("utf-8")
    for name, content in made.items():
        (OUT / name).write_bytes(content)
        line = f"{name}: {hashlib.sha256(content).hexdigest()}"
        card = re.sub(rf"{re.escape(name)}: [0-9a-f]{{64}}", line, card)
    (OUT / CARD_FILE).write_text(card, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="learn from all, and write")
    given = parser.parse_args()
    heads = [each for each in load_heads() if each.question == IS]
    examples = load_examples(given.data)
    rows = {each.id: ClauseFeatures(each.clause) for each in examples}
    (write if given.write else measure)(heads, examples, rows)


if __name__ == "__main__":
    main()
