"""Local models on ONNX Runtime, with their weights and cards."""

from fourcorners.models.card import ModelInfo
from fourcorners.models.encoder import Encoder
from fourcorners.models.registry import available, default_encoder, load_encoder

__all__ = ["Encoder", "ModelInfo", "available", "default_encoder", "load_encoder"]
