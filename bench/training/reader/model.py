"""The teacher: MPNet with heads for the answer, the words that answer and the party."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from training.reader.data import ANSWERS, BOTH, Kind, Pack, length
from training.reader.mpnet import FAR, MPNet

SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
DROPPED = 0.1
STEP = 16  # to which lengths are padded: each new shape costs memory
LAYERS = 12


@dataclass(frozen=True, slots=True)
class Batch:
    """Packs as tensors: n packs, t tokens, q questions of them.

    `segments` (n, t): 0 for a token of the clause, the number of its question, -1 behind the end.
    `relevant` (q,): whether the clause answers, -1 where that is not known; questions with the same
    number in `lists` (q,) are one question, put to many clauses.
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
    relevant: torch.Tensor
    lists: torch.Tensor
    spans: torch.Tensor
    tokens: int


class Teacher(nn.Module):
    def __init__(self, base: Path, frozen: int) -> None:
        super().__init__()
        with (base / "model.safetensors").open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
                raise SystemExit(f"{base}/model.safetensors is not the base: its hash differs.")
        self.base = MPNet(base, LAYERS, frozen)
        size = self.base.size
        self.drop = nn.Dropout(DROPPED)
        self.dense, self.out = nn.Linear(size, size), nn.Linear(size, len(ANSWERS) + 1)
        self.of_question = nn.ModuleList(nn.Linear(size, size) for _ in range(2))
        self.of_token = nn.ModuleList(nn.Linear(size, size) for _ in range(2))
        self.point = nn.ModuleList(nn.Linear(size, 2) for _ in range(2))
        self.other = nn.ModuleList(nn.Linear(size, 2) for _ in range(2))  # silent, both

    def forward(self, batch: Batch) -> tuple[torch.Tensor, list[tuple[torch.Tensor, torch.Tensor]]]:
        """Return log-odds: of the answers and of an answer at all (q, 5), and of each end of words.

        Those of words are (m, width + 2, 2) for the m questions of a kind.
        """
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
        torch.tensor([each.relevant for each in questions]),
        torch.tensor(
            [
                clause.group if each.kind is Kind.RELEVANT else -1
                for clause, asked in items
                for each in asked
            ]
        ),
        torch.tensor(spans),
        int((segments >= 0).sum()),
    )


def load_teacher(base: Path, run: Path, frozen: int = 0) -> Teacher:
    """Return what a run has learned so far."""
    weights = torch.load(run / "state.pt", weights_only=True)["model"]
    model = Teacher(base, frozen)
    model.load_state_dict(weights)
    return model
