"""Learn what clauses say: logistic regressions over their words, with the transformer.

    python -m training.verdicts.train --data DIR/cuad --run RUN
    python -m training.verdicts.train --data DIR/cuad --run RUN --write

`training.verdicts.transformer` goes before each. The first command learns five times, each time
without the contracts of a fold, and writes what each fold's clauses are said to say by both, and
the contrary ones too (`RUN/oof.jsonl`). The second learns from all and writes the model that ships,
with the limits that the first one's answers give. Each takes some two CPU-minutes.

A question with options has a regression an option: the mean of two with an L1 penalty, which pick
the words that decide, and one with an L2 penalty over rows of length one. What a question mentions
is chosen by one regression for each kind of mention over all its questions; each feature is in
it three times: for all, for questions of like meaning (`GROUPS`), and for the question itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from fourcorners.models.card import save_card
from fourcorners.models.session import EMBEDDINGS, GRAPH, TOKENIZER
from fourcorners.models.verdict_reader.clause_model import HEADS, LONGEST
from fourcorners.models.verdict_reader.features import ClauseFeatures, copy_features
from fourcorners.models.verdict_reader.limits import Limits, choose_limits
from fourcorners.models.verdict_reader.reader import (
    IS,
    NO_SUCH,
    QUESTIONS,
    SUCH,
    WEIGHTS,
    ClauseReading,
    Head,
    LinearModel,
    judge,
)
from fourcorners.review.people.labelled_clauses import UNLISTED
from training.verdicts.data import (
    FOLDS,
    OUT_OF_FOLD,
    Example,
    load_contrary,
    load_examples,
    load_heads,
)

OUT = Path(__file__).parents[3] / "src/fourcorners/models/weights/verdict-reader"
FEWEST = 3  # rows that must have a feature for it to count
SPARSE = (0.5, 2.0)  # inverse strengths of the L1 penalties
DENSE = 20.0  # inverse strength of the L2 penalty
FAINTEST = 4  # of 127, below which a weight is dropped
SEED = 1  # of the solver, which takes rows and columns in an order of chance
TOO_FEW = 3  # examples of an answer below which nothing is learned of it


Beside: TypeAlias = Mapping[tuple[str, int, str], Mapping[str, float]]
"""What the transformer says, by clause, fold and question."""
Rows: TypeAlias = Mapping[str, ClauseFeatures]
"""The features of examples by their ids, found once."""


def learn(heads: Sequence[Head], examples: Sequence[Example], rows: Rows) -> dict[str, LinearModel]:
    """Learn the regressions of all questions from some examples."""
    models = {}
    of_provision = defaultdict(list)
    for each in examples:
        of_provision[each.provision].append(each)
    for head in heads:
        if head.kind is None:
            own = [e for e in of_provision[head.provision] if head.question in e.answers]
            answers = np.array([head.options.index(e.answers[head.question]) for e in own])
            if len(set(answers)) > 1:
                features = [rows[each.id].row for each in own]
                models[head.name] = _fit(features, np.eye(len(head.options))[answers] > 0)
    for kind in {each.kind for each in heads if each.kind}:
        features, right = [], []
        for head in heads:
            if head.kind is kind:
                for each in of_provision[head.provision]:
                    answer = each.answers.get(head.question, UNLISTED)
                    choices = rows[each.id].choices(kind)
                    if answer in choices:
                        features += [
                            copy_features(own, head.name, head.group) for own in choices.values()
                        ]
                        right += [key == answer for key in choices]
        models[kind.value] = _fit(features, np.array(right)[:, None], sparse=())
    return models


def _fit(
    features: Sequence[NDArray[np.int64]],
    right: NDArray[np.bool_],
    sparse: Sequence[float] = SPARSE,
) -> LinearModel:
    """Fit a regression for each column of answers; log-odds are the mean of several fits."""
    columns, counts = np.unique(np.concatenate(features), return_counts=True)
    columns = columns[counts >= FEWEST]
    rows = _matrix(features, columns)
    lengths = np.sqrt(np.maximum(1, np.asarray(rows.sum(1)).ravel()))
    even = sp.diags(1 / lengths) @ rows
    many = 1 + len(sparse)
    plain = np.zeros((len(columns), right.shape[1]), np.float32)
    scaled, bias = np.zeros_like(plain), np.zeros(right.shape[1], np.float32)
    for output in range(right.shape[1]):
        target = right[:, output]
        if target.sum() < TOO_FEW or (~target).sum() < TOO_FEW:
            bias[output] = np.log((target.mean() + 1e-3) / (1 - target.mean() + 1e-3))
            continue
        for strength in sparse:
            fitted = LogisticRegression(
                C=strength, l1_ratio=1.0, solver="liblinear", random_state=SEED
            )
            fitted.fit(rows, target)
            plain[:, output] += fitted.coef_[0] / many
            bias[output] += fitted.intercept_[0] / many
        fitted = LogisticRegression(C=DENSE, solver="liblinear", random_state=SEED)
        fitted.fit(even, target)
        scaled[:, output] += fitted.coef_[0] / many
        bias[output] += fitted.intercept_[0] / many
    return LinearModel(columns, plain, scaled, bias)


def _matrix(features: Sequence[NDArray[np.int64]], columns: NDArray[np.int64]) -> sp.csr_matrix:
    places, starts = [], [0]
    for each in features:
        at = np.minimum(np.searchsorted(columns, each), len(columns) - 1)
        at = at[columns[at] == each]
        places.append(at)
        starts.append(starts[-1] + len(at))
    return sp.csr_matrix(
        (np.ones(starts[-1], np.float32), np.concatenate(places), starts),
        shape=(len(features), len(columns)),
    )


def answer(
    heads: Sequence[Head],
    models: Mapping[str, LinearModel],
    examples: Sequence[Example],
    rows: Rows,
    fold: int,
    beside: Beside,
) -> Iterator[dict[str, object]]:
    """Yield what clauses are said to say: a line a clause and question."""
    for each in examples:
        is_such = 1.0
        no_such = each.answers.get(IS) == NO_SUCH and IS in each.settled
        for head in heads:
            if head.provision == each.provision and (head.kind or head.name in models):
                clause_odds = {head.question: beside[each.id, fold, head.question]}
                choices = judge(head, models, ClauseReading(rows[each.id], clause_odds))
                value, probability = max(choices, key=lambda choice: choice[1])
                if head.question == IS:
                    is_such = dict(choices)[SUCH]
                else:
                    probability *= is_such
                yield {
                    "id": each.id,
                    "provision": head.provision,
                    "question": head.question,
                    "value": value,
                    "probability": round(probability, 5),
                    "silent": value in head.silent,
                    "silences": sorted(head.silent),
                    "right": each.answers.get(head.question),
                    "settled": head.question in each.settled or no_such,
                    "fold": fold,
                }


def pack_models(models: Mapping[str, LinearModel]) -> dict[str, NDArray[np.generic]]:
    """Return regressions as they are stored: int8, scaled an output."""
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, model in sorted(models.items()):
        used = np.zeros(len(model.columns), np.bool_)
        small = {}
        for part, weights in (("plain", model.plain), ("scaled", model.scaled)):
            scale = np.maximum(np.abs(weights).max(0, initial=0), 1e-9).astype(np.float32) / 127
            small[part] = np.round(weights / scale).astype(np.int8)
            small[part][np.abs(small[part]) < FAINTEST] = 0
            used |= small[part].any(1)
            arrays[f"{name}/{part}_scale"] = scale
        arrays[f"{name}/columns"] = model.columns[used].astype(np.uint32)
        arrays |= {f"{name}/{part}": weights[used] for part, weights in small.items()}
        arrays[f"{name}/bias"] = model.bias
    return arrays


def write_model(
    heads: Sequence[Head],
    models: Mapping[str, LinearModel],
    limits: Limits,
    data: Mapping[str, int],
) -> None:
    """Write what can be asserted, with its card."""
    OUT.mkdir(parents=True, exist_ok=True)
    asserted = [h for h in heads if h.question == IS or (h.provision, h.question) in limits]
    names = {head.kind.value if head.kind else head.name for head in asserted}
    buffer = BytesIO()
    arrays = pack_models({name: model for name, model in models.items() if name in names})
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    listed = [
        replace(head, limit=limits.get((head.provision, head.question))).as_json() for head in heads
    ]
    packed = not (OUT / TOKENIZER).is_file()
    others = (f"../{TOKENIZER}", f"../{EMBEDDINGS}") if packed else (TOKENIZER,)
    made = {WEIGHTS: buffer.getvalue(), QUESTIONS: (json.dumps(listed, indent=1) + "\n").encode()}
    for name, content in made.items():
        (OUT / name).write_bytes(content)
    files = {name: (OUT / name).read_bytes() for name in (*others, GRAPH, HEADS, *made)}
    card = {
        "name": OUT.name,
        "version": "2",
        "kind": "verdict-reader",
        "description": f"Logistic regressions and a transformer of three layers for {len(heads)} "
        "questions of 17 provisions: what a clause says.",
        "dimension": 1,
        "max_tokens": LONGEST,
        "licence": "Apache-2.0",
        "data_licence": "CC BY 4.0: CUAD v1, The Atticus Project; labels and invented clauses "
        "are the project's own.",
        "source": "labels of clauses of CUAD v1 and invented clauses, training/verdicts",
        "command": "training/README.md, Verdicts; last: python -m training.verdicts.train "
        "--data DIR/cuad --run RUN --write",
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "data": dict(data),
        "asserted": sum(each["limit"] is not None for each in listed),
        "limits": "English-language commercial contracts; clauses were labelled by automated "
        "readers, not by lawyers. A question without a limit is never answered.",
    }
    save_card(OUT, card)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="learn from all, and write the model")
    given = parser.parse_args()
    warnings.simplefilter("ignore", FutureWarning)
    given.run.mkdir(parents=True, exist_ok=True)
    heads = load_heads()
    examples, contrary = load_examples(given.data), list(load_contrary())
    rows = {each.id: ClauseFeatures(each.clause) for each in (*examples, *contrary)}
    path = given.run / "oof.jsonl"
    if given.write:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        invented = sum(each.fold < 0 for each in examples)
        counted = {"labelled clauses": len(examples) - invented, "invented clauses": invented}
        write_model(heads, learn(heads, examples, rows), choose_limits(lines), counted)
        return
    beside: Beside = pickle.loads((given.run / OUT_OF_FOLD).read_bytes())  # noqa: S301 - our own
    with path.open("w", encoding="utf-8") as file:
        for fold in range(FOLDS):
            models = learn(heads, [each for each in examples if each.fold != fold], rows)
            own = [*(each for each in examples if each.fold == fold), *contrary]
            for line in answer(heads, models, own, rows, fold, beside):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            print(f"fold {fold} of {FOLDS}", flush=True)


if __name__ == "__main__":
    main()
