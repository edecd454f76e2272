"""Local models on ONNX Runtime, with their weights and cards, and adapters for others."""

from fourcorners.models.card import ModelInfo
from fourcorners.models.encoder import Encoder
from fourcorners.models.registry import (
    available,
    default_clause_reader,
    default_encoder,
    default_reranker,
    load_encoder,
)
from fourcorners.models.reranker import Reranker, probabilities

__all__ = [
    "Encoder",
    "ModelInfo",
    "Reranker",
    "available",
    "default_clause_reader",
    "default_encoder",
    "default_reranker",
    "load_encoder",
    "probabilities",
]
