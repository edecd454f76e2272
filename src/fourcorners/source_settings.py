"""Settings of sources outside the contracts: `[research.external]`.

None of them is used unless `on` is true, the source has a section, and a person names it for a
question. `docs/outside-sources.md` says what each setting means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")


class Section(BaseModel):
    """A section of the settings file; no message repeats its values, which may be secret."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class WikipediaSettings(Section):
    """An encyclopedia that speaks MediaWiki's API."""

    site: str = "https://en.wikipedia.org"
    licence: str = "CC BY-SA 4.0"


class WebSearchSettings(Section):
    """A search engine that answers in JSON as SearXNG does."""

    url: str
    headers: dict[str, SecretStr] = Field(default_factory=dict)


class StatutesSettings(Section):
    """A folder of statutes on this machine, in any format that contracts may have."""

    folder: Path
    licence: str = ""


class SqlSettings(Section):
    """A database that is only read: a file of SQLite, or what a DB-API module connects to."""

    says: str = Field(min_length=1, max_length=400)
    file: Path | None = None
    module: str = ""
    connect: dict[str, str | int | bool] = Field(default_factory=dict)
    query: str = ""

    @model_validator(mode="after")
    def _one_database(self) -> SqlSettings:
        if (self.file is None) == (not self.module):
            raise ValueError("give either a file of SQLite or the module of another database")
        if self.module and ":words" not in self.query:
            raise ValueError("a database by its module needs a query with :words in it")
        return self


class McpServerSettings(Section):
    """An MCP server: a program on this machine, or a URL."""

    says: str = Field(min_length=1, max_length=400)
    command: tuple[str, ...] = ()
    env: dict[str, SecretStr] = Field(default_factory=dict)
    url: str = ""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    tool: str = ""
    argument: str = ""
    licence: str = ""

    @model_validator(mode="after")
    def _one_server(self) -> McpServerSettings:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either a command or a url")
        return self


class ExternalSettings(Section):
    """Sources outside of the contracts, by their names; by default none."""

    on: bool = False
    wikipedia: WikipediaSettings | None = None
    web: WebSearchSettings | None = None
    statutes: StatutesSettings | None = None
    sql: dict[str, SqlSettings] = Field(default_factory=dict)
    mcp: dict[str, McpServerSettings] = Field(default_factory=dict)

    @field_validator("sql", "mcp")
    @classmethod
    def _names(cls, value: dict[str, Section]) -> dict[str, Section]:
        for name in value:
            if not _NAME.fullmatch(name):
                raise ValueError(f"the name {name[:40]!r} is not of small letters, digits and -")
        return value

    @model_validator(mode="after")
    def _require_unique(self) -> ExternalSettings:
        names = list(self.names())
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two sources are named {name!r}")
        return self

    def names(self) -> Iterator[str]:
        for name in ("wikipedia", "web", "statutes"):
            if getattr(self, name) is not None:
                yield name
        yield from (*self.sql, *self.mcp)


class ResearchSettings(Section):
    """How questions are answered.

    Attributes:
        response: Whether the researcher's model sums up what each turn found, for the interrogator.
    """

    response: bool = False
    external: ExternalSettings = ExternalSettings()

    @model_validator(mode="before")
    @classmethod
    def _of_the_environment(cls, values: object) -> object:
        """Put `external_on`, as the environment has it, to its place; it wins there."""
        return nested_values(values, "external", ExternalSettings.model_fields)


def nested_values(values: object, field: str, names: Iterable[str]) -> object:
    """Put `field_name` and `field_name_key`, as the environment has them, into `field`."""
    held = values.get(field, {}) if isinstance(values, dict) else None
    if not isinstance(values, dict) or not isinstance(held, dict):
        return values
    merged, others = dict(held), {}
    for key, value in values.items():
        rest = str(key).removeprefix(f"{field}_")
        name = next((each for each in names if f"{rest}_".startswith(f"{each}_")), "")
        if rest == key or not name:
            others[key] = value
        elif inner := rest.removeprefix(name).removeprefix("_"):
            there = merged.get(name, {})  # of a role a plain name is its model
            merged[name] = {**({"model": there} if isinstance(there, str) else there), inner: value}
        else:
            merged[name] = _parse_json(value)
    return {**others, field: merged} if merged else others


def _parse_json(value: object) -> object:
    """Return what the environment has: a section there is JSON."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value  # whose type is reported as wrong
    return value


class WebhookSettings(Section):
    """Where webhooks may send what they tell of tasks; by default nowhere."""

    hosts: tuple[str, ...] = ()


class AuditSettings(Section):
    """Where each entry of the audit trail is also sent; by default nowhere.

    Attributes:
        syslog: The collector: tls://host:6514, tcp://host:601, udp://host:514 or unix:/dev/log.
        authority: The certificate that the collector's is checked against, as a file of PEM.
    """

    syslog: str = Field(default="", max_length=300)
    authority: Path | None = None


class WatchSettings(Section):
    """A folder whose files are added to a collection as they arrive."""

    folder: str = Field(min_length=1)
    collection: str = Field(min_length=1, max_length=120)


class BucketSettings(Section):
    """A bucket of a server that speaks the S3 protocol; the keys to it are not settings.

    Attributes:
        bucket: Its name; empty for none.
        endpoint: The server's URL; empty for Amazon's.
        prefix: What the names of all objects begin with.
        encryption: Which keys the server encrypts objects with; empty for what it does by default.
        kms_key: The key of the server's key service, for `aws:kms`.
        profile: The section of the credentials file; empty for the environment's keys.
    """

    bucket: str = Field(default="", pattern=r"^([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])?$")
    endpoint: str = Field(default="", max_length=300)
    region: str = Field(default="", pattern=r"^[a-z0-9-]{0,40}$")
    prefix: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._/-]{0,200})?$")
    encryption: Literal["", "AES256", "aws:kms"] = ""
    kms_key: str = Field(default="", max_length=2_048)
    profile: str = Field(default="", max_length=100)

    @model_validator(mode="after")
    def _key_of_kms(self) -> BucketSettings:
        if self.kms_key and self.encryption != "aws:kms":
            raise ValueError('a kms_key needs encryption = "aws:kms"')
        return self


class OriginalsSettings(BucketSettings):
    """Where the files that contracts were read from are kept; by default next to the library.

    Attributes:
        buckets: Other buckets, by a name that a collection can be given.
    """

    buckets: dict[Annotated[str, Field(pattern=_NAME.pattern + "$")], BucketSettings] = Field(
        default_factory=dict
    )

    def find(self, section: str) -> BucketSettings | None:
        """Return a bucket by its section, `""` for the first; None where there is none."""
        first = BucketSettings(**self.model_dump(exclude={"buckets"}))
        found = self.buckets.get(section) if section else first
        return found if found is not None and found.bucket else None


class MailSettings(Section):
    """The mail server that notices are sent through; by default none.

    Attributes:
        sender: The address that the mail is from.
        address: Of this server, as people open it: mail links to the inbox there.
        password_env: The variable of the environment that holds the password.
    """

    host: str = Field(default="", max_length=253)
    port: int = Field(default=587, ge=1, le=65_535)
    tls: Literal["starttls", "tls", "none"] = "starttls"
    user: str = Field(default="", max_length=320)
    password_env: str = Field(default="", pattern=r"^([A-Z_][A-Z0-9_]*)?$")
    sender: str = Field(default="", max_length=320)
    address: str = ""


class McpSettings(Section):
    """What programs may do that ask through MCP; by default they read."""

    write: bool = False
    with_model: bool = False
