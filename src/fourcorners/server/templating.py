"""Pages from templates: everything escaped, nothing invisible, no inline script or style."""

from __future__ import annotations

import gzip
import re
from calendar import month_name
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.documents.install_hints import remedy_for_readers
from fourcorners.outline.card.contract_titles import ContractTitle
from fourcorners.review.annotations import split_assignment
from fourcorners.server.links import collection_href, document_href, quote_href
from fourcorners.server.locales import write_day, write_number
from fourcorners.server.spelling import AmericanSpelling
from fourcorners.text.invisible_characters import shorten, show_invisible, single_line
from fourcorners.text.span import Span
from fourcorners.version import __version__


@dataclass(frozen=True, slots=True)
class NavEntry:
    title: str
    href: str


@cache  # templates are compiled once in a process, for all applications of a kind
def template_environment(
    assets: Assets, nav: tuple[NavEntry, ...], *, team: bool, is_american: bool = False
) -> Environment:
    made = Environment(
        extensions=[AmericanSpelling] if is_american else [],
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
        "remedy": remedy_for_readers,
        "day": _day,
        "with_days": _write_days,
        "named": _name_contract,
        "moment": _moment,
        "counted": _count_noun,
        "blanks": _blanks,
        "assignment": split_assignment,
    }
    made.globals |= {
        "static": assets.href,
        "write_number": write_number,
        "nav": nav,
        "quote_href": quote_href,
        "place_href": _place_href,
        "document_href": document_href,
        "collection_href": collection_href,
        "version": __version__,
        "team": team,
    }
    return made


def _blanks(text: str) -> tuple[str, ...]:
    from fourcorners.redline.proposal import find_blanks

    return find_blanks(text)


def _place_href(document: str, start: int, end: int, words: str) -> str:
    return quote_href(document, Span(start, end), words)


def _sentence(words: str) -> str:
    """Return words as a sentence; one that begins with the name of a file keeps it."""
    first = words.partition(" ")[0].rstrip(".:,")
    return words if "." in first or "/" in first else words[:1].upper() + words[1:]


def _day(value: date) -> Markup:
    """Return a day; a script writes it in the reader's language."""
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), write_day(value))


def _write_days(words: str) -> Markup:
    """Return our own words with their days as elsewhere on the page; a contract's stay as there."""
    return Markup().join(
        _read_day(part) if number % 2 else part for number, part in enumerate(_DAY.split(words))
    )


def _name_contract(called: ContractTitle, limit: int) -> Markup:
    words, of_title = shorten(str(called), limit), len(called.title)
    return escape(words[:of_title]) + _write_days(words[of_title:])


def _read_day(words: str) -> Markup | str:
    form = "%Y-%m-%d" if words[4:5] == "-" else "%d %B %Y"
    try:
        return _day(datetime.strptime(words, form).replace(tzinfo=UTC).date())
    except ValueError:  # 31 February
        return words


def _moment(value: str | datetime) -> Markup:
    """Return a time, from itself or from ISO 8601: `3 May 2026, 14:05 UTC`, local by a script."""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    words = f"{write_day(at.date())}, {at:%H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), words)


def _count_noun(number: int, noun: str, plural: str = "") -> str:
    return f"{write_number(number)} {noun if number == 1 else plural or f'{noun}s'}"


_DAY = re.compile(rf"\b(\d{{4}}-\d\d-\d\d|\d{{1,2}} (?:{'|'.join(month_name[1:])}) \d{{4}})\b")
_HERE = Path(__file__).parent / "static"
_PALETTE = Path(__file__).parent.parent / "reports" / "assets" / "palette.css"
# Style sheets that are sent as one, since each request costs more than some bytes.
_BUNDLES = {
    "app.css": ("palette.css", "app.css"),
    "grid.css": ("palette.css", "app.css", "review.css", "contract.css"),
}
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class _Asset:
    data: bytes
    packed: bytes
    media_type: str


class Assets:
    """The files of `static/`, in memory: no path of a request ever reaches the disk."""

    def __init__(self) -> None:
        files = [*sorted(_HERE.iterdir()), _PALETTE]
        read = {file.name: file.read_bytes() for file in files if file.suffix in _TYPES}
        read |= {name: b"\n".join(read[each] for each in of) for name, of in _BUNDLES.items()}
        self._held = {
            name: _Asset(data, gzip.compress(data, mtime=0), _TYPES[Path(name).suffix])
            for name, data in read.items()
        }
        digest = sha256()
        for name, asset in sorted(self._held.items()):
            digest.update(name.encode() + asset.data)
        self._version = digest.hexdigest()[:12]

    @classmethod
    @cache
    def read_once(cls) -> Assets:
        """Return the files as they are read and compressed once in a process."""
        return cls()

    def href(self, name: str) -> str:
        """Return the address of a file.

        Raises:
            KeyError: If no file has this name.
        """
        if name not in self._held:
            raise KeyError(name)
        return f"/static/{self._version}/{name}"

    def respond(self, request: Request, name: str) -> Response:
        """Return a file, for browsers to keep for good."""
        asset = self._held.get(name)
        if asset is None:
            return Response(status_code=404)
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        }
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(asset.packed, media_type=asset.media_type, headers=headers)
        return Response(asset.data, media_type=asset.media_type, headers=headers)
