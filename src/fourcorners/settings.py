"""Settings: from explicit values, else the environment, else a file, else the default.

The file is `fourcorners.toml` in the working folder or, if there is none, in the user's
configuration folder. In the environment the names are `FOURCORNERS_LIBRARY` and so on, and
`FOURCORNERS_ENCODER_URL` for `url` in the file's section `[encoder]`, and
`FOURCORNERS_LLM_ROLES_JUDGE_MODEL` for `model` in `[llm.roles.judge]`.
`docs/commands.md` says what each setting means. Importing this module takes a fifth of a second: do
it where a command runs.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, get_args

from platformdirs import user_config_path, user_data_path
from pydantic import BaseModel, Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError
from pydantic_settings.sources import PydanticBaseSettingsSource

from fourcorners.errors import ConfigError, describe_problem, name_remedy
from fourcorners.source_settings import (
    AuditSettings,
    MailSettings,
    McpSettings,
    OriginalsSettings,
    ResearchSettings,
    Section,
    WatchSettings,
    WebhookSettings,
    nested_values,
)
from fourcorners.system.processes import usable_cores

FILE_NAME = "fourcorners.toml"
LIBRARY_NAME = "fourcorners.db"
PREFIX = "FOURCORNERS_"
OCR_FACTOR = 30  # recognizing a page takes that many times as long as reading its text
RoleName = Literal[
    "extract", "follow_up", "judge", "write", "archivist", "interrogator", "researcher"
]
_REMOVED = {"ocr_seconds": f"OCR may take {OCR_FACTOR} times `seconds`: set that instead."}


def _default_library_url() -> str:
    here = Path(LIBRARY_NAME)
    return str(here if here.exists() else user_data_path("fourcorners") / LIBRARY_NAME)


class EncoderSettings(Section):
    """What makes the vectors; by default the encoder of the package, and no network."""

    kind: Literal["local", "remote", "sentence-transformers"] = "local"
    model: str = ""
    url: str = ""
    key: SecretStr = SecretStr("")
    dimension: int | None = Field(default=None, ge=1, le=65_536)
    batch: int = Field(default=64, ge=1, le=2_048)


class RerankerSettings(Section):
    """What reads the best hits again; by default nothing."""

    kind: Literal["local", "reader", "remote"] = "local"
    path: Path | None = None
    model: str = ""
    url: str = ""
    key: SecretStr = SecretStr("")
    threshold: float | None = Field(default=None, gt=0, lt=1)


class VerdictsSettings(Section):
    """Which model of a firm's own corrects what is said of clauses; by default none."""

    path: Path | None = None


class LlmRoleSettings(Section):
    """The settings of one role; the rest is as under `[llm]`.

    A plain name is the model's. A role with a model of another provider, or with a separate URL,
    inherits neither URL, key nor prices.
    """

    model: str = ""
    url: str = ""
    key: SecretStr = SecretStr("")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    concurrency: int | None = Field(default=None, ge=1, le=256)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)
    structured: Literal["native", "tool", "prompted"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _name_of_a_model(cls, values: object) -> object:
        """Accept a plain name as the model's."""
        return {"model": values} if isinstance(values, str) else values


class LlmSettings(Section):
    """The language model; by default none, and nothing is ever called."""

    model: str = ""
    url: str = ""
    key: SecretStr = SecretStr("")
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    seed: int | None = None
    max_tokens: int = Field(default=4_096, ge=1, le=1_000_000)
    context: int = Field(default=32_000, ge=2_048, le=10_000_000)
    timeout: float = Field(default=120.0, gt=0)
    attempts: int = Field(default=4, ge=1, le=20)
    concurrency: int = Field(default=4, ge=1, le=256)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)
    structured: Literal["native", "tool", "prompted"] | None = None
    budget: float | None = Field(default=None, ge=0)
    budget_tokens: int | None = Field(default=None, ge=0)
    cache: bool = True
    prompts: Path | None = None
    record: Path | None = None
    replay: Path | None = None
    roles: dict[RoleName, LlmRoleSettings] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _roles_of_the_environment(cls, values: object) -> object:
        """Put `roles_judge_model`, as the environment has it, to its place; it wins there."""
        return nested_values(values, "roles", get_args(RoleName))


