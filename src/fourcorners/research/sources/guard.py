"""Enforce limits on every source outside the contracts.

It receives the words to search for, but neither the question nor the names of the contracts. Its
results are cut to a maximum length, have no place in any contract, and are left out entirely if
words in them are addressed to a machine. Any error is reported as a gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from fourcorners.errors import CallError, FourcornersError, LibraryError
from fourcorners.research.tool import Material, Tool, ToolQuery
from fourcorners.text.injections import find_injections

MAX_QUERY = 200
"""Maximum characters sent to a remote source; too few to leak clauses."""
MAX_TEXT = 4_000
"""Maximum characters of one piece; the rest is cut."""
MAX_CHARACTERS = 200_000
"""Maximum characters of an answer; a longer one is not used at all."""
_LONGEST_LINE = 200  # characters
_PLAIN = "its answer is not as it should be"


@dataclass(frozen=True, slots=True)
class GuardedSource:
    """A source with limits enforced.

    Attributes:
        max_query: Maximum characters sent to it.
    """

    tool: Tool
    max_query: int = MAX_QUERY

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def description(self) -> str:
        return self.tool.description

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return what the source has, within the limits.

        Raises:
            CallError: If it failed, or returned what may not be used.
        """
        words = _line(inquiry.words, self.max_query)
        try:
            found = list(self.tool.run(ToolQuery(words, limit=inquiry.limit)))
        except FourcornersError as error:
            # A library's message names its path, which only the operator may see.
            is_place = isinstance(error, LibraryError)
            message = "its own library cannot be read." if is_place else error.message
            raise CallError(_short_message(message)) from error
        except Exception as error:  # a source may fail in any way, and ends only this lookup
            raise CallError(f"{_PLAIN} ({type(error).__name__}).") from error
        if sum(len(each.words) for each in found) > MAX_CHARACTERS:
            raise CallError(
                f"it answered with more than {MAX_CHARACTERS:,} characters; none of it was used."
            )
        today = datetime.now(UTC).date().isoformat()
        materials = [self._external_material(each, today) for each in found if each.words.strip()][
            : inquiry.limit
        ]
        if any(find_injections(f"{each.source}\n{each.where}\n{each.words}") for each in materials):
            raise CallError(
                "its answer holds words that are addressed to a machine; none of it was used."
            )
        return materials

    def _external_material(self, material: Material, today: str) -> Material:
        """Return a piece as this source's, without a place in any contract."""
        return replace(
            material,
            words=_printable(material.words)[:MAX_TEXT],
            source=_line(material.source, _LONGEST_LINE) or self.name,
            where=_line(material.where, _LONGEST_LINE),
            because="",
            score=min(1.0, max(0.0, material.score)) if math.isfinite(material.score) else 0.0,
            document="",
            span=None,
            fetched=today,
            licence=_line(material.licence, _LONGEST_LINE),
            tool=self.name,
            more="",
            by_program=False,
        )


def _short_message(message: str) -> str:
    """Return why it failed, without words that a server addresses to a machine."""
    return f"{_PLAIN}." if find_injections(message) else _line(message, 2 * _LONGEST_LINE)


def _line(words: str, most: int) -> str:
    line = " ".join(_printable(words).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _printable(words: str) -> str:
    return "".join(each for each in words if each.isprintable() or each in "\n\t")
