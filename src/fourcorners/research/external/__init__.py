"""Sources outside of the contracts, as `[research.external]` of the settings has them.

None is used unless a person names it for a question. What they say is kept apart from the
contracts' words: it has no place in any contract, supports nothing that is said of one, and stands
in the answer's own list (`Answer.external`). A source that fails ends in a gap of the report.

- `guarded.py`: what any of them is held to, whatever it does.
- `web.py`: an encyclopedia and a search engine, over HTTP; through `fourcorners.net` alone.
- `database.py`: a file of SQLite, or a DB-API module; only read.
- `statutes.py`: a folder of statutes on this machine, found by the project's own search.
- `mcp_server.py`: an MCP server that the operator names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from fourcorners.errors import ConfigError
from fourcorners.research.tool import Maker, Tool
from fourcorners.source_settings import (
    ExternalSettings,
    McpServerSettings,
    SqlSettings,
    StatutesSettings,
    WebSearchSettings,
    WikipediaSettings,
)

INSIDE = frozenset({"search", "others", "belongs", "definition", "clause", "reckon"})
"""Names of the tools that look into the contracts: no outside source may bear one of them."""
_LONGEST_QUERY = 1_000  # characters of words that stay on this machine


def configured(settings: ExternalSettings) -> Mapping[str, Maker]:
    """Return what makes each source that the settings have; none where they are off.

    Raises:
        ConfigError: If a source bears the name of a tool that looks into the contracts.
    """
    if not settings.on:
        return {}
    if taken := INSIDE.intersection(settings.names()):
        raise ConfigError(
            f"the outside source {min(taken)!r} has the name of a tool of the contracts.",
            remedy="Give it another name in the settings.",
        )
    makers: dict[str, Maker] = {}
    if settings.wikipedia is not None:
        makers["wikipedia"] = partial(_wikipedia, settings.wikipedia)
    if settings.web is not None:
        makers["web"] = partial(_web, settings.web)
    if settings.statutes is not None:
        makers["statutes"] = partial(_statutes, settings.statutes)
    for name, database in settings.sql.items():
        makers[name] = partial(_database, name, database)
    for name, server in settings.mcp.items():
        makers[name] = partial(_server, name, server)
    return makers


def _wikipedia(settings: WikipediaSettings) -> Tool:
    from fourcorners.research.external.guarded import Guarded
    from fourcorners.research.external.web import Wikipedia

    return Guarded(Wikipedia(settings))


def _web(settings: WebSearchSettings) -> Tool:
    from fourcorners.research.external.guarded import Guarded
    from fourcorners.research.external.web import WebSearch

    return Guarded(WebSearch(settings))


def _statutes(settings: StatutesSettings) -> Tool:
    from fourcorners.research.external.guarded import Guarded
    from fourcorners.research.external.statutes import Statutes

    return Guarded(Statutes(settings), _LONGEST_QUERY)


def _database(name: str, settings: SqlSettings) -> Tool:
    from fourcorners.research.external.database import Database
    from fourcorners.research.external.guarded import LONGEST_WORDS, Guarded

    is_here = settings.file is not None
    return Guarded(Database(name, settings), _LONGEST_QUERY if is_here else LONGEST_WORDS)


def _server(name: str, settings: McpServerSettings) -> Tool:
    from fourcorners.research.external.guarded import Guarded
    from fourcorners.research.external.mcp_server import McpServer

    return Guarded(McpServer(name, settings))