class OidcRoleSettings(Section):
    """A role that the members of a group have."""

    group: str = Field(min_length=1, max_length=500)
    role: Literal["reader", "reviewer", "editor", "admin"]
    collection: str = Field(default="", max_length=500)


class OidcSettings(Section):
    """An OpenID Connect provider that people of a team may sign in through; by default none."""

    issuer: str = ""
    client: str = Field(default="", max_length=500)
    secret_env: str = Field(default="", pattern=r"^([A-Z_][A-Z0-9_]*)?$")
    address: str = ""
    title: str = Field(default="your firm's account", min_length=1, max_length=60)
    scopes: tuple[str, ...] = ("openid", "email", "profile")
    hosts: tuple[str, ...] = ()
    name_claim: str = Field(default="email", min_length=1)
    trust_email: bool = False
    groups_claim: str = Field(default="groups", min_length=1)
    userinfo: bool = False
    create: bool = False
    roles: tuple[OidcRoleSettings, ...] = ()
    role_days: int = Field(default=30, ge=1, le=3_660)
    session_hours: float = Field(default=12.0, gt=0, le=168)


class TelemetrySettings(Section):
    """Where the server's traces go, and where it shows metrics; by default nowhere.

    Attributes:
        endpoint: A collector of traces that speaks OTLP over HTTP.
        metrics: The address that Prometheus reads, such as 127.0.0.1:9464.
        metrics_token: What a reader of it sends as a bearer token.
    """

    endpoint: str = ""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    service: str = Field(default="fourcorners", min_length=1, max_length=60)
    share: float = Field(default=1.0, ge=0, le=1)
    metrics: str = Field(default="", max_length=260)
    metrics_token: SecretStr = SecretStr("")


class WordSettings(Section):
    """The add-in for Word; by default none is served.

    Attributes:
        office_js: The folder of Office.js, as its package has it; the operator supplies it.
        address: Where Word finds this server; empty for the address that the manifest was asked at.
        frames: The sites of Word on the web that may show the pane; empty for the desktop alone.
    """

    office_js: Path | None = None
    address: str = Field(default="", pattern=r"^(https://[A-Za-z0-9.:\[\]-]+)?$")
    frames: tuple[Annotated[str, Field(pattern=r"^https://(\*\.)?[A-Za-z0-9.-]+$")], ...] = ()


