"""Teach the transformer that reads clauses with the regressions: the first layers of a reader.

    python -m training.common.shipped_weights --out RUN/start
    python -m training.verdicts.transformer --data DIR/cuad --start RUN/start --run RUN
    python -m training.verdicts.train --data DIR/cuad --run RUN
    python -m training.verdicts.transformer --data DIR/cuad --start RUN/start --run RUN --write
    python -m training.verdicts.train --data DIR/cuad --run RUN --write

The third command learns five times, each time without the contracts of a fold, and writes what each
fold's clauses are said to say (`RUN/transformer.pickle`), which `train` combines with its own. A
fold takes some 20 seconds on a GPU, and some 40 minutes on a core; finished folds are kept.

A clause is read once, with the name of its provision before it and its marked words between two
marks. Of each question one vector weighs the states (the marked words weigh more from the start),
and the mean, with the first state, gives the options. A mention is scored by its ends with
vectors of the question, of its group and of its kind; of several places the sum counts. Embeddings
stay as they are.
"""

from __future__ import annotations

import argparse
import math
import os
import pickle
import random
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import AutoModel

from fourcorners.models.session import GRAPH
from fourcorners.models.verdict_reader.clause import MentionKind
from fourcorners.models.verdict_reader.clause_model import HEADS, MARKED, ClauseTokens, read_tokens
from fourcorners.models.verdict_reader.features import EACH_PARTY, NO_MENTION
from fourcorners.models.verdict_reader.reader import Head
from training.encoder.export import OPSET, plain_tokenizer, quantise
from training.verdicts.data import (
    FOLDS,
    OUT_OF_FOLD,
    Example,
    load_contrary,
    load_examples,
    load_heads,
)

