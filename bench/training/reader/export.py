"""Write the teacher as the reader that ships: an int8 graph, its embeddings, tokenizer and card.

    python -m training.reader.export --base DIR/all-mpnet-base-v2 --run RUN --out OUT

The graph reads one clause with its questions. Most weights are small whole numbers
(`quantise.py`), which a wheel packs into half. What the graph gives is held against torch on
families that were left out.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import nn
from torch.nn import functional

from fourcorners.models.card import save_card
from fourcorners.models.reader.reader import LIMITS, OUTPUTS, Answer, OnnxReader, open_reader
from fourcorners.models.session import EMBEDDINGS, GRAPH, TOKENIZER
from training.common.pack import optimised
from training.reader.data import MOST as MOST_TOKENS
from training.reader.data import Clause, Kind, packs, read_tokenizer
from training.reader.lessons import family_clauses
from training.reader.model import SHA256, Teacher, collate, load_teacher
from training.reader.mpnet import FAR, FARTHEST, FIRST_POSITION, Layer, relative_buckets
from training.reader.quantise import MOST, STEP, Whole, quantise, round_channels, shrunk
from training.verdicts.data import JUDGED_FOLD

OPSET = 17
DESCRIPTION = (
    "MPNet (110M parameters) reads a clause with a question or a statement: yes, no, depends or "
    "none, the words that answer, the party, and whether it answers at all; int8."
)
DATA_LICENCE = (
    "CC BY 4.0: CUAD v1, The Atticus Project; ContractNLI, Stanford NLP and Hitachi America. "
    "The families of clauses, their questions and the labels are the project's own."
)
INPUTS = ("ids", "positions", "segments", "ends", "size")
EVERY = 150  # of the clauses that are learned: one in so many shows what activations are like
QUANTISED, TURNED = "_quantized", "_Transposed"  # how the quantiser names weights
Weights = Mapping[str, Whole]
VOCABULARY = "vocabulary"  # what the graph calls the embeddings outside it


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
        """Return log-odds: answers (q, 5), words (q, size + 1, 2), parties (q, size + 2, 2)."""
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
    asked = x * shrunk(layer.q)
    q, k, v = (
        each(asked).view(-1, heads, size // heads).transpose(0, 1)
        for each in (layer.q, layer.k, layer.v)
    )
    scores = q @ k.transpose(1, 2) / (size // heads) ** 0.5 + bias
    mixed = (scores.softmax(-1) @ v).transpose(0, 1).reshape(-1, size)
    x = layer.norm(x + layer.o(mixed))
    raised = functional.gelu(layer.up(x * shrunk(layer.up)))
    return layer.norm2(x + layer.down(raised * shrunk(layer.down)))


def write_graph(teacher: Teacher, weights: Weights, out: Path) -> None:
    """Write the int8 graph of a smooth teacher, and its embeddings."""
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
        quantised, packed = Path(name, "quantised.onnx"), Path(name, "packed.onnx")
        quantize_dynamic(prepared, quantised, per_channel=True, weight_type=QuantType.QInt8)
        graph = onnx.load(quantised)
        put_weights(graph, onnx.load(prepared), weights)
        onnx.save(graph, packed)
        take_out_words(graph := optimised(packed), out)
        (out / GRAPH).write_bytes(graph.SerializeToString())


def put_weights(graph: onnx.ModelProto, floats: onnx.ModelProto, own: Weights) -> None:
    """Put the weights of the layers into an int8 graph, and round the others like them."""
    whole = {each.name: each for each in floats.graph.initializer}
    held = {each.name: each for each in graph.graph.initializer}
    put = 0
    for name, numbers in held.items():
        base = name.removesuffix(QUANTISED)
        scale = held.get(f"{base}_scale")
        if base == name or scale is None or numpy_helper.to_array(scale).size == 1:
            continue
        plain = base.removesuffix(TURNED)
        found = own.get(plain.removeprefix("teacher."))
        put += found is not None
        if found is None:
            weights = numpy_helper.to_array(whole[plain])
            found = round_channels(weights.T if plain != base else weights)
        numbers.CopyFrom(numpy_helper.from_array(found.numbers, name))
        scale.CopyFrom(numpy_helper.from_array(found.sizes, scale.name))
    if put != len(own):
        raise SystemExit(f"the graph lacks {len(own) - put} of {len(own)} weights.")


def take_out_words(graph: onnx.ModelProto, out: Path) -> None:
    """Write the embeddings of words apart from a graph, which then names them only."""
    initializers = {each.name: each for each in graph.graph.initializer}
    held = max(initializers.values(), key=lambda each: len(each.raw_data))
    base = held.name.removesuffix(QUANTISED)
    scale, zero = initializers[f"{base}_scale"], initializers[f"{base}_zero_point"]
    size, middle = (numpy_helper.to_array(each) for each in (scale, zero))
    floats = (numpy_helper.to_array(held).astype(np.float32) - middle) * size
    step = np.float32(max(STEP * floats.std(), np.abs(floats).max() / MOST))
    whole = (np.round(floats / step) + MOST).astype(np.uint8)
    np.savez(out / EMBEDDINGS, **{VOCABULARY: whole})
    scale.CopyFrom(numpy_helper.from_array(step.reshape(size.shape), scale.name))
    zero.CopyFrom(numpy_helper.from_array(np.full(middle.shape, MOST, np.uint8), zero.name))
    old, held.name = held.name, VOCABULARY
    held.ClearField("raw_data")
    held.data_location = TensorProto.EXTERNAL
    held.external_data.add(key="location", value=EMBEDDINGS)
    for node in graph.graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = VOCABULARY if name == old else name


Odds = tuple[torch.Tensor, list[tuple[torch.Tensor, torch.Tensor]]]


@torch.no_grad()
def answers_of(teacher: Teacher, clauses: Sequence[Clause]) -> list[Odds]:
    """Return the teacher's log-odds, of answers and of words, a pair for each pack."""
    return [teacher(collate([pack])) for pack in packs(clauses, random.Random(0))]


