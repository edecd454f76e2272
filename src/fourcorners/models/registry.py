"""The catalogue of the models that are shipped with the package, and of those configured."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.models.card import CARD_FILE, ModelInfo, load_card
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.reranker.protocol import Reranker, ThresholdReranker

if TYPE_CHECKING:
    from fourcorners.models.clause_reader.reader import ClauseReader
    from fourcorners.models.reader.reader import OnnxReader
    from fourcorners.models.verdict_reader.reader import VerdictReader
    from fourcorners.settings import EncoderSettings, RerankerSettings

WEIGHTS = Path(__file__).parent / "weights"
DEFAULT_ENCODER = "fourcorners-encoder"
CLAUSE_READER = "clause-reader"
PRECEDENTS = "precedents"
ENTAILMENT = "entailment"
VERDICT_READER = "verdict-reader"
READER = "reader"
ORDER_READER = "order-reader"


def available_models() -> list[ModelInfo]:
    return [load_card(card.parent) for card in sorted(WEIGHTS.glob(f"*/{CARD_FILE}"))]


def model_folders() -> list[Path]:
    """Return the folder of each model that there should be, whether it is whole or not."""
    names = (
        *(DEFAULT_ENCODER, CLAUSE_READER, PRECEDENTS, ENTAILMENT),
        *(VERDICT_READER, READER, ORDER_READER),
    )
    needed = {WEIGHTS / name for name in names}
    return sorted(needed | {path for path in WEIGHTS.glob("*") if path.is_dir()})


def shared_bytes() -> int:
    """Return the size of what models share: a tokenizer, and the embeddings of its tokens."""
    return sum(path.stat().st_size for path in WEIGHTS.iterdir() if path.is_file())


def load_encoder(name: str, *, threads: int | None = None) -> Encoder:
    """Return an encoder by name; its files are read and verified on the first `encode`.

    Raises:
        ConfigError: If no encoder has that name.
        ModelError: If its card is missing or damaged.
    """
    from fourcorners.models.encoder.onnx import OnnxEncoder

    known = sorted(card.parent.name for card in WEIGHTS.glob(f"*/{CARD_FILE}"))
    if name not in known and name != DEFAULT_ENCODER:
        offered = [info.name for info in available_models() if info.kind == "encoder"]
        near = get_close_matches(name, offered, n=1)
        raise ConfigError(
            f"no encoder is called {name!r}.",
            remedy=f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(offered)}.",
        )
    info = load_card(WEIGHTS / name)
    if info.kind != "encoder":
        raise ConfigError(f"the model {name!r} is no encoder: it is a {info.kind}.")
    return OnnxEncoder(info, threads=threads)


def default_encoder(
    settings: EncoderSettings | None = None, *, threads: int | None = None
) -> Encoder:
    """Return the encoder that the settings name: the shipped one where they name none.

    Nothing is loaded or called before the first `encode`.

    Raises:
        ConfigError: If they lack what it needs.
        ModelError: If the card of a shipped model is missing or damaged.
    """
    if settings is None:
        return load_encoder(DEFAULT_ENCODER, threads=threads)
    if settings.kind == "remote":
        from fourcorners.models.remote import remote_encoder

        return remote_encoder(settings)
    if settings.kind == "sentence-transformers":
        from fourcorners.models.encoder.transformers import TransformersEncoder

        if not settings.model:
            raise ConfigError(
                "an encoder of sentence-transformers needs model.",
                remedy="Say its name or folder as model under [encoder].",
            )
        return TransformersEncoder(settings.model, dimension=settings.dimension)
    if settings.url:
        raise ConfigError(
            "url under [encoder] is said, but its kind is 'local', which calls no server.",
            remedy='Say kind = "remote" under [encoder], or leave the url out.',
        )
    encoder = load_encoder(settings.model or DEFAULT_ENCODER, threads=threads)
    if settings.dimension not in {None, encoder.dimension}:
        raise ConfigError(
            f"the encoder {encoder.name} gives vectors of {encoder.dimension} dimensions, "
            f"not of {settings.dimension}.",
            remedy="Leave dimension under [encoder] out.",
        )
    return encoder


@cache
def default_clause_reader() -> ClauseReader:
    """Return the reader of clauses that reviews use; nothing is loaded before it is asked.

    Raises:
        ModelError: If its card is missing or damaged.
    """
    from fourcorners.models.clause_reader.reader import open_reader

    return open_reader(WEIGHTS / CLAUSE_READER)


def default_verdict_reader() -> VerdictReader:
    """Return the reader of what clauses say, with the corrections of the settings, if any.

    Nothing is loaded before it is asked.

    Raises:
        ConfigError: If the settings are wrong, or their folder is not there.
        ModelError: If its card is missing or damaged, or the corrections are of other heads.
    """
    from fourcorners.settings import Settings

    folder = Settings.load().verdicts.path
    return shipped_verdict_reader() if folder is None else _corrected_reader(folder)


@cache
def shipped_verdict_reader() -> VerdictReader:
    """Return the reader of what clauses say that comes with the package.

    Raises:
        ModelError: If its card is missing or damaged.
    """
    from fourcorners.models.verdict_reader.reader import open_verdict_reader

    return open_verdict_reader(WEIGHTS / VERDICT_READER)


@cache
def _corrected_reader(folder: Path) -> VerdictReader:
    from fourcorners.models.verdict_reader.reader import open_corrections

    return open_corrections(folder, shipped_verdict_reader())


@cache
def default_reader() -> OnnxReader:
    """Return the reader of clauses and questions; nothing is loaded before it is asked.

    Raises:
        ModelError: If its card is missing or damaged.
    """
    from fourcorners.models.reader.reader import open_reader

    return open_reader(WEIGHTS / READER)


def shipped_reranker() -> Reranker:
    """Return the reader as a reranker; nothing is loaded before it is asked.

    Raises:
        ModelError: If its card is missing or damaged.
    """
    from fourcorners.models.reader.reader import AnswerReranker

    return AnswerReranker(default_reader())


def default_reranker(settings: RerankerSettings, *, threads: int | None = None) -> Reranker | None:
    """Return the reranker of the settings, with their threshold; None where they name none.

    Raises:
        ConfigError: If the settings lack something, or their folder is not there.
        ModelError: If a file of the model is missing, or its card damaged.
    """
    reranker = _named_reranker(settings, threads)
    if reranker is None or settings.threshold is None:
        return reranker
    return ThresholdReranker(reranker, settings.threshold)


def _named_reranker(settings: RerankerSettings, threads: int | None) -> Reranker | None:
    if settings.kind == "reader":
        return shipped_reranker()
    if settings.kind == "remote":
        from fourcorners.models.remote import remote_reranker

        return remote_reranker(settings)
    if settings.url:
        raise ConfigError(
            "url under [reranker] is said, but its kind is 'local', which calls no server.",
            remedy='Say kind = "remote" under [reranker], or leave the url out.',
        )
    if settings.path is None:
        return None
    from fourcorners.models.reranker.onnx import OnnxReranker, reranker_card

    return OnnxReranker(reranker_card(settings.path), threads=threads)
