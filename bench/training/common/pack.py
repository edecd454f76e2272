r"""Make a transformer of the package small and quick to load: `model.onnx` and its card.

The graph is written as ONNX Runtime would run it, so that nothing is left to be made better at each
start, and its embeddings and tokenizer are taken out where they are those that the package has once
for all models (`weights/embeddings.npz`, `weights/tokenizer.json`): all learn from MiniLM and leave
its embeddings as they are. What the graph gives stays the same to the last bit, which is checked;
so the model stays known by the hash that it had, and what was made with it remains valid.

    python -m training.common.pack src/fourcorners/models/weights/fourcorners-encoder

`--new` first makes the shared files those of this model. `products.onnx`, by which the program sees
whether a processor adds products of int8 exactly, is written with `--products FILE`.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from fourcorners.models.card import CARD_FILE, load_card
from fourcorners.models.session import EMBEDDINGS, GRAPH, TOKENIZER
from fourcorners.text.patterns import load_yaml

NAMES = {
    "word_embeddings.weight_quantized": "words",
    "position_embeddings.weight_quantized": "positions",
}
IDS = "input_ids"
TRIED = (1, 17, 256)  # tokens of what is run before and after
FILES = re.compile(r"^files:(?: \{[^}]*\}\n|\n(?: .*\n)+)", re.MULTILINE)  # in a card
Arrays = Mapping[str, NDArray[np.generic]]


def optimised(graph: Path) -> onnx.ModelProto:
    """Return the graph after the optimisations that hold for every processor."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder) / GRAPH)
        onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        made = onnx.load(Path(folder) / GRAPH)
    used = {each.domain for each in made.graph.node}
    imports = [each for each in made.opset_import if each.domain in used]
    del made.opset_import[:]
    made.opset_import.extend(imports)
    return made


def embeddings_of(model: onnx.ModelProto) -> dict[str, TensorProto]:
    """Return the embeddings that a graph holds, by the names they are shared under."""
    return {
        shared: each
        for each in model.graph.initializer
        for own, shared in NAMES.items()
        if each.name.endswith(own)
    }


def take_out(model: onnx.ModelProto, arrays: Arrays) -> None:
    """Take the embeddings out of a graph, which then names them only."""
    renamed = {}
    for name, each in embeddings_of(model).items():
        if not np.array_equal(numpy_helper.to_array(each), arrays[name]):
            raise SystemExit(f"the embeddings {each.name} are not those that models share.")
        renamed[each.name] = each.name = name
        each.ClearField("raw_data")
        each.data_location = TensorProto.EXTERNAL
        each.external_data.add(key="location", value=f"../{EMBEDDINGS}")
    if set(renamed.values()) != set(NAMES.values()):
        raise SystemExit("the graph does not hold the embeddings that models share.")
    for node in model.graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = renamed.get(name, name)


def run(graph: bytes, arrays: Arrays) -> list[NDArray[np.generic]]:
    """Return what a graph gives for tokens drawn at random."""
    options = onnxruntime.SessionOptions()
    shared = [onnxruntime.OrtValue.ortvalue_from_numpy(each) for each in arrays.values()]
    options.add_external_initializers(list(arrays), shared)
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    random = np.random.default_rng(0)
    found = []
    for tokens in TRIED:
        ids = random.integers(1_000, 20_000, (1, tokens))
        ones = np.ones_like(ids)
        found += session.run(None, {name: ids if name == IDS else ones for name in names})
    return found


def pack(folder: Path, *, new: bool) -> None:
    """Pack the model in a folder of the package's weights."""
    weights = folder.parent
    before = (folder / GRAPH).read_bytes()
    known_by = load_card(folder).identity.rpartition("-")[2]
    model = optimised(folder / GRAPH)
    shared = {name: numpy_helper.to_array(each) for name, each in embeddings_of(model).items()}
    if new:
        np.savez(weights / EMBEDDINGS, **shared)
        (weights / TOKENIZER).write_bytes((folder / TOKENIZER).read_bytes())
    with np.load(weights / EMBEDDINGS) as held:
        arrays = {name: held[name] for name in held.files}
    if (folder / TOKENIZER).read_bytes() != (weights / TOKENIZER).read_bytes():
        raise SystemExit("the tokenizer is not the one that models share.")
    take_out(model, arrays)
    after = model.SerializeToString()
    for one, other in zip(run(before, {}), run(after, arrays), strict=True):
        if not np.array_equal(one, other):
            raise SystemExit("the packed graph gives something else.")
    (folder / GRAPH).write_bytes(after)
    (folder / TOKENIZER).unlink()
    card = (folder / CARD_FILE).read_text("utf-8")
    own = [name for name in load_yaml(card)["files"] if name != TOKENIZER]
    hashes = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in (f"../{TOKENIZER}", f"../{EMBEDDINGS}", *own)
    }
    listed = "".join(f"  {name}: {value}\n" for name, value in hashes.items())
    (folder / CARD_FILE).write_text(
        FILES.sub(f"hash: '{known_by}'\nfiles:\n{listed}", card, count=1), "utf-8"
    )
    print(f"{folder.name}: {len(before):,} bytes, now {len(after):,}")


def products() -> bytes:
    """Return a graph that adds 64 products of int8, all of them the largest."""
    weights = numpy_helper.from_array(np.full((64, 16), 127, np.int8), "weights")
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["values", "weights"], ["products"])],
        "products",
        [helper.make_tensor_value_info("values", TensorProto.UINT8, [16, 64])],
        [helper.make_tensor_value_info("products", TensorProto.INT32, [16, 16])],
        [weights],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--new", action="store_true", help="share this model's embeddings")
    parser.add_argument("--products", type=Path, help="write the graph of products there")
    given = parser.parse_args()
    if given.products:
        given.products.write_bytes(products())
    for folder in given.folders:
        pack(folder, new=given.new)


if __name__ == "__main__":
    main()