class Settings(BaseSettings):
    """What the operator decides; read with `Settings.load`, which explains what is wrong."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
    )

    library: str = Field(default_factory=_default_library_url, min_length=1)
    jobs: int = Field(default_factory=usable_cores, ge=1, le=256)
    memory_mb: int = Field(default=1500, ge=64)
    seconds: float = Field(default=60.0, gt=0)
    ocr: bool = True
    reviewer: str = Field(default="", max_length=120)
    spelling: Literal["british", "american"] = "british"
    hosts: tuple[str, ...] = ()
    connections_per_address: int = Field(default=200, ge=1, le=100_000)
    encoder: EncoderSettings = EncoderSettings()
    reranker: RerankerSettings = RerankerSettings()
    verdicts: VerdictsSettings = VerdictsSettings()
    llm: LlmSettings = LlmSettings()
    research: ResearchSettings = ResearchSettings()
    mcp: McpSettings = McpSettings()
    oidc: OidcSettings = OidcSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    originals: OriginalsSettings = OriginalsSettings()
    audit: AuditSettings = AuditSettings()
    webhooks: WebhookSettings = WebhookSettings()
    mail: MailSettings = MailSettings()
    watch: tuple[WatchSettings, ...] = ()
    word: WordSettings = WordSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the base class names them
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, _FileSource(settings_cls)

    @property
    def ocr_seconds(self) -> float:
        """The time limit for the OCR of one file."""
        return OCR_FACTOR * self.seconds

    @classmethod
    def defaults(cls) -> Settings:
        return cls.model_construct()

    @classmethod
    def load(cls, **overrides: str | float | None) -> Settings:
        """Read the settings; an override that is not None wins over every other source.

        Raises:
            ConfigError: If a value or a key is wrong; the message names it and its place.
        """
        given = {key: value for key, value in overrides.items() if value is not None}
        for variable in filter(os.environ.get, os.environ):
            key = variable.removeprefix(PREFIX).lower()
            if key != variable.lower() and key.partition("_")[0] not in _SECTIONS | _OF_OTHERS:
                _require_known(key, f"the environment's {variable}", cls.model_fields)
        try:
            return cls(**given)  # type: ignore[arg-type]
        except ValidationError as error:
            raise _explain_error(error, given) from error
        except SettingsError as error:  # a list or a section that is not JSON
            raise ConfigError(
                f"{PREFIX}{str(error).split(chr(34))[1].upper()} cannot be read.",
                remedy='Write a list or a section as JSON, such as ["firm.example"].',
            ) from error


class _FileSource(PydanticBaseSettingsSource):
    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[object, str, bool]:
        raise NotImplementedError  # `__call__` reads the file at once

    def __call__(self) -> dict[str, object]:
        file = _settings_file()
        return _read_file(file, list(self.settings_cls.model_fields)) if file else {}


def _settings_file() -> Path | None:
    for folder in (Path(), user_config_path("fourcorners")):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    return None


def _read_file(file: Path, known: list[str]) -> dict[str, object]:
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", remedy="Correct the TOML.") from error
    for key in values:
        _require_known(key, f"{key} in {file}", known)
    if isinstance(library := values.get("library"), str) and library and ":" not in library:
        values["library"] = str(file.parent / Path(library).expanduser())
    for section, names in _PATHS.items():
        _resolve_paths(values.get(section), names, file.parent)
    return values


_PATHS = {  # relative to the file
    "audit": ("authority",),
    "reranker": ("path",),
    "verdicts": ("path",),
    "llm": ("prompts", "record", "replay"),
    "research": ("folder", "file"),
    "watch": ("folder",),
    "word": ("office_js",),
}


def _resolve_paths(held: object, names: tuple[str, ...], folder: Path) -> None:
    """Put the paths of a section, and of the sections in it, where the settings' file means."""
    for each in held if isinstance(held, list) else ():
        _resolve_paths(each, names, folder)
    if not isinstance(held, dict):
        return
    for key, value in held.items():
        if key in names and isinstance(value, str):
            held[key] = str(folder / Path(value).expanduser())
        else:
            _resolve_paths(value, names, folder)


def _require_known(key: str, place: str, known: Collection[str]) -> None:
    if key in _REMOVED:
        raise ConfigError(f"{place} is no longer a setting.", remedy=_REMOVED[key])
    if key not in known:
        problem = f"{place} is not a setting, or no longer one."
        raise ConfigError(problem, remedy=name_remedy(key, known))


def _explain_error(error: ValidationError, overrides: Mapping[str, object]) -> ConfigError:
    # A misspelt key may be missing, too.
    fault = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    keys = [str(step) for step in fault["loc"] if step != "[key]"]
    variable = f"{PREFIX}{'_'.join(keys).upper()}"
    if keys[0] in overrides:
        place = f"--{keys[0].replace('_', '-')}"
    elif os.environ.get(variable):
        place = f"the environment's {variable}"
    elif file := _settings_file():
        place = f"{'.'.join(keys)} in {file}"
    else:  # several variables that do not go together
        place = f"the environment's {variable}_…"
    if fault["type"] == "extra_forbidden":
        _require_known(keys[-1], place, _keys_of(Settings, keys[:-1]))
    # A value in a section may be a secret, even under a misspelt key.
    given = repr(fault["input"]) if len(keys) == 1 and keys[0] not in _SECTIONS else ""
    remedy = "docs/commands.md lists the settings."
    return ConfigError(f"{describe_problem(fault, place, given)}.", remedy=remedy)


def _keys_of(form: type[BaseModel], path: Sequence[str]) -> Collection[str]:
    """Return the keys of the section at a path; names in the path that are none are skipped."""
    for key in path:
        declared = form.model_fields[key].annotation if key in form.model_fields else None
        inner = [each for each in (declared, *get_args(declared)) if isinstance(each, type)]
        form = next((each for each in inner if issubclass(each, BaseModel)), form)
    return form.model_fields


_SECTIONS = {
    name for name, about in Settings.model_fields.items() if isinstance(about.default, Section)
}
_OF_OTHERS = {"data", "port", "service"}  # of the tests, and of Kubernetes for a service's name
