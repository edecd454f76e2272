"""The values of a comparison: clauses, how they are aligned, and what differs in their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from fourcorners.documents.document import Document
from fourcorners.text.span import Span


class Aspect(StrEnum):
    """What a change of words is about, those that a reader asks for first at the top.

    It says which words differ, not what follows from it.
    """

    AMOUNT = "amount"
    PERIOD = "period"
    DATE = "date"
    NUMBER = "number"
    NEGATION = "negation"
    MODAL = "modal"
    PARTY = "party"
    REFERENCE = "reference"  # to another clause than before
    WORDING = "wording"
    TERM = "term"  # a defined term or party that has another name throughout
    FORM = "form"  # of a value that is the same: "thirty (30) days", "30 days"
    CAPITALS = "capitals"
    PUNCTUATION = "punctuation"
    NUMBERING = "numbering"  # a clause's own number, or a reference that follows it

    @property
    def is_value(self) -> bool:
        return self in _VALUES


_VALUES = frozenset(list(Aspect)[: list(Aspect).index(Aspect.WORDING)])


class Relation(StrEnum):
    """What became of clauses of the first version in the second."""

    SAME = "same"
    CHANGED = "changed"
    REPLACED = "replaced"  # in the same place or under the same heading, with other words
    ADDED = "added"
    REMOVED = "removed"
    SPLIT = "split"
    MERGED = "merged"
    DIVIDED = "divided"  # words that were in one numbered clause are in the next, or before


@dataclass(frozen=True, slots=True)
class Clause:
    """A paragraph of a contract, or a numbered part of one.

    Attributes:
        label: Its number as a lawyer cites it, such as `7.2(a)`; empty if it has none.
        number: Where its number is written; empty at its start if it has none.
        written: The number as it is written there, such as `(a)`.
        heading: The words of its heading, if it has one.
        under: Number and heading of the clause that it belongs to, for what has neither.
    """

    span: Span
    label: str
    number: Span
    written: str = ""
    heading: str = ""
    under: str = ""

    @property
    def name(self) -> str:
        """Return what a person would call it: its number and heading; empty if it has none."""
        own = " ".join(part for part in (self.label, self.heading) if part)
        return own or self.under


@dataclass(frozen=True, slots=True)
class WordChange:
    """Words that differ, and where they are; an empty span is where words come or have gone.

    Attributes:
        old: The value before in a form to read and compare, such as `90 days`; empty for words.
        new: The value after.
        versions: The numbers of the versions that brought it, where several are compared.
    """

    aspect: Aspect
    before: Span
    after: Span
    old: str = ""
    new: str = ""
    versions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """Clauses of both versions that belong together; either side is empty if it has none.

    Attributes:
        is_moved: Whether they are in another order among the others than before.
        has_other_spacing: Whether spaces, line ends or typographic signs differ.
        versions: The numbers of the versions that brought any of it, where several are compared.
    """

    relation: Relation
    before: tuple[Clause, ...]
    after: tuple[Clause, ...]
    changes: tuple[WordChange, ...] = ()
    is_moved: bool = False
    has_other_spacing: bool = False
    versions: tuple[int, ...] = ()

    @property
    def is_renumbered(self) -> bool:
        """Tell whether the clause itself has another number than before.

        A bare figure that one version alone has is more likely a page's.
        """
        if not self.before or not self.after:
            return False
        old, new = (each[0].written.strip(" .():").casefold() for each in (self.before, self.after))
        bare = self.before[0].written.isdigit() or self.after[0].written.isdigit()
        return old != new and not (bare and not (old and new))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions of a contract, compared.

    Attributes:
        clauses: All clauses of both in the order of the second; one that was removed comes after
            the one that it followed.
        warnings: What a person should know of how the two were read.
        left_out: A clause that says what was not compared; empty if everything was.
        terms: The defined terms of both versions, and the words by which they call their parties.
        rounds: What each version after the first changed, by its number, if there are others
            between the two; in order.
    """

    before: Document
    after: Document
    clauses: tuple[ClauseChange, ...]
    warnings: tuple[str, ...] = ()
    left_out: str = ""
    terms: frozenset[str] = frozenset()
    rounds: Mapping[int, Comparison] = field(default_factory=dict)
