"""A language model in a GGUF file, served to this machine by llama.cpp; nothing is fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourcorners.errors import ConfigError

LOCAL_PORT = 8089
"""Where a model is served by default: a port that no service has by name (IANA's registry)."""
_HOST = "127.0.0.1"
_MAGIC = b"GGUF"  # with what such a file begins
_ERRORS = 1  # what of its log is shown
_EVALUATED = 512  # tokens of a prompt that are read together


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that answers by the OpenAI protocol until its block ends.

    Attributes:
        name: What requests call it: the name of the file.
        url: Where it answers, up to the version.
        context: Tokens that it reads at once.
    """

    name: str
    url: str
    context: int

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the lines of a settings file that name it."""
        usual = self.url == local_url(LOCAL_PORT)
        where = () if usual else (f'url = "{self.url}"',)
        return ("[llm]", *where, f'model = "local:{self.name}"', f"context = {self.context}")


def local_url(port: int) -> str:
    """Return where a model is served that is given a port."""
    return f"http://{_HOST}:{port}/v1"


@contextmanager
def serve_model(
    file: Path, *, port: int = LOCAL_PORT, context: int, threads: int | None = None
) -> Iterator[LocalModel]:
    """Serve a model to this machine; a port of 0 is any that is free, no threads one a core.

    Raises:
        ConfigError: If the file is no such model, or what serves it is not installed or cannot.
    """
    server = _start(file, port, context, threads or os.cpu_count() or 1)
    yield LocalModel(file.stem, f"{server.listening_address}/v1", context)
    del server  # it stops with its last reference


def _start(file: Path, port: int, context: int, threads: int) -> Any:  # noqa: ANN401 - untyped
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(_MAGIC))
    except OSError as error:
        raise ConfigError(
            f"the model {file} cannot be read: {error.strerror}.", remedy="Name a GGUF file."
        ) from error
    if magic != _MAGIC:
        raise ConfigError(f"{file} is no GGUF file.", remedy="Name the model as a GGUF file.")
    try:
        import xllamacpp
    except ImportError:
        raise ConfigError(
            "what serves models is not installed.",
            remedy="Install it: pip install 'fourcorners[local]'.",
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.model_alias = file.stem
    params.hostnames = [_HOST]
    params.port = port
    params.n_ctx = context
    params.n_batch = _EVALUATED
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.warmup = params.ui = params.endpoint_slots = False
    params.verbosity = _ERRORS
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, OSError, ValueError) as error:
        raise ConfigError(
            f"the model {file.name} was not served at port {port}: {error}",
            remedy="Give another --port, a smaller --context, or another file.",
        ) from error
