r"""Teach a smaller encoder to give the vectors of the one that ships: fewer layers, the same words.

The student begins as the teacher with some of its layers and learns from texts alone, without
labels: the state of each token after the last layer, and the vector of the text, are drawn to the
teacher's (the first as in DistilBERT, the second as in Sentence-Transformers' model distillation).
Texts are passages and sentences of contracts, headings, terms, ACORD's clauses, ContractNLI's
evidence, and questions; the embeddings stay as they are. What models are judged on is left out, as
for the teacher (`encoder.data`).

    python -m training.common.shipped_weights --out RUN/teacher
    python -m training.encoder.distil --data DIR --library contracts.db --teacher RUN/teacher \
        --layers 0 2 5 --run RUN
    python -m training.encoder.distil --run RUN --export RUN/int8
    python -m training.encoder.judge --data DIR --library contracts.db --cache RUN/vectors \
        --model ENCODER --model RUN/int8 --out scores.json
    python -m training.encoder.distil --run RUN --scores scores.json --export OUT

A run that is stopped goes on from its last checkpoint in RUN.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import pickle
import time
from collections.abc import Sequence
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import yaml
from torch.nn import functional
from transformers import AutoModel, PreTrainedModel

import fourcorners
from fourcorners.models.registry import DEFAULT_ENCODER, load_encoder
from fourcorners_bench.precedents.loader import Format
from training.encoder.batches import TEMPLATES
from training.encoder.data import (
    HELD_FOLD,
    digest,
    judged_texts,
    phrasings,
    read_contracts,
    read_hypotheses,
    read_precedents,
    usable,
    without_held,
)
from training.encoder.export import plain_tokenizer, write_files

LONGEST = 256  # tokens, as the model reads
TOKENS = 4096  # of a step, padding included
POOL = 64  # steps' worth of texts that are sorted by length together
RATE, LEAST_RATE, WARM_UP, DECAY = 4e-4, 0.02, 0.04, 0.01
STATES = 0.3  # what the states of tokens count beside the vector of the text
PASSAGES, SENTENCES = 0.6, 0.35  # the shares that are learned from: each holds the other's words
OFTEN = {"questions": 4, "ACORD's clauses": 3}  # times an epoch; each other text once
EVERY = 200  # steps between checkpoints
ROOT = Path(__file__).parents[1]
TEACHER = Path(fourcorners.__file__).parent / "models/weights" / DEFAULT_ENCODER
LIMITS = """\
English-language commercial contracts and non-disclosure agreements, as the teacher.
Learned from texts of four folds of five of CUAD: what is built on its vectors scores better there
than on contracts it has not seen; the held-out fold is what counts.
"""


def gather(data: Path, library: Path, seed: int) -> tuple[list[str], dict[str, object]]:
    """Return the texts to learn from, and what a card says of them."""
    random = np.random.default_rng(seed)
    contracts = read_contracts(data / "cuad", library)
    acord = read_precedents(data / "acord", load_encoder(DEFAULT_ENCODER, threads=1))
    judged = judged_texts(contracts, acord, data / "contractnli")
    parts: dict[str, list[str]] = {"passages": [], "sentences": [], "headings and terms": []}
    for contract in contracts:
        if contract.fold == HELD_FOLD:
            continue
        passages = [contract.passage(at) for at in range(len(contract.passages))]
        drawn = random.random(len(passages)) < PASSAGES
        parts["passages"] += [
            each
            for each, is_drawn in zip(passages, drawn, strict=True)
            if is_drawn and judged.lets(each, "passages")
        ]
        fine = np.flatnonzero(usable(contract, judged))
        for at in fine[random.random(len(fine)) < SENTENCES].tolist():
            under = contract.under_headings(at) if random.random() < 0.5 else contract.sentence(at)
            parts["sentences"].append(under)
        parts["headings and terms"] += [
            f"{name}\n{body}" if random.random() < 0.5 else name
            for name, body in (*contract.headed, *contract.terms)
            if judged.lets(body, "headings and terms")
        ]
    graded = without_held(acord, judged)
    used = sorted({clause for _, own in graded for clause in own})
    parts["ACORD's clauses"] = [acord.clauses[each] for each in used]
    questions = json.loads((data / "legalbench-rag/questions.json").read_text("utf-8"))
    hypotheses = read_hypotheses(data / "contractnli", questions["contractnli"], judged)
    parts["ContractNLI's evidence"] = list(hypotheses.texts)
    asked = [one for each in hypotheses.wordings for one in each]
    for forms in phrasings(questions["cuad"]):
        names = forms["name"]
        asked += [*forms["question"], *forms["definition"], *names]
        asked += [template.format(name) for template in TEMPLATES for name in names]
    asked += [query.wording(form) for query, _ in graded for form in Format]
    with (ROOT / "answer_reader/lay_questions.jsonl").open(encoding="utf-8") as file:
        asked += [json.loads(line)["ask"] for line in file]
    parts["questions"] = list(dict.fromkeys(asked))
    texts = [one for each in parts.values() for one in dict.fromkeys(each) if one.strip()]
    for name, times in OFTEN.items():
        texts += (times - 1) * list(dict.fromkeys(parts[name]))
    facts = {
        "texts": {name: len(dict.fromkeys(each)) for name, each in parts.items()},
        "texts_sha256": digest(list(dict.fromkeys(texts))),
        "leakage": {
            "rule": "dropped: over 20% of a text's runs of eight words stand in judged texts",
            "seen": judged.seen,
            "dropped": judged.dropped,
        },
    }
    return texts, facts


def student_of(teacher: PreTrainedModel, layers: Sequence[int]) -> PreTrainedModel:
    """Return a copy of the teacher with some of its layers."""
    student = copy.deepcopy(teacher)
    kept = [student.encoder.layer[at] for at in layers]
    student.encoder.layer = torch.nn.ModuleList(kept)
    student.config.num_hidden_layers = len(layers)
    for name, value in student.named_parameters():
        value.requires_grad = not name.startswith(("embeddings.", "pooler."))
    return student


def batches(lengths: Sequence[int], seed: int) -> list[list[int]]:
    """Return an epoch: places of texts of like length, in batches of some `TOKENS` tokens."""
    random = np.random.default_rng(seed)
    order = random.permutation(len(lengths)).tolist()
    mean = max(1, int(np.mean(lengths)))
    size = POOL * TOKENS // mean
    found: list[list[int]] = []
    for start in range(0, len(order), size):
        pool = sorted(order[start : start + size], key=lambda at: lengths[at])
        batch: list[int] = []
        for at in pool:
            if batch and (len(batch) + 1) * lengths[at] > TOKENS:
                found.append(batch)
                batch = []
            batch.append(at)
        found.append(batch)
    return [found[at] for at in random.permutation(len(found)).tolist()]


class Teacher:
    """What the teacher says of each token: it reads a text once in a run, and a file keeps it."""

    def __init__(self, source: Path, ids: Sequence[Sequence[int]], kept: Path) -> None:
        self._model = AutoModel.from_pretrained(source, attn_implementation="sdpa").eval()
        same: dict[tuple[int, ...], int] = {}
        tokens = 0
        self._first = []
        for each in ids:
            first = same.setdefault(tuple(each), tokens)
            tokens += len(each) if first == tokens else 0
            self._first.append(first)
        shape = (tokens, self._model.config.hidden_size)
        self._states = np.memmap(kept, np.float16, "r+" if kept.is_file() else "w+", shape=shape)

    def states(self, own: Sequence[int], rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the states of the texts at `own`, whose ids are `rows`: texts x tokens x size."""
        wanted = np.zeros((*rows.shape, self._states.shape[1]), np.float16)
        places = [(self._first[at], int(shown)) for at, shown in zip(own, mask.sum(1), strict=True)]
        for at, (first, many) in enumerate(places):
            wanted[at, :many] = self._states[first : first + many]
        if not wanted[:, 0].any(axis=1).all():
            with torch.inference_mode():
                read = self._model(input_ids=rows, attention_mask=mask).last_hidden_state
            wanted = read.to(torch.float16).numpy()
            for at, (first, many) in enumerate(places):
                self._states[first : first + many] = wanted[at, :many]
        return torch.from_numpy(wanted).float()


