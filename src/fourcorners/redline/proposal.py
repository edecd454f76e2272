"""What a redline proposes, as values: changes, and what is left to a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.documents.change_marks import TrackedChange
from fourcorners.playbooks.playbook import PositionKind
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

POINT_HEADINGS = {
    True: "Your decision",
    False: "Also found, to be read: nothing in it shows what is refused",
}
"""Of open points, by whether they are recognised."""
# A name in brackets, or a line or dots to write on; [***] hides words, and is no blank.
_BLANK = re.compile(r"\[(?!\*+\])([^\[\]]+)\]|_{2,}|\.{4,}|…{2,}")


class Extent(StrEnum):
    """How much of the contract a change touches."""

    WORDS = "words"
    SENTENCE = "sentence"
    CLAUSE = "clause"
    NEW_CLAUSE = "new clause"


class Basis(StrEnum):
    """By whose judgement a clause is changed; an edited change has a person's words, too."""

    PROGRAM = "program"
    PERSON = "person"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Source:
    """Where wording comes from: the playbook, or a precedent with its place."""

    name: str
    path: tuple[str, ...] = ()
    span: Span | None = None
    stars: int | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """Wording with its slots filled; `blanks` are what is left to fill in."""

    text: str
    blanks: tuple[str, ...] = ()


def find_blanks(words: str) -> tuple[str, ...]:
    """Return what is left to fill in, each once: what is in brackets, or a line as it is."""
    return tuple(dict.fromkeys(each[1] or each[0] for each in _BLANK.finditer(words)))


@dataclass(frozen=True, slots=True)
class Run:
    """Words of a new paragraph, and the offset of words that they look like."""

    text: str
    like: int


@dataclass(frozen=True, slots=True)
class NewParagraph:
    """A paragraph to add; it has the properties of the one at the offset `like`."""

    like: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class NewClause:
    """A clause to add after the paragraph at the offset `after`.

    Attributes:
        number: Its number as the contract would write it; Word writes it where `is_numbered`.
        path: Label and heading of the clause after which it is placed.
    """

    after: int
    paragraphs: tuple[NewParagraph, ...]
    number: str
    is_numbered: bool
    path: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return its paragraphs, with its number, as the contract would show them."""
        first, *rest = ("".join(run.text for run in each.runs) for each in self.paragraphs)
        return "\n\n".join((f"{self.number} {first}" if self.is_numbered else first, *rest))


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """A change of the contract, with its reason.

    Attributes:
        span: The words that are changed; empty where a clause is added.
        edits: What leads from these words to the new ones.
        found: What the clause says now, as the playbook's position has it; empty if it is missing.
        target: The position that the change reaches.
        quotes: The words that put the clause in the position found, verified.
        path: Label and heading of the clause, the outermost first.
        cautions: What it takes out of the contract, and what stays and contradicts it.
    """

    provision: str
    name: str
    extent: Extent
    span: Span
    edits: tuple[Edit, ...]
    found: str
    target_kind: PositionKind
    target: str
    quotes: tuple[Quote, ...]
    path: tuple[str, ...]
    source: Source
    blanks: tuple[str, ...] = ()
    new_clause: NewClause | None = None
    basis: Basis = Basis.PROGRAM
    cautions: tuple[str, ...] = ()

    @property
    def reached(self) -> str:
        """Say which position it reaches; empty of a person's own words."""
        if self.basis is Basis.EDITED:
            return ""
        if self.blanks:
            return f"Not yet in the {self.target_kind} position, which it is for: {self.target}"
        return f"Meets the {self.target_kind} position: {self.target}"

    @property
    def size(self) -> int:
        """Return how many words go or come."""
        return sum(len(each.text.split()) for each in self.edits if each.kind is not EditKind.EQUAL)

    @property
    def removed(self) -> str:
        return " … ".join(each.text.strip() for each in self.edits if each.kind is EditKind.DELETE)

    @property
    def added(self) -> str:
        return " … ".join(each.text.strip() for each in self.edits if each.kind is EditKind.INSERT)


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """What the program leaves to a person: the words, the question, and the wording on offer.

    Attributes:
        reason: Why it is left open, one sentence.
        quotes: The likeliest words first.
        is_recognised: Whether the words show what the playbook refuses, and that of our side.
        score: The probability of the likeliest words.
        offered: Wording of the position to aim for, its slots filled; None if there is none.
    """

    provision: str
    name: str
    reason: str
    quotes: tuple[Quote, ...]
    path: tuple[str, ...]
    recommend: str = ""
    target_kind: PositionKind | None = None
    target: str = ""
    offered: Draft | None = None
    source: Source | None = None
    is_recognised: bool = True
    score: float = 0.0


class ResponseKind(StrEnum):
    """What to answer to a change that another proposes."""

    ACCEPT = "accept"
    REJECT = "reject"
    COUNTER = "counter"
    OPEN = "to be decided"


@dataclass(frozen=True, slots=True)
class ChangeResponse:
    """A tracked change of another author, and what to answer by the playbook.

    Attributes:
        after: The words as they would be; `change` has those before.
        provision: The id of the provision that decides; empty if none does.
        reason: Why, one sentence.
        quotes: The words of the contract that it reaches, verified.
        counter: The change to make instead, if that is the answer.
    """

    change: TrackedChange
    after: str
    path: tuple[str, ...]
    kind: ResponseKind
    provision: str
    name: str
    reason: str
    quotes: tuple[Quote, ...]
    counter: ProposedChange | None = None


@dataclass(frozen=True, slots=True)
class Redline:
    """All that is proposed for one contract, in the order of the playbook.

    Attributes:
        party: For whom, as the contract calls them.
        accepted: The names of the provisions that are in a position that is preferred or accepted.
        missing: The names of those that were not found, and of which nothing is proposed.
        unjudged: The names of those that were found, and are in no known position.
        failed: What could not be read, with the reason, by the name of the provision.
        responses: What to answer to the tracked changes of others.
    """

    document: str
    name: str
    party: str
    playbook: str
    playbook_version: str
    changes: tuple[ProposedChange, ...]
    open_points: tuple[OpenPoint, ...]
    accepted: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    responses: tuple[ChangeResponse, ...] = ()
    missing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()

    @property
    def remainder(self) -> str:
        """Say, in a sentence, of which provisions nothing is proposed or left open, and why."""
        groups = (
            ("Acceptable as drafted", self.accepted),
            ("Not found", self.missing),
            ("Found and not judged", self.unjudged),
        )
        sentence = "; ".join(f"{why}: {', '.join(names)}" for why, names in groups if names)
        return f"{sentence}." if sentence else ""
