"""Sources that are asked over HTTP: an encyclopedia, and a search engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from fourcorners.errors import CallError
from fourcorners.net import RetryPolicy, get_json
from fourcorners.research.tool import Material, ToolQuery
from fourcorners.source_settings import WebSearchSettings, WikipediaSettings
from fourcorners.version import __version__

MAX_BYTES = 4 << 20
"""Maximum bytes of one answer."""
_SECONDS = 20.0  # of an attempt
_ATTEMPTS = 2  # attempts of a request, including the first
_AGENT = {"User-Agent": f"Fourcorners/{__version__} (a lookup that a person asked for)"}


class Wikipedia:
    """Searches for articles, and returns the introduction of each."""

    name = "wikipedia"
    description = (
        "an encyclopedia, for what a term or an institution commonly is; it says nothing about the "
        "contract; words: the term alone, never words of the contract"
    )

    def __init__(self, settings: WikipediaSettings) -> None:
        self._settings = settings

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        site = self._settings.site.rstrip("/")
        found = get_json(
            f"{site}/w/api.php",
            {
                "action": "query",
                "format": "json",
                "formatversion": "2",
                "generator": "search",
                "gsrsearch": inquiry.words,
                "gsrlimit": str(min(inquiry.limit, 5)),
                "prop": "extracts",
                "exintro": "1",
                "explaintext": "1",
                "exlimit": "max",
            },
            headers=_AGENT,
            retry_policy=RetryPolicy(_SECONDS, _ATTEMPTS),
            most_bytes=MAX_BYTES,
        )
        query = _table(found, site).get("query", {})  # missing if nothing was found
        pages = [_table(each, site) for each in _list(_table(query, site), "pages", site)]
        pages.sort(key=lambda page: index if isinstance(index := page.get("index"), int) else 0)
        return [
            Material(
                words=_text(page, "extract"),
                source=_text(page, "title"),
                where=f"{site}/wiki/{quote(_text(page, 'title').replace(' ', '_'))}",
                score=1.0 / place,
                licence=self._settings.licence,
            )
            for place, page in enumerate(pages, start=1)
        ]


class WebSearch:
    """Queries a search engine, and returns its snippets; the pages are not opened."""

    name = "web"
    description = (
        "a search engine for public pages, of which it brings a few lines each; it says nothing "
        "about the contract; words: a query in general terms, never words of the contract"
    )

    def __init__(self, settings: WebSearchSettings) -> None:
        self._settings = settings

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return the engine's snippets of the pages it found.

        Raises:
            CallError: If the server cannot be reached, or gives an invalid answer.
        """
        url = self._settings.url
        headers = {n: secret.get_secret_value() for n, secret in self._settings.headers.items()}
        found = get_json(
            url,
            {"q": inquiry.words, "format": "json"},
            headers=_AGENT | headers,
            retry_policy=RetryPolicy(_SECONDS, _ATTEMPTS),
            most_bytes=MAX_BYTES,
        )
        pages = [_table(each, url) for each in _list(_table(found, url), "results", url)]
        return [
            Material(
                words=_text(page, "content"),
                source=_text(page, "title"),
                where=_text(page, "url"),
                score=1.0 / place,
            )
            for place, page in enumerate(pages[: inquiry.limit], start=1)
        ]


def _table(value: object, server: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise CallError(f"{server}: the answer has an unexpected format.")
    return value


def _list(table: Mapping[str, object], name: str, server: str) -> list[object]:
    value = table.get(name, [])
    if not isinstance(value, list):
        raise CallError(f"{server}: the answer has an unexpected format.")
    return value


def _text(table: Mapping[str, object], name: str) -> str:
    value = table.get(name, "")
    return value if isinstance(value, str) else ""
