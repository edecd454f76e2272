"""What the operator says of sources outside of the contracts: `[research.external]`.

None of them is used unless `on` is true, the source has a section of its own, and a person names it
for a question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
Seconds = Annotated[float, Field(gt=0, le=600)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class WikipediaSettings(_Section):
    """An encyclopedia that speaks MediaWiki's API.

    Attributes:
        site: Up to the host: `https://de.wikipedia.org`.
        licence: Under which its words may be used.
        timeout: Seconds that one look may take.
    """

    site: str = "https://en.wikipedia.org"
    licence: str = "CC BY-SA 4.0"
    timeout: Seconds = 20.0


class WebSearchSettings(_Section):
    """A search engine that answers in JSON as SearXNG does.

    Attributes:
        url: Of its search: `https://search.firm.example/search`.
        headers: What a request bears beside, such as a key.
        timeout: Seconds that one look may take.
    """

    url: str
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    timeout: Seconds = 20.0


class StatutesSettings(_Section):
    """A folder of statutes on this machine, in any format that contracts may have.

    Attributes:
        folder: Where they are; it is read again when something in it has changed.
        licence: Under which their words may be used.
    """

    folder: Path
    licence: str = ""


class SqlSettings(_Section):
    """A database that is only read: a file of SQLite, or what a DB-API module connects to.

    Attributes:
        says: What is in it, in a sentence, for the model that chooses where to look.
        file: Of SQLite.
        module: Of another database: `psycopg`, `oracledb`.
        connect: What that module's `connect` is given.
        query: One SELECT, with `:words` where the words looked for belong. Without it, and only
            with a `file`, the model writes the SELECT, and is told the tables and columns.
        timeout: Seconds that one look may take.
    """

    says: str = Field(min_length=1, max_length=400)
    file: Path | None = None
    module: str = ""
    connect: dict[str, str | int | bool] = Field(default_factory=dict)
    query: str = ""
    timeout: Seconds = 10.0

    @model_validator(mode="after")
    def _one_database(self) -> SqlSettings:
        if (self.file is None) == (not self.module):
            raise ValueError("give either a file of SQLite or the module of another database")
        if self.module and ":words" not in self.query:
            raise ValueError("a database by its module needs a query with :words in it")
        return self


class McpServerSettings(_Section):
    """An MCP server: a program on this machine, or a URL.

    Attributes:
        says: What it knows, in a sentence, for the model that chooses where to look; what the
            server says of itself is not shown to a model.
        command: The program with its arguments, spoken to over its standard input and output.
        env: What it finds in its environment, beside path, home and user.
        url: Of its Streamable HTTP.
        headers: What requests to it bear beside, such as a key.
        tool: Which of its tools is asked; not needed if it has one alone.
        argument: Which argument takes the words; not needed if the tool needs one text alone.
        licence: Under which its words may be used.
        timeout: Seconds that one look may take, with starting the program.
    """

    says: str = Field(min_length=1, max_length=400)
    command: tuple[str, ...] = ()
    env: dict[str, SecretStr] = Field(default_factory=dict)
    url: str = ""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    tool: str = ""
    argument: str = ""
    licence: str = ""
    timeout: Seconds = 30.0

    @model_validator(mode="after")
    def _one_server(self) -> McpServerSettings:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either a command or a url")
        return self


class ExternalSettings(_Section):
    """Sources outside of the contracts, by their names; by default none.

    Attributes:
        on: Whether any of them may be used.
        wikipedia: An encyclopedia, under that name.
        web: A search engine, under that name.
        statutes: A folder of statutes, under that name.
        sql: Databases, each under a name of its own.
        mcp: MCP servers, each under a name of its own.
    """

    on: bool = False
    wikipedia: WikipediaSettings | None = None
    web: WebSearchSettings | None = None
    statutes: StatutesSettings | None = None
    sql: dict[str, SqlSettings] = Field(default_factory=dict)
    mcp: dict[str, McpServerSettings] = Field(default_factory=dict)

    @field_validator("sql", "mcp")
    @classmethod
    def _names(cls, value: dict[str, _Section]) -> dict[str, _Section]:
        for name in value:
            if not _NAME.fullmatch(name):
                raise ValueError(f"the name {name[:40]!r} is not of small letters, digits and -")
        return value

    @model_validator(mode="after")
    def _once(self) -> ExternalSettings:
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


class ResearchSettings(_Section):
    """How questions are answered.

    Attributes:
        external: Sources outside of the contracts.
    """

    external: ExternalSettings = ExternalSettings()

    @model_validator(mode="before")
    @classmethod
    def _of_the_environment(cls, values: object) -> object:
        """Put `external_on`, as the environment has it, to its place; it wins there."""
        if not isinstance(values, dict):
            return values
        begin = "external_"
        said = {
            str(k).removeprefix(begin): v for k, v in values.items() if str(k).startswith(begin)
        }
        kept = {key: value for key, value in values.items() if not str(key).startswith(begin)}
        held = kept.get("external", {})
        if said and isinstance(held, dict):
            kept["external"] = {**held, **{key: _parse_json(value) for key, value in said.items()}}
        return kept


def _parse_json(value: object) -> object:
    """Return what the environment has: a section there is JSON."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value  # whose type is told as wrong
    return value


class McpSettings(_Section):
    """What programs may do that ask through MCP; by default they read.

    Attributes:
        write: Whether they may start reviews.
        with_model: Whether they may have the configured language model answer questions.
    """

    write: bool = False
    with_model: bool = False
