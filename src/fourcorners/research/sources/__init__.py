"""Sources outside of the contracts, as `[research.external]` of the settings has them.

None is used unless a person names it for a question. What they say is kept separate from the
contracts' words: it has no place in any contract, supports no statement about one, and is listed
separately in the answer (`Answer.external`). A source that fails becomes a gap in the report.

- `guard.py`: the limits that apply to all of them.
- `web.py`: an encyclopedia and a search engine, over HTTP; through `fourcorners.net` alone.
- `database.py`: a file of SQLite, or a DB-API module; only read.
- `statutes.py`: a folder of statutes on this machine, searched like contracts.
- `mcp_server.py`: an MCP server that the operator names.
"""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.errors import ConfigError
from fourcorners.research.tool import Tool
from fourcorners.source_settings import ExternalSettings

INTERNAL_TOOLS = frozenset(
    {"search", "others", "mentions", "alike", "belongs", "definition", "clause", "reckon"}
)
"""Names of the tools that search the contracts: no outside source may have one of them."""
_LONGEST_QUERY = 1_000  # characters of a query that stays on this machine


def known_sources(settings: ExternalSettings) -> list[str]:
    """Return the names of the configured sources; none if they are off.

    Raises:
        ConfigError: If a source has the name of a tool that searches the contracts.
    """
    if not settings.on:
        return []
    if taken := INTERNAL_TOOLS.intersection(settings.names()):
        raise ConfigError(
            f"the outside source {min(taken)!r} has the name of a built-in tool.",
            remedy="Give it another name in the settings.",
        )
    return sorted(settings.names())


def external_tools(names: Sequence[str], settings: ExternalSettings) -> list[Tool]:
    """Return the external tools of these names.

    Raises:
        ConfigError: If a name is unknown, or its source is not configured.
    """
    if not names:
        return []
    known = known_sources(settings)
    for name in names:
        if name not in known:
            has = (
                f"Known are {', '.join(known)}."
                if known
                else "Set `on = true` and a source in the settings' section [research.external]."
            )
            raise ConfigError(f"there is no outside source {name!r}.", remedy=has)
    return [_guard_source(name, settings) for name in dict.fromkeys(names)]


def _guard_source(name: str, settings: ExternalSettings) -> Tool:
    from fourcorners.research.sources.guard import MAX_QUERY, GuardedSource

    if name in settings.sql:
        from fourcorners.research.sources.database import DatabaseSource

        database = settings.sql[name]
        is_here = database.file is not None
        return GuardedSource(
            DatabaseSource(name, database), _LONGEST_QUERY if is_here else MAX_QUERY
        )
    if name in settings.mcp:
        from fourcorners.research.sources.mcp_server import McpSource

        return GuardedSource(McpSource(name, settings.mcp[name]))
    if name == "statutes" and settings.statutes is not None:
        from fourcorners.research.sources.statutes import Statutes

        return GuardedSource(Statutes(settings.statutes), _LONGEST_QUERY)
    from fourcorners.research.sources.web import WebSearch, Wikipedia

    if name == "wikipedia" and settings.wikipedia is not None:
        return GuardedSource(Wikipedia(settings.wikipedia))
    if settings.web is None:
        raise ValueError(f"there is no source {name!r}")
    return GuardedSource(WebSearch(settings.web))
