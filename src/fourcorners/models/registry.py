"""The catalogue of the models that are shipped with the package."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.models.card import CARD, ModelInfo, read_card
from fourcorners.models.encoder import Encoder
from fourcorners.models.reranker import Reranker

if TYPE_CHECKING:
    from fourcorners.settings import RerankerSettings

WEIGHTS = Path(__file__).parent / "weights"
DEFAULT_ENCODER = "minilm-l6-v2"


def available() -> list[ModelInfo]:
    """Return the models at hand, by name."""
    return [read_card(card.parent) for card in sorted(WEIGHTS.glob(f"*/{CARD}"))]


def load_encoder(name: str, *, threads: int | None = None) -> Encoder:
    """Return an encoder by name; its files are read and verified on the first `encode`.

    Raises:
        ConfigError: If no encoder has that name.
        ModelError: If its card is missing or damaged.
    """
    from fourcorners.models.onnx_encoder import OnnxEncoder

    known = sorted(card.parent.name for card in WEIGHTS.glob(f"*/{CARD}"))
    if name not in known and name != DEFAULT_ENCODER:
        near = get_close_matches(name, known, n=1)
        raise ConfigError(
            f"no encoder is called {name!r}.",
            remedy=f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}.",
        )
    info = read_card(WEIGHTS / name)
    if info.kind != "encoder":
        raise ConfigError(f"the model {name!r} is no encoder: it is a {info.kind}.")
    return OnnxEncoder(info, threads=threads)


def default_encoder(*, threads: int | None = None) -> Encoder:
    """Return the encoder used where none is named; nothing is loaded before the first `encode`.

    Raises:
        ModelError: If its card is missing or damaged.
    """
    return load_encoder(DEFAULT_ENCODER, threads=threads)


def default_reranker(*, threads: int | None = None) -> Reranker | None:
    """Return the reranker of the settings, None where they name none.

    Raises:
        ConfigError: If the settings are wrong, or their folder is not there.
        ModelError: If a file of the model is missing, or its card damaged.
    """
    from fourcorners.settings import Settings

    return configured_reranker(Settings.load().reranker, threads=threads)


def configured_reranker(
    settings: RerankerSettings, *, threads: int | None = None
) -> Reranker | None:
    """Return the reranker that the settings name, None if they name none.

    Raises:
        ConfigError: If their folder is not there.
        ModelError: If a file of the model is missing, or its card damaged.
    """
    if settings.path is None:
        return None
    from fourcorners.models.onnx_reranker import OnnxReranker, reranker_card

    info = reranker_card(settings.path, max_tokens=settings.max_tokens)
    return OnnxReranker(info, threads=threads)
