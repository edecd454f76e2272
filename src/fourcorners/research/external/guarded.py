"""What any source outside of the contracts is held to, whatever it does.

It is told the words to look for, and neither the question nor which contracts it is about. What it
brings is cut to a measure, has no place in any contract, and is left out as a whole where words in
it are addressed to a machine. Whatever goes wrong is an error that the report tells as a gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from fourcorners.errors import CallError, FourcornersError
from fourcorners.research.tool import Inquiry, Material, Tool
from fourcorners.review.orders import orders

LONGEST_WORDS = 200
"""Characters that a source elsewhere is told; that is no way to carry clauses away."""
LONGEST_PIECE = 4_000
"""Characters of one piece; what is longer is cut."""
MOST = 200_000
"""Characters of an answer; of what has more nothing is used."""
_LONGEST_LINE = 200
_PLAIN = "its answer is not as it should be"


@dataclass(frozen=True, slots=True)
class Guarded:
    """A source, watched.

    Attributes:
        longest: Characters that it is told at most.
    """

    tool: Tool
    longest: int = LONGEST_WORDS

    @property
    def name(self) -> str:
        """Return the source's name."""
        return self.tool.name

    @property
    def says(self) -> str:
        """Return what the operator says that it is for."""
        return self.tool.says

    @property
    def is_external(self) -> bool:
        """Tell that it is outside of the contracts, whatever it says of itself."""
        return True

    def look(self, inquiry: Inquiry) -> Sequence[Material]:
        """Return what the source has, in bounds.

        Raises:
            CallError: If it failed, or brought what may not be used.
        """
        words = _line(inquiry.words, self.longest)
        try:
            found = list(self.tool.look(Inquiry(words, limit=inquiry.limit)))
        except FourcornersError as error:
            raise CallError(_told(error.message)) from error
        except Exception as error:  # a source may fail in any way, and ends none but this look
            raise CallError(f"{_PLAIN} ({type(error).__name__}).") from error
        if sum(len(each.words) for each in found) > MOST:
            raise CallError(f"it answered with more than {MOST:,} characters; none of it was used.")
        today = datetime.now(UTC).date().isoformat()
        kept = [self._own(each, today) for each in found if each.words.strip()][: inquiry.limit]
        if any(orders(f"{each.source}\n{each.where}\n{each.words}") for each in kept):
            raise CallError(
                "its answer holds words that are addressed to a machine; none of it was used."
            )
        return kept

    def _own(self, material: Material, today: str) -> Material:
        """Return a piece as this source's own, which is nowhere in a contract."""
        return replace(
            material,
            words=_seen(material.words)[:LONGEST_PIECE],
            source=_line(material.source, _LONGEST_LINE) or self.name,
            where=_line(material.where, _LONGEST_LINE),
            because="",
            score=min(1.0, max(0.0, material.score)) if math.isfinite(material.score) else 0.0,
            document="",
            span=None,
            fetched=today,
            licence=_line(material.licence, _LONGEST_LINE),
            tool=self.name,
        )


def _told(message: str) -> str:
    """Return why it failed, without what a server says to a machine."""
    return f"{_PLAIN}." if orders(message) else _line(message, 2 * _LONGEST_LINE)


def _line(words: str, most: int) -> str:
    line = " ".join(_seen(words).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _seen(words: str) -> str:
    return "".join(each for each in words if each.isprintable() or each in "\n\t")