def compare(
    clauses: Sequence[Clause], odds: Sequence[Odds], reader: OnnxReader
) -> dict[str, float]:
    """Return how often the reader's answer is the teacher's, and how far chances are apart."""
    names = ("same", "apart", "right", "right_before")
    found: dict[str, list[float]] = {name: [] for name in names}
    words: list[bool] = []
    for (clause, asked), (before, spans) in zip(
        packs(clauses, random.Random(0)), odds, strict=True
    ):
        outputs = [reader.run(clause.ids, each.ids) for each in asked]
        for each, output, own in zip(asked, outputs, before, strict=True):
            if each.kind is Kind.ASK:
                after, own = torch.tensor(output[0][: len(Answer)]), own[: len(Answer)]
                found["same"].append(int(after.argmax()) == int(own.argmax()))
                found["apart"].append((after.softmax(-1) - own.softmax(-1)).abs().mean().item())
                found["right"].append(int(after.argmax()) == each.answer)
                found["right_before"].append(int(own.argmax()) == each.answer)
        for kind, (chosen, points) in zip((Kind.WORDS, Kind.WHOSE), spans, strict=True):
            for row, own in zip(chosen.tolist(), points, strict=True):
                after = torch.tensor(outputs[row][kind])
                words.append(bool((after.argmax(0) == own.argmax(0)).all()))
    shares = {name: round(float(np.mean(each)), 4) for name, each in found.items()}
    return {
        "questions": len(found["same"]),
        **shares,
        "same_words": round(float(np.mean(words)), 4),
    }


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
    tokenizer.save(str(given.out / TOKENIZER), pretty=False)
    clauses = family_clauses(tokenizer)
    left_out = [each for each in clauses if each.group == JUDGED_FOLD][::12]
    answers = answers_of(teacher, left_out)
    learned = [each for each in clauses if each.group != JUDGED_FOLD][::EVERY]
    write_graph(teacher, quantise(teacher, learned), given.out)
    (given.out / LIMITS).write_text("{}", "utf-8")
    write_card(given.out, {})
    agreement = compare(left_out, answers, open_reader(given.out))
    write_card(given.out, agreement)
    print(agreement)


def write_card(out: Path, agreement: Mapping[str, float]) -> None:
    card = {
        "name": "reader",
        "version": "1",
        "kind": "reader",
        "description": DESCRIPTION,
        "dimension": len(Answer) + 1,
        "max_tokens": MOST_TOKENS,
        "licence": "Apache-2.0",
        "data_licence": DATA_LICENCE,
        "source": "sentence-transformers/all-mpnet-base-v2",
        "source_sha256": SHA256,
        "command": "python -m training.reader.export",
        "agreement_with_torch": dict(agreement),
        "files": {
            name: hashlib.sha256((out / name).read_bytes()).hexdigest()
            for name in (GRAPH, EMBEDDINGS, TOKENIZER, LIMITS)
        },
    }
    save_card(out, card)


if __name__ == "__main__":
    main()