def pooled(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return a unit vector a text: the mean of its tokens' states."""
    shown = mask.unsqueeze(-1).float()
    return functional.normalize((states * shown).sum(1) / shown.sum(1), dim=1)


def loss_of(
    states: torch.Tensor, wanted: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return how far vectors of texts are from the teacher's, and states of tokens."""
    apart = 1 - (pooled(states, mask) * pooled(wanted, mask)).sum(1)
    per_token = 1 - functional.cosine_similarity(states, wanted, dim=-1)
    return apart.mean(), (per_token * mask).sum() / mask.sum()


def rate_at(step: int, steps: int) -> float:
    """Return the rate of a step: it rises, then falls as a cosine."""
    warm = WARM_UP * steps
    if step < warm:
        return RATE * (step + 1) / warm
    share = (step - warm) / (steps - warm)
    return RATE * (LEAST_RATE + (1 - LEAST_RATE) * (1 + math.cos(math.pi * share)) / 2)


def learn(texts: Sequence[str], source: Path, layers: Sequence[int], run: Path, epochs: float,
          seed: int) -> None:  # fmt: skip
    """Learn, from the last checkpoint if there is one, and save the student."""
    torch.manual_seed(seed)
    whole = AutoModel.from_pretrained(source, attn_implementation="sdpa")
    student = student_of(whole, layers).eval()  # without dropout: it is to say the same
    tokenizer = plain_tokenizer(source)
    tokenizer.enable_truncation(LONGEST)
    ids = [each.ids for each in tokenizer.encode_batch(list(texts))]
    lengths = [len(each) for each in ids]
    teacher = Teacher(source, ids, run / "states.f16")
    plan = [one for epoch in range(int(np.ceil(epochs))) for one in batches(lengths, seed + epoch)]
    steps = int(len(plan) * epochs / np.ceil(epochs))
    values = [each for each in student.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(values, lr=RATE, weight_decay=DECAY, betas=(0.9, 0.98))
    kept, first = run / "checkpoint.pt", 0
    if kept.is_file():
        state = torch.load(kept, weights_only=True)
        student.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        first = state["step"]
    means, began = [0.0, 0.0], time.monotonic()
    for step in range(first, steps):
        own = plan[step]
        width = max(lengths[at] for at in own)
        rows = torch.tensor([ids[at] + [0] * (width - lengths[at]) for at in own])
        mask = (rows > 0).long()
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, steps)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            wanted = teacher.states(own, rows, mask)
            states = student(input_ids=rows, attention_mask=mask).last_hidden_state
        apart, per_token = loss_of(states.float(), wanted, mask)
        optimiser.zero_grad()
        (apart + STATES * per_token).backward()
        torch.nn.utils.clip_grad_norm_(values, 1.0)
        optimiser.step()
        share = 1 / min(step - first + 1, 50)
        for at, each in enumerate((apart, per_token)):
            means[at] += share * (each.item() - means[at])
        if (step + 1) % 20 == 0:
            took = (time.monotonic() - began) / (step + 1 - first)
            print(f"{step + 1}/{steps} vectors {means[0]:.4f}, tokens {means[1]:.4f}, "
                  f"{took:.2f} s a step, {took * (steps - step - 1) / 60:.1f} min left",
                  flush=True)  # fmt: skip
        if (step + 1) % EVERY == 0 or step + 1 == steps:
            state = {"model": student.state_dict(), "optimiser": optimiser.state_dict(),
                     "step": step + 1}  # fmt: skip
            torch.save(state, kept.with_suffix(".part"))
            kept.with_suffix(".part").rename(kept)
            save(student, source, run / "model")


def save(student: PreTrainedModel, source: Path, out: Path) -> None:
    """Write the student as a folder that transformers reads."""
    out.mkdir(parents=True, exist_ok=True)
    student.save_pretrained(out)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        if (source / name).is_file():
            (out / name).write_bytes((source / name).read_bytes())


def ship(run: Path, scores: Path | None, out: Path) -> None:
    """Write the student's files, int8, with their card."""
    written = write_files(run / "model", out)
    facts = json.loads((run / "facts.json").read_text("utf-8"))
    teacher = yaml.safe_load((TEACHER / "card.yaml").read_text("utf-8"))
    judged = json.loads(scores.read_text("utf-8")) if scores else []
    card = {
        "name": out.name,
        "version": str(int(teacher["version"]) + (out.name == teacher["name"])),
        "kind": "encoder",
        "description": f"{len(facts['layers'])} layers of MiniLM-L6, which learned to give the "
        "vectors of all six, which had learned from questions and clauses of contracts; "
        "int8 weights per channel, mean pooling and L2 normalisation in the graph.",
        "dimension": written["dimension"],
        "max_tokens": written["max_tokens"],
        "licence": "Apache-2.0",
        "data_licence": "CC BY 4.0: CUAD v1 and ACORD, The Atticus Project; ContractNLI, Stanford "
        "NLP and Hitachi America",
        "source": teacher["source"],
        "teacher": {name: teacher[name] for name in ("name", "version", "files")},
        "command": "python -m training.encoder.distil",
        **{name: written[name] for name in ("made_with", "cosine_to_fp32", "files")},
        "settings": {
            "layers": facts["layers"],
            "epochs": facts["epochs"],
            "steps": torch.load(run / "checkpoint.pt", weights_only=True)["step"],
            "tokens_of_a_step": TOKENS,
            "rate": RATE,
            "what_states_count": STATES,
            "tokens": LONGEST,
        },
        "splits": teacher["splits"],
        "data": {name: facts[name] for name in ("texts", "texts_sha256", "leakage")},
        "scores": {"this": judged[-1], "teacher": judged[0]} if judged else None,
        "limits": LIMITS,
        "learned_from": teacher["learned_from"],
    }
    (out / "card.yaml").write_text(
        yaml.safe_dump(
            card, sort_keys=False, width=96, allow_unicode=True, default_flow_style=None
        ),
        "utf-8",
    )


def main() -> None:
    """Read and learn, or write the files of what was learned."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--teacher", type=Path, help="what common/shipped_weights.py wrote")
    parser.add_argument("--layers", type=int, nargs="+", default=[0, 2, 5])
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--texts", type=Path, help="keep the texts there, for several runs")
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--export", type=Path, help="write the model's files there, and end")
    parser.add_argument("--scores", type=Path, help="what judge.py wrote, ours last")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    given.run.mkdir(parents=True, exist_ok=True)
    if given.export:
        ship(given.run, given.scores, given.export)
        return
    if not given.data or not given.library or not given.teacher:
        parser.error("--data, --library and --teacher are needed to learn")
    kept = given.texts or given.run / "texts.pickle"
    if not kept.is_file():
        kept.write_bytes(pickle.dumps(gather(given.data, given.library, given.seed)))
    texts, facts = pickle.loads(kept.read_bytes())  # noqa: S301 - our own cache
    facts["layers"], facts["epochs"] = given.layers, given.epochs
    (given.run / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    print(json.dumps(facts["texts"]), flush=True)
    learn(texts, given.teacher, given.layers, given.run, given.epochs, given.seed)


if __name__ == "__main__":
    main()
