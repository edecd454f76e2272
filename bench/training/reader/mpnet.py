"""MPNet (Song et al. 2020) with a mask: a clause is read once, and many questions of it with it.

The one of `transformers` counts distances by the place in the row, so that a question behind others
would be far from the clause; here each question has its own positions, right after the clause.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional

BUCKETS, FARTHEST = 32, 128
FAR = -1e4  # the log-odds of what is not allowed
FIRST_POSITION = 2
DROPPED = 0.1


def relative_buckets(positions: torch.Tensor) -> torch.Tensor:
    """Return the bucket of each pair of positions: (n, t) -> (n, t, t)."""
    back = positions[:, :, None] - positions[:, None, :]
    half = BUCKETS // 2
    ahead = (back < 0).long() * half
    far = back.abs()
    exact = half // 2
    scaled = torch.log(far.clamp(min=1).float() / exact) / math.log(FARTHEST / exact)
    coarse = exact + (scaled * (half - exact)).long()
    return ahead + torch.where(far < exact, far, coarse.clamp(max=half - 1))


class Layer(nn.Module):
    def __init__(self, size: int, heads: int, inner: int, dropped: float) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(size, size) for _ in range(4))
        self.norm = nn.LayerNorm(size, eps=1e-5)
        self.up, self.down = nn.Linear(size, inner), nn.Linear(inner, size)
        self.norm2 = nn.LayerNorm(size, eps=1e-5)
        self.drop = nn.Dropout(dropped)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        n, t, size = x.shape
        q, k, v = (
            each(x).view(n, t, self.heads, -1).transpose(1, 2) for each in (self.q, self.k, self.v)
        )
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = self.norm(x + self.o(mixed.transpose(1, 2).reshape(n, t, size)))
        return self.norm2(x + self.drop(self.down(functional.gelu(self.up(x)))))


class MPNet(nn.Module):
    def __init__(self, folder: Path, layers: int = 12, frozen: int = 0) -> None:
        super().__init__()
        config = json.loads((folder / "config.json").read_text("utf-8"))
        self.size = size = config["hidden_size"]
        heads = config["num_attention_heads"]
        self.words = nn.Embedding(config["vocab_size"], size)
        self.places = nn.Embedding(config["max_position_embeddings"], size)
        self.norm = nn.LayerNorm(size, eps=1e-5)
        self.bias = nn.Embedding(BUCKETS, heads)
        self.layers = nn.ModuleList(
            Layer(size, heads, config["intermediate_size"], 0.0 if at < frozen else DROPPED)
            for at in range(layers)
        )
        self._load(load_file(folder / "model.safetensors"))
        for module in (self.words, self.places, self.norm, self.bias, *self.layers[:frozen]):
            module.requires_grad_(False)

    def _load(self, found: dict[str, torch.Tensor]) -> None:
        names = {
            "words.weight": "embeddings.word_embeddings.weight",
            "places.weight": "embeddings.position_embeddings.weight",
            "norm.weight": "embeddings.LayerNorm.weight",
            "norm.bias": "embeddings.LayerNorm.bias",
            "bias.weight": "encoder.relative_attention_bias.weight",
        }
        parts = {
            "q": "attention.attn.q",
            "k": "attention.attn.k",
            "v": "attention.attn.v",
            "o": "attention.attn.o",
            "norm": "attention.LayerNorm",
            "up": "intermediate.dense",
            "down": "output.dense",
            "norm2": "output.LayerNorm",
        }
        for at in range(len(self.layers)):
            for own, theirs in parts.items():
                for kind in ("weight", "bias"):
                    names[f"layers.{at}.{own}.{kind}"] = f"encoder.layer.{at}.{theirs}.{kind}"
        self.load_state_dict({own: found[theirs] for own, theirs in names.items()})

    def forward(
        self, ids: torch.Tensor, positions: torch.Tensor, segments: torch.Tensor
    ) -> torch.Tensor:
        """Return states. A token sees those of the same segment and of the clause, which is 0."""
        sees = (segments[:, None, :] == 0) | (segments[:, None, :] == segments[:, :, None])
        x = self.words(ids) + self.places(positions + FIRST_POSITION)
        x = self.norm(x)
        bias = self.bias(relative_buckets(positions)).permute(0, 3, 1, 2)
        bias = bias.masked_fill(~sees[:, None], FAR)
        if torch.is_autocast_enabled("cpu"):
            bias = bias.to(torch.get_autocast_dtype("cpu"))
        for layer in self.layers:
            x = layer(x, bias)
        return x
