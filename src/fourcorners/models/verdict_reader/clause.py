"""A clause to ask about: its words, which of them are meant, and what they mention."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fourcorners.text.span import Span


class MentionKind(StrEnum):
    """What is mentioned: what an answer may name."""

    PARTY = "party"
    GROUP = "group"  # either party, both parties, the other party
    DURATION = "duration"
    AMOUNT = "amount"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a clause names a party or a figure.

    Attributes:
        key: What is mentioned, the same wherever it is: a folded name, `P30D`, `2024-05-31`.
        known: Whether the contract card names this party.
        acts: How often the contract says that this one shall or may do something, up to three.
    """

    kind: MentionKind
    key: str
    span: Span
    known: bool = False
    acts: int = 0


@dataclass(frozen=True, slots=True)
class MarkedClause:
    """Words of a clause to ask about, with the clause around them.

    Attributes:
        mentions: Those of the clause, in order; parties do not overlap each other.
    """

    text: str
    clause: Span
    marked: Span
    mentions: tuple[Mention, ...]

    def mentioned(self, kind: MentionKind) -> dict[str, list[Span]]:
        """Return what is mentioned of a kind, in order, with all its places."""
        found: dict[str, list[Span]] = {}
        for each in self.mentions:
            if each.kind is kind:
                found.setdefault(each.key, []).append(each.span)
        return found
