"""Teach which sentences give orders to whoever reads a contract.

    python -m training.orders.train --data DIR/cuad --run RUN
    python -m training.orders.train --data DIR/cuad --run RUN --write

The first command leaves out a fifth of the lessons and of the contracts, by groups, and prints what
is found of them; the second learns from all and writes the model, which `benchmarks.orders` tries
on what it has not learned. `RUN` keeps the states of the sentences. Some three minutes each.

A regression over the words of a sentence is quick, and leaves some sentences of a contract in
doubt. Those are read by the transformer of the verdict reader, as it is, and a small head weighs
its states. What both say together counts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import pickle
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from torch.nn import functional

from fourcorners.models.card import load_card, save_card
from fourcorners.models.entailment.features import BUCKETS, hash_ngrams
from fourcorners.models.order_reader import FILE, ROOM, OrderReader
from fourcorners.models.registry import ORDER_READER, VERDICT_READER, WEIGHTS
from fourcorners.text.sentences import split_sentences
from training.common.blind import load_contracts

HERE = Path(__file__).parent
INVENTED = HERE.parent / "verdicts/invented.jsonl"
OUT = WEIGHTS / ORDER_READER
FOLDS, STRENGTH = 5, 10.0
DOUBT = 0.04  # of the sentences of contracts, that the transformer reads
ASSERTED = 2e-4  # of the sentences of contracts, that may be taken for orders
STATE, QUERIES, VALUES, MIXED = 384, 8, 96, 64
EPOCHS, BATCH, RATE, DECAY, DROPPED = 6, 64, 1.5e-3, 0.02, 0.2
COLUMNS = 60_000
NO_MARKS = str.maketrans("", "", "⟦⟧")
SHARES = (1e-4, 2e-4, 5e-4, 1e-3)
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OrderLessons:
    """Texts with what they are: orders are 1, and folds leave whole groups out."""

    texts: list[str]
    orders: NDArray[np.bool_]
    folds: NDArray[np.int64]
    real: NDArray[np.bool_]


class OrderHead(torch.nn.Module):
    """Weighs the states of a sentence; its parameters have the names that `OrderReader` reads."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(STATE)
        self.look = torch.nn.Linear(STATE, QUERIES)
        self.value = torch.nn.Linear(STATE, VALUES)
        self.mix = torch.nn.Linear(QUERIES * VALUES, MIXED)
        self.out = torch.nn.Linear(MIXED, 1)
        self.drop = torch.nn.Dropout(DROPPED)

    def forward(self, states: Sequence[NDArray[np.float16]]) -> torch.Tensor:
        width = max(map(len, states))
        padded = torch.zeros(len(states), width, STATE)
        shown = torch.zeros(len(states), width, 1)
        for row, each in enumerate(states):
            padded[row, : len(each)] = torch.from_numpy(each.astype(np.float32))
            shown[row, : len(each)] = 1
        scaled = self.drop(self.norm(padded))
        weight = self.look(scaled).masked_fill(shown == 0, -1e4).softmax(1)
        value = functional.gelu(self.value(scaled), approximate="tanh")
        pooled = self.drop(torch.einsum("bnq,bnv->bqv", weight, value).flatten(1))
        return self.out(self.drop(functional.gelu(self.mix(pooled), approximate="tanh")))[:, 0]


def load_lessons(data: Path) -> OrderLessons:
    chance = random.Random(11)
    texts, orders, folds, real = [], [], [], []
    for name, is_order in (("orders", True), ("innocent", False)):
        for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines():
            texts.append(json.loads(line)["text"])
            orders.append(is_order)
            folds.append(chance.randrange(FOLDS))
            real.append(False)
    groups: dict[str, int] = {}
    for contract in load_contracts(data):
        fold = groups.setdefault(contract["group"], chance.randrange(FOLDS))
        for sentence in sentences(contract["text"]):
            texts.append(sentence)
            orders.append(False)
            folds.append(fold)
            real.append(True)
    for line in INVENTED.read_text("utf-8").splitlines():  # other drafting than that of filings
        fold = chance.randrange(FOLDS)
        for sentence in sentences(json.loads(line)["text"].translate(NO_MARKS)):
            texts.append(sentence)
            orders.append(False)
            folds.append(fold)
            real.append(True)
    return OrderLessons(texts, np.array(orders), np.array(folds), np.array(real))


