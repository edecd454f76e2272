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
from fourcorners.research.tool import Tool, ToolFactory
from fourcorners.source_settings import (
    ExternalSettings,
    McpServerSettings,
    SqlSettings,
    StatutesSettings,
    WebSearchSettings,
    WikipediaSettings,
)

INTERNAL_TOOLS = frozenset({"search", "others", "belongs", "definition", "clause", "reckon"})
"""Names of the tools that look into the contracts: no outside source may bear one of them."""
_LONGEST_QUERY = 1_000  # characters of words that stay on this machine


def configure_sources(settings: ExternalSettings) -> Mapping[str, ToolFactory]:
    """Return what makes each source that the settings have; none where they are off.

    Raises:
        ConfigError: If a source bears the name of a tool that looks into the contracts.
    """
    if not settings.on:
        return {}
    if taken := INTERNAL_TOOLS.intersection(settings.names()):
        raise ConfigError(
            f"the outside source {min(taken)!r} has the name of a tool of the contracts.",
            remedy="Give it another name in the settings.",
        )
    makers: dict[str, ToolFactory] = {}
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
    from fourcorners.research.sources.guard import GuardedSource
    from fourcorners.research.sources.web import Wikipedia

    return GuardedSource(Wikipedia(settings))


def _web(settings: WebSearchSettings) -> Tool:
    from fourcorners.research.sources.guard import GuardedSource
    from fourcorners.research.sources.web import WebSearch

    return GuardedSource(WebSearch(settings))


def _statutes(settings: StatutesSettings) -> Tool:
    from fourcorners.research.sources.guard import GuardedSource
    from fourcorners.research.sources.statutes import Statutes

    return GuardedSource(Statutes(settings), _LONGEST_QUERY)


def _database(name: str, settings: SqlSettings) -> Tool:
    from fourcorners.research.sources.database import Database
    from fourcorners.research.sources.guard import MAX_QUERY, GuardedSource

    is_here = settings.file is not None
    return GuardedSource(Database(name, settings), _LONGEST_QUERY if is_here else MAX_QUERY)


def _server(name: str, settings: McpServerSettings) -> Tool:
    from fourcorners.research.sources.guard import GuardedSource
    from fourcorners.research.sources.mcp_server import McpServer

    return GuardedSource(McpServer(name, settings))