OUT = Path(__file__).parents[3] / "src/fourcorners/models/weights/verdict-reader"
LAYERS = 3
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
EPOCHS, SIZE = 12, 32
RATE, HEAD_RATE, LEAST_RATE, WARM_UP, DECAY = 8e-5, 1e-3, 0.02, 0.06, 0.01
DROPPED = 0.1
SHUFFLED = 8  # batches that are sorted by length together
FAR = -1e4
ALL = 99  # the fold that leaves nothing out
KINDS = (MentionKind.PARTY, MentionKind.DURATION, MentionKind.AMOUNT, MentionKind.DATE)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question put to a clause: its row, its choices, and the tokens of those that are mentions.

    Attributes:
        right: The place of the right choice; -1 where it is not known.
    """

    row: int
    choices: tuple[str, ...]
    places: tuple[tuple[tuple[int, int], ...], ...]
    right: int


@dataclass(frozen=True, slots=True)
class Read:
    """A clause with what is asked of it."""

    id: str
    fold: int
    tokens: ClauseTokens
    asked: tuple[Asked, ...]


class ClauseReader(torch.nn.Module):
    """The transformer with its heads; parameters have the names that `ClauseHeads` reads."""

    def __init__(self, start: Path, heads: Sequence[Head]) -> None:
        super().__init__()
        self.transformer = AutoModel.from_pretrained(
            start, num_hidden_layers=LAYERS, attn_implementation="eager", add_pooling_layer=False
        )
        self.transformer.embeddings.requires_grad_(False)
        size = self.transformer.config.hidden_size
        self.groups = group_names(heads)
        many, most = len(heads), max(len(each.options) for each in heads)
        self.look = torch.nn.Parameter(torch.zeros(many, size))
        self.norm = torch.nn.LayerNorm(2 * size)
        self.out = torch.nn.Parameter(torch.randn(many, 2 * size, most) * 0.01)
        self.bias = torch.nn.Parameter(torch.zeros(many, most))
        self.key_kind = torch.nn.Parameter(torch.randn(len(KINDS), size) * 0.02)
        self.key_group = torch.nn.Parameter(torch.randn(len(self.groups), size) * 0.02)
        self.key_q = torch.nn.Parameter(torch.randn(many, size) * 0.02)
        self.mix = torch.nn.Linear(2 * size, size)
        self.score = torch.nn.Linear(size, 1)
        self.blank = torch.nn.Linear(2 * size, 2)
        self.drop = torch.nn.Dropout(DROPPED)
        kinds = [KINDS.index(each.kind) if each.kind else 0 for each in heads]
        groups = [self.groups.index(each.group or each.name) for each in heads]
        self.register_buffer("kind_of", torch.tensor(kinds), persistent=False)
        self.register_buffer("group_of", torch.tensor(groups), persistent=False)
        options = torch.tensor([len(each.options) for each in heads])
        self.register_buffer("options", options, persistent=False)

    def forward(self, clauses: Sequence[Read], asked: Sequence[tuple[int, Asked]]) -> torch.Tensor:
        """Return log-odds (asked, choices) of questions to clauses; what is no choice is far."""
        ids, shown, kinds, marks = _batch(clauses)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            states = self.transformer(
                input_ids=ids, attention_mask=shown, token_type_ids=kinds
            ).last_hidden_state
        states = states.float()
        at, rows = _longs([place for place, _ in asked]), _longs([each.row for _, each in asked])
        own = states[at]
        attention = (own * self.look[rows][:, None]).sum(-1) / math.sqrt(own.shape[-1])
        attention = (attention + MARKED * marks[at]).masked_fill(shown[at] == 0, FAR).softmax(-1)
        pooled = torch.cat([(attention[..., None] * own).sum(1), own[:, 0]], -1)
        pooled = self.drop(self.norm(pooled))
        odds = torch.einsum("ah,aho->ao", pooled, self.out[rows]) + self.bias[rows]
        places = torch.arange(odds.shape[1], device=odds.device)
        odds = odds.masked_fill(places >= self.options[rows][:, None], FAR)
        mentions = [number for number, (_, each) in enumerate(asked) if each.places]
        if not mentions:
            return odds
        chosen = self._mentions(states, pooled, asked, mentions)
        odds = functional.pad(odds, (0, max(0, chosen.shape[1] - odds.shape[1])), value=FAR)
        chosen = functional.pad(chosen, (0, odds.shape[1] - chosen.shape[1]), value=FAR)
        return odds.index_copy(0, _longs(mentions), chosen)

    def _mentions(
        self,
        states: torch.Tensor,
        pooled: torch.Tensor,
        asked: Sequence[tuple[int, Asked]],
        mentions: Sequence[int],
    ) -> torch.Tensor:
        rows = _longs([asked[number][1].row for number in mentions])
        key = (
            self.key_kind[self.kind_of[rows]]
            + self.key_group[self.group_of[rows]]
            + self.key_q[rows]
        )
        half = pooled[_longs(mentions)][:, : key.shape[1]]
        blank = self.blank(self.drop(self.norm(torch.cat([half, key], -1))))
        width = max(len(asked[number][1].choices) for number in mentions)
        table: list[torch.Tensor] = []
        for line, number in enumerate(mentions):
            clause, each = asked[number]
            cells = []
            for choice, places in zip(each.choices, each.places, strict=True):
                if choice in (NO_MENTION, EACH_PARTY):
                    cells.append(blank[line, int(choice == EACH_PARTY)])
                    continue
                starts, ends = (_longs(list(own)) for own in zip(*places, strict=True))
                ends_of = (states[clause, starts] + states[clause, ends - 1]) / 2
                both = torch.cat([ends_of, key[line].expand(len(places), -1)], -1)
                mixed = functional.gelu(self.mix(self.drop(both)), approximate="tanh")
                cells.append(self.score(mixed).squeeze(-1).logsumexp(0))
            row = torch.stack(cells)
            table.append(functional.pad(row, (0, width - len(row)), value=FAR))
        return torch.stack(table)


def group_names(heads: Sequence[Head]) -> list[str]:
    """Return the groups of questions in their order; a question without one is its own."""
    return sorted({each.group or each.name for each in heads})


def prepare(
    tokenizer: Tokenizer, heads: Sequence[Head], examples: Sequence[Example]
) -> Iterator[Read]:
    """Yield clauses with all that is asked of them."""
    for each in examples:
        tokens = read_tokens(tokenizer, each.provision, each.clause)
        asked = []
        for row, head in enumerate(heads):
            if head.provision != each.provision:
                continue
            choices, places = tuple(head.options), ()
            if head.kind is not None:
                mentioned = tokens.places[head.kind]
                blank = (NO_MENTION, *([EACH_PARTY] if head.kind is MentionKind.PARTY else []))
                choices = (*mentioned, *blank)
                places = (*mentioned.values(), *(() for _ in blank))
            answer = each.answers.get(head.question)
            right = choices.index(answer) if answer in choices else -1
            asked.append(Asked(row, choices, places, right))
        yield Read(each.id, each.fold, tokens, tuple(asked))


def learn(start: Path, heads: Sequence[Head], clauses: Sequence[Read], fold: int) -> ClauseReader:
    """Learn from the clauses that a fold leaves."""
    torch.manual_seed(100 + fold)
    chance = random.Random(100 + fold)
    model = ClauseReader(start, heads).to(DEVICE).train()
    own = [each for each in clauses if each.fold != fold]
    body = [each for each in model.transformer.parameters() if each.requires_grad]
    known = set(map(id, model.transformer.parameters()))
    rest = [each for each in model.parameters() if id(each) not in known]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": RATE}, {"params": rest, "lr": HEAD_RATE}], weight_decay=DECAY
    )
    steps = EPOCHS * math.ceil(len(own) / SIZE)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda step: min(1, (step + 1) / (WARM_UP * steps)) * max(LEAST_RATE, 1 - step / steps),
    )
    done = 0
    for _ in range(EPOCHS):
        for batch in _batches(own, chance):
            asked = [
                (at, each) for at, one in enumerate(batch) for each in one.asked if each.right >= 0
            ]
            right = _longs([each.right for _, each in asked])
            loss = functional.cross_entropy(model(batch, asked), right)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            if done % 100 == 0:
                print(f"fold {fold}: step {done} of {steps}, loss {loss.item():.3f}", flush=True)
    return model.eval()


def _batches(clauses: list[Read], chance: random.Random) -> list[list[Read]]:
    """Draw batches of like length, in an order of chance."""
    chance.shuffle(clauses)
    batches = []
    for start in range(0, len(clauses), SIZE * SHUFFLED):
        own = sorted(clauses[start : start + SIZE * SHUFFLED], key=lambda one: len(one.tokens.ids))
        batches += [own[at : at + SIZE] for at in range(0, len(own), SIZE)]
    chance.shuffle(batches)
    return batches


def answer(
    model: ClauseReader, clauses: Sequence[Read]
) -> Iterator[tuple[str, int, dict[str, float]]]:
    """Yield a clause, a question's row and the logarithm of each choice's probability."""
    with torch.inference_mode():
        for one in clauses:
            asked = [(0, each) for each in one.asked]
            shares = model([one], asked).log_softmax(-1).tolist()
            for (_, each), row in zip(asked, shares, strict=True):
                yield one.id, each.row, dict(zip(each.choices, row, strict=False))


def write(model: ClauseReader, heads: Sequence[Head], start: Path) -> None:
    """Write graph, heads and tokenizer; the card is written by `training.verdicts.train`."""
    OUT.mkdir(parents=True, exist_ok=True)
    model = model.cpu().float()
    with tempfile.TemporaryDirectory() as made:
        fp32 = Path(made) / "fp32.onnx"
        _export(model.transformer, fp32)
        quantise(fp32, OUT / GRAPH, Path(made))
    weights = {
        name: value.detach().numpy().astype(np.float16)
        for name, value in model.named_parameters()
        if not name.startswith("transformer.")
    }
    names = {"questions": np.array([each.name for each in heads]), "groups": np.array(model.groups)}
    np.savez_compressed(OUT / HEADS, **weights, **names)
    plain_tokenizer(start).save(str(OUT / "tokenizer.json"), pretty=False)


class _States(torch.nn.Module):
    """The states alone, of inputs by their places."""

    def __init__(self, transformer: torch.nn.Module) -> None:
        super().__init__()
        self.transformer = transformer

    def forward(self, ids: torch.Tensor, shown: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        output = self.transformer(input_ids=ids, attention_mask=shown, token_type_ids=kinds)
        return output.last_hidden_state


def _export(transformer: torch.nn.Module, path: Path) -> None:
    ids = torch.tensor([[101, 2023, 102, 2003, 102], [101, 2023, 102, 102, 0]])
    free = {name: {0: "batch", 1: "tokens"} for name in (*INPUTS, "states")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of shapes
        torch.onnx.export(
            _States(transformer),
            (ids, (ids > 0).long(), torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 1, 0]])),
            path,
            dynamo=False,
            opset_version=OPSET,
            input_names=list(INPUTS),
            output_names=["states"],
            dynamic_axes=free,
        )


def _batch(clauses: Sequence[Read]) -> tuple[torch.Tensor, ...]:
    shape = (len(clauses), max(len(each.tokens.ids) for each in clauses))
    ids, kinds = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    marks = torch.zeros(shape)
    for row, each in enumerate(clauses):
        size = len(each.tokens.ids)
        ids[row, :size] = torch.tensor(each.tokens.ids)
        kinds[row, each.tokens.first : size] = 1
        marks[row, slice(*each.tokens.marked)] = 1
    return ids.to(DEVICE), (ids > 0).long().to(DEVICE), kinds.to(DEVICE), marks.to(DEVICE)


def _longs(values: Sequence[int]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.long, device=DEVICE)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--start", type=Path, required=True, help="the reader to start from")
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="learn from all, and write the model")
    given = parser.parse_args()
    given.run.mkdir(parents=True, exist_ok=True)
    heads = load_heads()
    tokenizer = plain_tokenizer(given.start)
    clauses = list(prepare(tokenizer, heads, load_examples(given.data)))
    if given.write:
        write(learn(given.start, heads, clauses, ALL), heads, given.start)
        return
    contrary = list(prepare(tokenizer, heads, list(load_contrary())))
    path = given.run / OUT_OF_FOLD
    answers_by_row = pickle.loads(path.read_bytes()) if path.is_file() else {}  # noqa: S301 - our own
    for fold in range(FOLDS):
        if any(key[1] == fold for key in answers_by_row):
            continue
        model = learn(given.start, heads, clauses, fold)
        own = [*(each for each in clauses if each.fold == fold), *contrary]
        answers_by_row |= {
            (id_, fold, heads[row].question): odds for id_, row, odds in answer(model, own)
        }
        path.write_bytes(pickle.dumps(answers_by_row))
        print(f"fold {fold} of {FOLDS}", flush=True)


if __name__ == "__main__":
    main()
