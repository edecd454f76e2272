"""A model of pairs: its tokenizer, its logits, its graph."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Encoding, Tokenizer

from training.encoder.export import OPSET, plain_tokenizer

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def pair_tokenizer(source: Path, longest: int) -> Tokenizer:
    """Return the tokenizer of pairs, of which the second text is cut."""
    tokenizer = plain_tokenizer(source)
    tokenizer.enable_truncation(longest, strategy="only_second")
    return tokenizer


def pair_batches(
    tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], together: int
) -> Iterator[tuple[list[int], list[Encoding], tuple[torch.Tensor, ...]]]:
    """Yield pairs of like length together: their places, encodings, and what the model takes."""
    encodings = tokenizer.encode_batch(list(pairs))
    order = sorted(range(len(pairs)), key=lambda at: len(encodings[at].ids))
    for start in range(0, len(order), together):
        places = order[start : start + together]
        own = [encodings[at] for at in places]
        shape = (len(own), max(len(each.ids) for each in own))
        ids, kinds = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
        for row, each in enumerate(own):
            ids[row, : len(each.ids)] = torch.tensor(each.ids)
            kinds[row, : len(each.ids)] = torch.tensor(each.type_ids)
        yield places, own, (ids, (ids > 0).long(), kinds)


def export(model: torch.nn.Module, path: Path, outputs: Sequence[str]) -> None:
    """Write the fp32 graph; batch and length stay free."""
    ids = torch.tensor([[101, 2023, 102, 2003, 102], [101, 2023, 102, 102, 0]])
    free = {name: {0: "batch", 1: "tokens"} for name in INPUTS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer warns of shapes
        torch.onnx.export(
            model,
            (ids, (ids > 0).long(), torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 1, 0]])),
            path,
            dynamo=False,
            opset_version=OPSET,
            input_names=list(INPUTS),
            output_names=list(outputs),
            dynamic_axes={**free, **{name: {0: "batch"} for name in outputs}},
        )
