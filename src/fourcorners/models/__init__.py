"""Local models on ONNX Runtime, with their weights and cards, and adapters for others."""

from fourcorners.models.card import ModelInfo
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.registry import (
    available_models,
    default_clause_reader,
    default_encoder,
    default_reranker,
    load_encoder,
    shipped_reranker,
)
from fourcorners.models.reranker.protocol import Reranker, probabilities

__all__ = [
    "Encoder",
    "ModelInfo",
    "Reranker",
    "available_models",
    "default_clause_reader",
    "default_encoder",
    "default_reranker",
    "load_encoder",
    "probabilities",
    "shipped_reranker",
]
