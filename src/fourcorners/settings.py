"""Settings: what was said outright, else the environment, else a file, else the default.

The file is `fourcorners.toml` in the working folder or, if there is none, in the user's
configuration folder. In the environment the names are `FOURCORNERS_LIBRARY` and so on, and
`FOURCORNERS_ENCODER_URL` for `url` in the file's section `[encoder]`.
Importing this module takes a fifth of a second: do it where a command runs.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from platformdirs import user_config_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from fourcorners.errors import ConfigError

FILE_NAME = "fourcorners.toml"
LIBRARY_NAME = "fourcorners.db"
PREFIX = "FOURCORNERS_"


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_library() -> str:
    """Return the library in the working folder if there is one, else the user's own."""
    here = Path(LIBRARY_NAME)
    return str(here if here.exists() else user_data_path("fourcorners") / LIBRARY_NAME)


class EncoderSettings(BaseModel):
    """What makes the vectors; by default the encoder of the package, and no network.

    Attributes:
        kind: `local` for a shipped model, `remote` for an OpenAI-compatible server,
            `sentence-transformers` for a model of that package.
        model: Its name; of a `sentence-transformers` model, or its folder.
        url: Of a `remote` server, up to the version: `http://localhost:11434/v1`.
        key: What the server knows this user by.
        dimension: Of the vectors; a `remote` server needs it said.
        batch: How many texts go in one request.
        timeout: Seconds that a request may take.
        attempts: How often a request is made before it has failed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    kind: Literal["local", "remote", "sentence-transformers"] = "local"
    model: str = ""
    url: str = ""
    key: SecretStr = SecretStr("")
    dimension: int | None = Field(default=None, ge=1, le=65_536)
    batch: int = Field(default=64, ge=1, le=2_048)
    timeout: float = Field(default=60.0, gt=0)
    attempts: int = Field(default=5, ge=1, le=20)


class RerankerSettings(BaseModel):
    """Which cross-encoder reads the best hits again; by default none.

    Attributes:
        path: A folder with model.onnx and tokenizer.json.
        max_tokens: Of question and passage together; by default what the model's card says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path | None = None
    max_tokens: int | None = Field(default=None, ge=16, le=8_192)


class Settings(BaseSettings):
    """What the operator decides; read with `Settings.load`, which explains what is wrong.

    Attributes:
        library: The library's path or URL.
        jobs: How many files are read at once.
        memory_mb: By how many megabytes the reader of one file may grow.
        seconds: How long the reading of one file may take.
        ocr: Whether pages without text are recognised, where an engine is installed.
        ocr_seconds: How long that may take for one file, beside `seconds`.
        encoder: What makes the vectors.
        reranker: What reads the best hits again.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
    )

    library: str = Field(default_factory=default_library, min_length=1)
    jobs: int = Field(default_factory=processors, ge=1, le=256)
    memory_mb: int = Field(default=1500, ge=64)
    seconds: float = Field(default=60.0, gt=0)
    ocr: bool = True
    ocr_seconds: float = Field(default=1800.0, gt=0)
    encoder: EncoderSettings = EncoderSettings()
    reranker: RerankerSettings = RerankerSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the base class names them
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put the sources in order, the strongest first."""
        return init_settings, env_settings, _FileSource(settings_cls)

    @classmethod
    def load(
        cls,
        *,
        library: str | None = None,
        jobs: int | None = None,
        memory_mb: int | None = None,
        seconds: float | None = None,
        ocr: bool | None = None,
        ocr_seconds: float | None = None,
    ) -> Settings:
        """Read the settings; an argument that is not None overrides every other source.

        Raises:
            ConfigError: If a value or a key is wrong; the message names it and its place.
        """
        said: dict[str, object] = {
            "library": library,
            "jobs": jobs,
            "memory_mb": memory_mb,
            "seconds": seconds,
            "ocr": ocr,
            "ocr_seconds": ocr_seconds,
        }
        overrides = {key: value for key, value in said.items() if value is not None}
        try:
            return cls(**overrides)  # type: ignore[arg-type]
        except ValidationError as error:
            raise _explained(error, overrides) from error


class _FileSource(PydanticBaseSettingsSource):
    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[object, str, bool]:
        raise NotImplementedError  # `__call__` reads the file at once

    def __call__(self) -> dict[str, object]:
        file = settings_file()
        return _read(file, list(self.settings_cls.model_fields)) if file else {}


def settings_file() -> Path | None:
    """Return the file that settings are read from, if there is one."""
    for folder in (Path(), user_config_path("fourcorners")):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    return None


def _read(file: Path, known: list[str]) -> dict[str, object]:
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", remedy="Mend it as TOML.") from error
    for key in values:
        if key not in known:
            near = get_close_matches(key, known, n=2, cutoff=0.5)
            raise ConfigError(
                f"{file} has an unknown key {key!r}.",
                remedy=f"Did you mean {' or '.join(near)}?"
                if near
                else f"Known are {', '.join(known)}.",
            )
    library = values.get("library")
    if isinstance(library, str) and library and ":" not in library:
        values["library"] = str(file.parent / Path(library).expanduser())
    reranker = values.get("reranker")
    if isinstance(reranker, dict) and isinstance(reranker.get("path"), str):
        reranker["path"] = str(file.parent / Path(reranker["path"]).expanduser())
    return values


def _explained(error: ValidationError, overrides: Mapping[str, object]) -> ConfigError:
    fault = error.errors()[0]
    keys = [str(step) for step in fault["loc"]]
    variable = f"{PREFIX}{'_'.join(keys).upper()}"
    if keys[0] in overrides:
        place = f"--{keys[0].replace('_', '-')}"
    elif os.environ.get(variable):
        place = f"the environment's {variable}"
    else:
        place = f"{'.'.join(keys)} in {settings_file()}"
    # What stands in a section may be a secret, even under a misspelt key.
    value = f" is {fault['input']!r}" if len(keys) == 1 and keys[0] in _SHOWN else ""
    return ConfigError(f"{place}{value}: {fault['msg']}.", remedy="Correct it.")


_SHOWN = frozenset(Settings.model_fields) - {"encoder", "reranker"}
