"""Read the weights of the reader that ships, so that learning continues where it ended.

The state of a run is not kept with the project. The int8 weights are, and what their rounding is
off by is learned back in a few steps.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper

from fourcorners.models.session import EMBEDDINGS, GRAPH
from training.reader.export import VOCABULARY
from training.reader.model import Teacher
from training.reader.mpnet import FARTHEST, relative_buckets

QUANTISED, WEIGHT, BIAS = "_quantized", ".weight", ".bias"
PREFIX = "teacher."  # of the names of weights in the graph
PRODUCTS = ("MatMulIntegerToFloat", "DynamicQuantizeMatMul")
Floats = NDArray[np.float32]


def load_shipped(base: Path, folder: Path, frozen: int) -> Teacher:
    """Return a teacher with the weights of a reader that was exported to a folder."""
    graph = onnx.load(folder / GRAPH, load_external_data=False).graph
    own = {
        each.name: numpy_helper.to_array(each)
        for each in graph.initializer
        if each.data_location != onnx.TensorProto.EXTERNAL
    }
    with np.load(folder / EMBEDDINGS, allow_pickle=False) as arrays:
        own[f"{PREFIX}base.words.weight{QUANTISED}"] = arrays[VOCABULARY]
    found = {
        name.removeprefix(PREFIX): values
        for name, values in own.items()
        if name.startswith(PREFIX) and values.dtype == np.float32
    }
    for name in ("base.words.weight", "base.places.weight"):
        found[name] = _floats(own, PREFIX + name)
    for node in graph.node:
        if node.op_type in PRODUCTS:
            held = next(each for each in node.input if each.endswith(QUANTISED) and each in own)
            bias = next(each for each in node.input if each.endswith(BIAS))
            weight = _floats(own, held.removesuffix(QUANTISED))
            weight = weight * _shrunk(graph, node, own)[:, None]
            found[bias.removeprefix(PREFIX).removesuffix(BIAS) + WEIGHT] = weight.T
    found["base.bias.weight"] = _distances(_floats(own, "distances"))
    teacher = Teacher(base, frozen)
    state = teacher.state_dict()
    for name, values in found.items():
        if name not in state:
            continue  # how large the numbers of a weight are
        if values.shape != state[name].shape:
            raise SystemExit(f"{folder}: {name} is {values.shape} in its graph.")
        state[name] = torch.from_numpy(np.ascontiguousarray(values))
    if lacking := sorted(set(state) - set(found)):
        raise SystemExit(f"{folder}: its graph lacks {', '.join(lacking)}.")
    teacher.load_state_dict(state)
    return teacher


def _floats(own: dict[str, NDArray[np.generic]], name: str) -> Floats:
    numbers = own[name + QUANTISED].astype(np.float32)
    middle = own[f"{name}_zero_point"].astype(np.float32)
    floats: Floats = (numbers - middle) * own[f"{name}_scale"]
    return floats


def _shrunk(
    graph: onnx.GraphProto, node: onnx.NodeProto, own: dict[str, NDArray[np.generic]]
) -> Floats:
    """Return what the input of a product is multiplied by, channel by channel."""
    name = node.input[0]
    made = {output: each for each in graph.node for output in each.output}
    if made[name].op_type == "DynamicQuantizeLinear":
        name = made[name].input[0]
    multiplied = made[name]
    for each in multiplied.input if multiplied.op_type == "Mul" else ():
        if each in own and own[each].ndim == 1:
            return own[each].astype(np.float32)
    return np.ones(1, np.float32)


def _distances(rows: Floats) -> Floats:
    """Return a row a bucket of distances, of rows for each distance there and back."""
    back = torch.arange(-FARTHEST, FARTHEST + 1)
    buckets = relative_buckets(torch.stack([back, torch.zeros_like(back)], 1))[:, 0, 1].numpy()
    return np.stack([rows[buckets == each].mean(0) for each in range(buckets.max() + 1)])