def sentences(text: str) -> list[str]:
    found = (" ".join(each.text_in(text).split()) for each in split_sentences(text))
    return [each[:1_200] for each in found if len(each) > 12]


def hash_all(texts: Sequence[str]) -> sp.csr_matrix:
    rows = [hash_ngrams(each) for each in texts]
    ends = np.cumsum([0, *map(len, rows)])
    scale = np.concatenate([np.full(len(each), 1 / math.sqrt(max(1, len(each)))) for each in rows])
    return sp.csr_matrix((scale, np.concatenate(rows), ends), (len(rows), BUCKETS))


def fit_words(words: sp.csr_matrix, orders: NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, solver="liblinear").fit(words, orders)


def fit_head(states: Sequence[NDArray[np.float16]], orders: NDArray[np.bool_]) -> OrderHead:
    torch.manual_seed(3)
    chance, head = random.Random(3), OrderHead().train()
    optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * math.ceil(len(states) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / (0.05 * steps)) * max(0.02, 1 - step / steps)
    )
    places = list(range(len(states)))
    for epoch in range(EPOCHS):
        chance.shuffle(places)
        batches = []
        for start in range(0, len(places), 8 * BATCH):
            own = sorted(places[start : start + 8 * BATCH], key=lambda at: len(states[at]))
            batches += [own[at : at + BATCH] for at in range(0, len(own), BATCH)]
        chance.shuffle(batches)
        for batch in batches:
            odds = head([states[at] for at in batch])
            right = torch.tensor(orders[batch], dtype=torch.float32)
            loss = functional.binary_cross_entropy_with_logits(odds, right)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        print(f"epoch {epoch + 1} of {EPOCHS}, loss {loss.item():.3f}", flush=True)
    return head.eval()


def judge_states(head: OrderHead, states: Sequence[NDArray[np.float16]]) -> Array:
    odds = np.zeros(len(states))
    order = sorted(range(len(states)), key=lambda at: len(states[at]))
    with torch.inference_mode():
        for start in range(0, len(order), BATCH):
            own = order[start : start + BATCH]
            odds[own] = head([states[at] for at in own]).numpy()
    return odds


def out_of_fold(words: sp.csr_matrix, lessons: OrderLessons) -> Array:
    """Return the log-odds of the words of each text, learned without its fold."""
    odds = np.zeros(len(lessons.texts))
    for fold in range(FOLDS):
        left = lessons.folds == fold
        odds[left] = fit_words(words[~left], lessons.orders[~left]).decision_function(words[left])
    return odds


def read_doubtful(run: Path, lessons: OrderLessons, odds: Array) -> tuple[NDArray[np.int64], list]:
    """Return which texts the transformer reads, and the states of each; the run keeps them."""
    path = run / "states.pickle"
    if path.is_file():
        return pickle.loads(path.read_bytes())  # noqa: S301 - our own
    least = np.quantile(odds[lessons.real], 1 - DOUBT)
    places = np.flatnonzero(~lessons.real | (odds >= least))
    card = load_card(WEIGHTS / VERDICT_READER)
    reader = OrderReader(card, card)
    with ThreadPoolExecutor(2) as pool:
        texts = (lessons.texts[at] for at in places)
        states = [each.astype(np.float16) for each in pool.map(reader.states, texts)]
    path.write_bytes(pickle.dumps((places, states)))
    return places, states


