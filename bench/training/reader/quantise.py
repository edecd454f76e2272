"""Make the weights of a teacher whole numbers of few bits, so that its answers stay the same.

Activations are quantised as they come, by their largest value in a run. A few channels of MPNet are
many times larger than the rest; part of their size is first moved into the weights that read them
(SmoothQuant, Xiao et al. 2023, section 4). Weights are then rounded one input after another, and
what a rounding is off by is made up for by the inputs that follow (GPTQ, Frantar et al. 2023,
section 3), as far as they go together in clauses that the teacher learned from.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from training.reader.data import Clause, length, packs
from training.reader.model import Teacher, collate
from training.reader.mpnet import Layer

MOVED = 0.8  # how much of the size of activations goes into the weights; 0.5 is the paper's
STEP = 0.35  # between whole numbers: of the usual size of a channel's weights
MOST = 127  # a whole number is at most, on either side of nought
DAMPED = 0.01  # of the mean of the diagonal, added to it
BLOCK = 128  # inputs that are rounded before what they are off by is passed on


@dataclass(frozen=True, slots=True)
class Whole:
    """Weights as whole numbers (inputs, channels), and the size of one of each channel."""

    numbers: NDArray[np.int8]
    sizes: NDArray[np.float32]


class _Inputs:
    """What the inputs of a product are like: the largest of each, and how they go together.

    Attributes:
        tokens: Of what is read; behind them is padding.
    """

    tokens = 0

    def __init__(self, size: int) -> None:
        self.largest = torch.zeros(size)
        self.products = torch.zeros(size, size)

    def see(self, _: nn.Module, given: tuple[torch.Tensor], __: torch.Tensor) -> None:
        rows = given[0].detach().flatten(0, -2)[: self.tokens]
        self.largest = torch.maximum(self.largest, rows.abs().amax(0))
        self.products += rows.T @ rows


@torch.no_grad()
def quantise(teacher: Teacher, clauses: Sequence[Clause]) -> dict[str, Whole]:
    """Return the weights of the layers by their names.

    The teacher's weights are made smooth in place: what an input must then be multiplied by is put
    on its product as `shrunk`, by channel.
    """
    inputs = {
        own[0]: _Inputs(own[0].in_features)
        for layer in teacher.base.layers
        for own in _readers(layer)
    }
    hooks = [linear.register_forward_hook(each.see) for linear, each in inputs.items()]
    for pack in packs(clauses, random.Random(0)):
        _Inputs.tokens = length(pack)
        teacher(collate([pack]))
    for hook in hooks:
        hook.remove()
    found = {}
    for number, layer in enumerate(teacher.base.layers):
        names = {linear: name for name, linear in layer.named_children()}
        for own in reversed(_readers(layer)):  # what `o` moves goes into `v`
            seen = inputs.pop(own[0])
            size = _move(own, seen.largest)
            if own[0] is layer.o:  # its input is what `v` gives, weighed
                layer.v.weight.div_(size[:, None])
                layer.v.bias.div_(size)
            else:
                own[0].shrunk = 1 / size
            factors = _factors(seen.products / size / size[:, None])
            for linear in own:
                key = f"base.layers.{number}.{names[linear]}.weight"
                found[key] = _settle(linear.weight, factors)
    return found


def _readers(layer: Layer) -> tuple[tuple[nn.Linear, ...], ...]:
    """Return the products of a layer, those of one input together."""
    return (layer.q, layer.k, layer.v), (layer.up,), (layer.down,), (layer.o,)


def _move(own: Sequence[nn.Linear], largest: torch.Tensor) -> torch.Tensor:
    """Multiply the weights of products of one input; return by what, for each channel."""
    weights = torch.stack([each.weight.abs().amax(0) for each in own]).amax(0)
    size = largest.clamp(min=1e-5) ** MOVED / weights.clamp(min=1e-5) ** (1 - MOVED)
    size = size.clamp(min=1e-4)
    for each in own:
        each.weight.mul_(size)
    return size


def shrunk(linear: nn.Module) -> torch.Tensor:
    """Return what the input of a product is multiplied by, channel by channel."""
    found: torch.Tensor = getattr(linear, "shrunk", torch.ones(1))
    return found


def _factors(products: torch.Tensor) -> torch.Tensor:
    """Return the upper Cholesky factor of the inverse of products (inputs, inputs)."""
    products = products + DAMPED * products.diagonal().mean() * torch.eye(len(products))
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(products))
    return torch.linalg.cholesky(inverse, upper=True)


def _settle(weight: torch.Tensor, factors: torch.Tensor) -> Whole:
    """Return a weight (channels, inputs) rounded input by input (GPTQ, algorithm 1)."""
    left = weight.detach().clone()
    sizes = torch.from_numpy(round_channels(left.T.numpy()).sizes)
    numbers = torch.zeros_like(left)
    for start in range(0, left.shape[1], BLOCK):
        end = min(start + BLOCK, left.shape[1])
        off = torch.zeros_like(left[:, start:end])
        for at in range(start, end):
            numbers[:, at] = (left[:, at] / sizes).round().clamp(-MOST, MOST)
            off[:, at - start] = (left[:, at] - numbers[:, at] * sizes) / factors[at, at]
            left[:, at:end] -= off[:, at - start, None] * factors[at, at:end]
        left[:, end:] -= off @ factors[start:end, end:]
    return Whole(np.ascontiguousarray(numbers.T.numpy(), np.int8), sizes.numpy())


def round_channels(weights: NDArray[np.float32]) -> Whole:
    """Round weights (inputs, channels); few are far from nought, so they take few bits packed."""
    usual = np.sqrt((weights**2).mean(0))
    sizes = np.maximum(STEP * usual, np.abs(weights).max(0) / MOST).astype(np.float32)
    sizes = np.maximum(sizes, np.float32(1e-9))
    numbers = np.clip(np.round(weights / sizes), -MOST, MOST)
    return Whole(np.ascontiguousarray(numbers, np.int8), sizes)
