"""A model of pairs: its tokenizer, its logits, its graph."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer

from training.encoder.export import OPSET, plain_tokenizer

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def pair_tokenizer(source: Path, longest: int) -> Tokenizer:
    """Return the tokenizer of pairs, of which the second text is cut."""
    tokenizer = plain_tokenizer(source)
    tokenizer.enable_truncation(longest, strategy="only_second")
    return tokenizer


def logits(
    model: torch.nn.Module,
    tokenizer: Tokenizer,
    pairs: Sequence[tuple[str, str]],
    together: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the logits of a model's two heads in the order of the pairs; the first has one each.

    Pairs of like length run together, so many at a time.
    """
    encodings = tokenizer.encode_batch(list(pairs))
    order = sorted(range(len(pairs)), key=lambda at: len(encodings[at].ids))
    firsts, seconds = [], []
    for start in range(0, len(order), together):
        own = [encodings[at] for at in order[start : start + together]]
        shape = (len(own), max(len(each.ids) for each in own))
        ids, kinds = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
        for row, each in enumerate(own):
            ids[row, : len(each.ids)] = torch.tensor(each.ids)
            kinds[row, : len(each.ids)] = torch.tensor(each.type_ids)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            first, second = model(ids, (ids > 0).long(), kinds)
        firsts.append(first.float())
        seconds.append(second.float())
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(firsts)[back, 0], torch.cat(seconds)[back]


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