def measure(
    lessons: OrderLessons, left: NDArray[np.bool_], odds: Array
) -> dict[float, tuple[float, float]]:
    """Return what is found of the lessons left out, at shares of contracts' sentences."""
    real = np.sort(odds[left & lessons.real])[::-1]
    found: dict[float, tuple[float, float]] = {}
    for share in SHARES:
        limit = real[int(share * len(real))]
        of_orders, of_innocent = (
            float((odds[left & ~lessons.real & (lessons.orders == kind)] > limit).mean())
            for kind in (True, False)
        )
        found[share] = (round(of_orders, 3), round(of_innocent, 3))
        print(f"at {share:.2%} of {len(real):,} sentences: {found[share]}", flush=True)
    return found


def learn(data: Path, run: Path, *, write: bool) -> None:
    lessons = load_lessons(data)
    print(f"{lessons.orders.sum():,} orders, {lessons.real.sum():,} sentences", flush=True)
    words = hash_all(lessons.texts)
    path = run / "words.npy"
    odds = np.load(path) if path.is_file() else out_of_fold(words, lessons)
    np.save(path, odds)
    places, states = read_doubtful(run, lessons, odds)
    doubt = float(np.quantile(odds[lessons.real], 1 - DOUBT))
    read = odds[places] >= doubt
    left = lessons.folds[places] == 0
    head = fit_head(
        [each for each, out in zip(states, left, strict=True) if not out],
        lessons.orders[places][~left],
    )
    both = np.full(len(lessons.texts), -99.0)
    own = np.flatnonzero(left & read)
    both[places[own]] = odds[places[own]] + judge_states(head, [states[at] for at in own])
    scores = measure(lessons, lessons.folds == 0, both)
    if not write:
        return
    real = np.sort(both[(lessons.folds == 0) & lessons.real])[::-1]
    limit = float(real[int(ASSERTED * len(real))])
    head = fit_head(states, lessons.orders[places])
    write_model(fit_words(words, lessons.orders), head, (doubt, limit))
    write_card(lessons, scores)


def write_model(model: LogisticRegression, head: OrderHead, limits: tuple[float, float]) -> None:
    columns = np.sort(np.argsort(-np.abs(model.coef_[0]))[:COLUMNS])
    OUT.mkdir(exist_ok=True)
    np.savez_compressed(
        OUT / FILE,
        columns=columns.astype(np.int32),
        weights=model.coef_[0][columns].astype(np.float16),
        limits=np.array([model.intercept_[0], *limits], np.float32),
        **{
            name: value.detach().numpy().astype(np.float16)
            for name, value in head.named_parameters()
        },
    )


def write_card(lessons: OrderLessons, scores: dict[float, tuple[float, float]]) -> None:
    card = {
        "name": ORDER_READER,
        "version": "1",
        "kind": "order-reader",
        "description": "Which sentences give orders to whoever reads a contract.",
        "dimension": 1,
        "max_tokens": ROOM,
        "licence": "Apache-2.0",
        "source": "invented orders and look-alikes, and sentences of 341 contracts of CUAD "
        "(The Atticus Project, CC BY 4.0)",
        "command": "python -m training.orders.train --data DIR/cuad --run RUN --write",
        "settings": {"epochs": EPOCHS, "rate": RATE, "strength": STRENGTH, "asserted": ASSERTED},
        "data": {
            "orders": int(lessons.orders.sum()),
            "innocent": int((~lessons.orders & ~lessons.real).sum()),
            "sentences": int(lessons.real.sum()),
        },
        "scores": {
            f"a fifth left out, at {share:.2%} of sentences": {
                "orders": found,
                "innocent": harmless,
            }
            for share, (found, harmless) in scores.items()
        },
        "files": {FILE: hashlib.sha256((OUT / FILE).read_bytes()).hexdigest()},
    }
    save_card(OUT, card)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    given.run.mkdir(parents=True, exist_ok=True)
    learn(given.data, given.run, write=given.write)


if __name__ == "__main__":
    main()
