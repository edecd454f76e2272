"""Write a reader as an int8 ONNX graph: `model.onnx`, `tokenizer.json` and a card.

    python -m training.reader.export --base DIR/all-mpnet-base-v2 --run RUN --out OUT

The graph reads one clause with its questions. Weights are quantised per channel, activations as
they come. What it gives is held against torch on families that were left out.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import tempfile
import warnings
from pathlib import Path

import onnxruntime
import torch
import yaml
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from training.reader.data import MOST, Kind, packs
from training.reader.lessons import JUDGED_FOLD, family_clauses
from training.reader.model import SHA256, Teacher, collate, load_teacher, read_tokenizer
from training.reader.mpnet import FAR, FARTHEST, FIRST_POSITION, Layer, relative_buckets

OPSET = 17
INPUTS = ("ids", "positions", "segments", "ends", "size")
OUTPUTS = ("answers", "words", "parties")


class OneClause(nn.Module):
    """A clause of `size` tokens with its questions as one row: t tokens in all, q questions."""

    def __init__(self, teacher: Teacher) -> None:
        super().__init__()
        self.teacher = teacher
        back = torch.arange(-FARTHEST, FARTHEST + 1)
        buckets = relative_buckets(torch.stack([back, torch.zeros_like(back)], 1))[:, 0, 1]
        self.register_buffer("distances", teacher.base.bias.weight[buckets].detach().clone())

    def forward(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        segments: torch.Tensor,
        ends: torch.Tensor,
        size: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        """Return log-odds: answers (q, 4), words (q, size + 1, 2), parties (q, size + 2, 2)."""
        base = self.teacher.base
        x = base.norm(base.words(ids) + base.places(positions + FIRST_POSITION))
        back = (positions[:, None] - positions[None, :]).clamp(-FARTHEST, FARTHEST) + FARTHEST
        bias = self.distances[back].permute(2, 0, 1)
        sees = (segments[None, :] == 0) | (segments[None, :] == segments[:, None])
        bias = bias + (1.0 - sees.to(bias.dtype)) * FAR
        for layer in base.layers:
            x = _attend(layer, x, bias)
        asked = x[ends]
        teacher = self.teacher
        answers = teacher.out(torch.tanh(teacher.dense(asked)))
        own = x[1 : size - 1]
        edge = torch.full((asked.shape[0], 1, 2), FAR)
        spans = []
        for at, kind in enumerate((Kind.WORDS, Kind.WHOSE)):
            question = teacher.of_question[at](asked)
            joined = functional.gelu(teacher.of_token[at](own)[None] + question[:, None])
            points = teacher.point[at](joined)
            other = teacher.other[at](torch.tanh(question))[:, :, None].expand(-1, -1, 2)
            if kind is Kind.WORDS:
                other = other[:, :1]
            spans.append(torch.cat([edge, points, edge, other], 1))
        return (answers, *spans)


def _attend(layer: Layer, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    heads, size = layer.heads, x.shape[1]
    q, k, v = (
        each(x).view(-1, heads, size // heads).transpose(0, 1)
        for each in (layer.q, layer.k, layer.v)
    )
    scores = q @ k.transpose(1, 2) / (size // heads) ** 0.5 + bias
    mixed = (scores.softmax(-1) @ v).transpose(0, 1).reshape(-1, size)
    x = layer.norm(x + layer.o(mixed))
    return layer.norm2(x + layer.down(functional.gelu(layer.up(x))))


def write_graph(teacher: Teacher, out: Path) -> None:
    """Write the int8 graph of a teacher in evaluation mode."""
    model = OneClause(teacher).eval()
    example = (
        torch.tensor([0, 2, 3, 4, 2, 5, 6, 2, 7, 2]),
        torch.tensor([0, 1, 2, 3, 4, 5, 6, 7, 5, 6]),
        torch.tensor([0, 0, 0, 0, 0, 1, 1, 1, 2, 2]),
        torch.tensor([7, 9]),
        torch.tensor(5),
    )
    axes = {"ids": {0: "tokens"}, "positions": {0: "tokens"}, "segments": {0: "tokens"}}
    axes |= {"ends": {0: "questions"}, "answers": {0: "questions"}}
    axes |= {name: {0: "questions", 1: "places"} for name in OUTPUTS[1:]}
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of shapes that `compare` then verifies
        plain, prepared = Path(name, "plain.onnx"), Path(name, "prepared.onnx")
        torch.onnx.export(
            model,
            example,
            plain,
            dynamo=False,
            opset_version=OPSET,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_axes=axes,
        )
        quant_pre_process(plain, prepared, skip_symbolic_shape=True)
        quantize_dynamic(prepared, out, per_channel=True, weight_type=QuantType.QInt8)


def compare(teacher: Teacher, graph: Path, tokenizer: Tokenizer) -> dict[str, float]:
    """Return how far the graph agrees with torch on clauses of families that were left out."""
    own = [each for each in family_clauses(tokenizer) if each.group == JUDGED_FOLD][::12]
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    same = count = 0
    far = 0.0
    for pack in packs(own, random.Random(0)):
        batch = collate([pack])
        with torch.no_grad():
            answers, _ = teacher(batch)
        tokens = batch.tokens
        feed = {
            "ids": batch.ids[0, :tokens],
            "positions": batch.positions[0, :tokens],
            "segments": batch.segments[0, :tokens],
            "ends": batch.ends,
            "size": torch.tensor(len(pack[0].ids)),
        }
        found = session.run(None, {name: each.numpy() for name, each in feed.items()})[0]
        chances = torch.tensor(found).softmax(-1) - answers.softmax(-1)
        far += chances.abs().sum().item() / len(answers[0])
        same += (torch.tensor(found).argmax(-1) == answers.argmax(-1)).sum().item()
        count += len(answers)
    return {"questions": count, "same": round(same / count, 4), "apart": round(far / count, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    teacher = load_teacher(given.base, given.run).eval()
    tokenizer = read_tokenizer(given.base)
    tokenizer.save(str(given.out / "tokenizer.json"), pretty=False)
    graph = given.out / "model.onnx"
    write_graph(teacher, graph)
    agreement = compare(teacher, graph, tokenizer)
    print(agreement)
    card = {
        "name": "reader",
        "version": "1",
        "kind": "reader",
        "description": "Reads a clause with questions: yes, no, depends or none; the words; whose.",
        "max_tokens": MOST,
        "licence": "Apache-2.0",
        "source": "sentence-transformers/all-mpnet-base-v2",
        "source_sha256": SHA256,
        "command": "python -m training.reader.export",
        "agreement_with_torch": agreement,
        "files": {
            name: hashlib.sha256((given.out / name).read_bytes()).hexdigest()
            for name in ("model.onnx", "tokenizer.json")
        },
    }
    (given.out / "card.yaml").write_text(yaml.safe_dump(card, sort_keys=False, width=96), "utf-8")


if __name__ == "__main__":
    main()
