"""Which sources outside of the contracts are known, and the tools that look into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fourcorners.errors import ConfigError
from fourcorners.research.sources import configure_sources
from fourcorners.research.tool import Tool, ToolFactory
from fourcorners.source_settings import ExternalSettings


def known_sources(settings: ExternalSettings | None = None) -> Mapping[str, ToolFactory]:
    """Return what makes the external tools of the settings, by name.

    Args:
        settings: What the operator says of outside sources; by default as configured.
    """
    if settings is None:
        from fourcorners.settings import Settings

        settings = Settings.load().research.external
    return dict(sorted(configure_sources(settings).items()))


def external_tools(names: Sequence[str], settings: ExternalSettings | None = None) -> list[Tool]:
    """Return the external tools of these names.

    Args:
        names: As a person gave them; without one there is none.
        settings: What the operator says of outside sources; by default as configured.

    Raises:
        ConfigError: If there is none of a name, or it is not set up.
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
    return [known[name]() for name in dict.fromkeys(names)]
