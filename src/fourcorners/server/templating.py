"""Pages from templates: everything escaped, nothing invisible, no inline script or style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

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


def _moment(value: str | datetime) -> str:
    """Return a time in UTC, from itself or from ISO 8601, as `3 May 2026, 14:05 UTC`."""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    return f"{_day(at.date())}, {at:%H:%M} UTC"


def _count_noun(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
