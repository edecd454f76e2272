"""Pages from templates: everything escaped, nothing invisible, no inline script or style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fourcorners.server.assets import Assets
from fourcorners.server.links import collection_href, document_href, quote_href
from fourcorners.text.invisible_characters import shorten, show_invisible, single_line
from fourcorners.version import __version__


@dataclass(frozen=True, slots=True)
class NavEntry:
    title: str
    href: str


def template_environment(assets: Assets, nav: Sequence[NavEntry], *, team: bool) -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "line": single_line,
        "visible": show_invisible,
        "shortened": shorten,
        "sentence": _sentence,
        "day": _day,
        "moment": _moment,
        "counted": _count_noun,
    }
    made.globals |= {
        "static": assets.href,
        "nav": tuple(nav),
        "quote_href": quote_href,
        "document_href": document_href,
        "collection_href": collection_href,
        "version": __version__,
        "team": team,
    }
    return made


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _day(value: date) -> str:
    return f"{value.day} {value:%B %Y}"


def _moment(value: str | datetime) -> Markup:
    """Return a time, from itself or from ISO 8601: `3 May 2026, 14:05 UTC`, local by a script."""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    words = f"{_day(at.date())}, {at:%H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), words)


def _count_noun(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
