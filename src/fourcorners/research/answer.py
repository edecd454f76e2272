"""`Answer`: the report to a question, with the contracts' words behind each of its statements.

Its sections are those of PAKTON's report (2025, section 3.2 and appendix A.1).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from fourcorners.documents.document import PageLabel
from fourcorners.errors import InputError, describe_problem
from fourcorners.text.quote import Quote

if TYPE_CHECKING:
    from pydantic import TypeAdapter


TURNS = 5
"""How often the interrogator asks the researcher by default (PAKTON, appendix C)."""
MAX_TURNS = 20  # PAKTON's experiments stop at 5
MAX_QUESTION = 4_000  # characters of a question, its context or its instructions

OWN_ACCOUNT = "by the model's own account"  # of a ruling; never with a number


class Verdict(StrEnum):
    YES = "yes"
    NO = "no"
    SAYS = "the contract says"
    DEPENDS = "it depends"
    ABSENT = "no answer found"
    UNSURE = "cannot tell"

    @classmethod
    def _missing_(cls, value: object) -> Verdict | None:
        return cls.ABSENT if value == "not in the contract" else None  # of answers kept before


class Verification(StrEnum):
    """How far a statement is verified.

    `VERIFIED`: its quotes are in the contract and say it, as far as a program can decide.
    `UNCHECKED`: its quotes are there and are about it; whether they say it has not been checked.
    `SEARCHED`: it says that the contract lacks something; a search for it found nothing.
    `UNVERIFIED`: it failed a check; `problem` says which.
    """

    VERIFIED = "verified"
    UNCHECKED = "unchecked"
    SEARCHED = "searched"
    UNVERIFIED = "unverified"


class Role(StrEnum):
    EVIDENCE = "evidence"
    CONDITION = "condition"
    EXCEPTION = "exception"
    DEFINITION = "definition"
    REFERENCE = "reference"
    AMENDMENT = "amendment"
    COMPUTED = "computed"
    OTHER_READING = "other reading"


@dataclass(frozen=True, slots=True)
class Citation:
    """Words of a contract with their place.

    Attributes:
        where: The place as a lawyer cites it: "clause 7.2(a), page 3".
        page: The number of the page it starts on; None for formats without pages.
        path: Label and heading of each part of the contract, from the top down.
        because: Why it is here, in words.
        score: How strongly it supports the statement, 0 to 1.
    """

    quote: Quote
    document: str
    name: str
    where: str
    page: PageLabel | None = None
    path: tuple[str, ...] = ()
    because: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that states something about the contracts.

    Attributes:
        part: The part of the question that it answers; empty for the whole.
        quotes: The words that support it; each of them verified.
        claims: Words that were attributed to the contract and are not in it.
        problem: Why it is not verified, or what was searched; empty if it is verified.
    """

    text: str
    role: Role
    standing: Verification
    part: str = ""
    quotes: tuple[Citation, ...] = ()
    claims: tuple[str, ...] = ()
    problem: str = ""

    @property
    def marked(self) -> str:
        """The sentence, with its verification unless it is verified."""
        if self.standing is Verification.VERIFIED:
            return self.text
        return f"{self.text} ({self.standing})"


class RowState(StrEnum):
    """What a contract of a collection says to a question."""

    YES = "yes"
    NO = "no"
    SILENT = "not said"
    TO_READ = "to be read"


@dataclass(frozen=True, slots=True)
class ContractRow:
    """The row of a contract in the table that answers a question to a collection.

    Attributes:
        value: What it says, or was looked for, in a few words.
        size: The value as a number with its unit, to compare; empty if there is none.
        leads: Of words in a list, what leads to them, the farthest first.
    """

    document: str
    title: str
    state: RowState
    value: str = ""
    quote: Citation | None = None
    size: str = ""
    leads: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class ExternalStatement:
    """A statement by a source other than a contract; it supports nothing about the contracts.

    Attributes:
        words: The source's own words; verified against what was fetched.
    """

    text: str
    words: str
    source: str
    where: str
    fetched: str
    licence: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True)
class PreliminaryAnswer:
    """The preliminary answer.

    Attributes:
        headline: The answer in a line; empty if the first sentence serves as one.
        confidence: How likely the words quoted answer, 0 to 1; 0 if none support a ruling.
        because: What the confidence is, in words.
        unchecked: The model's ruling, if no sentence denies it and no verified one carries it;
            `ruling` is then `UNSURE`.
    """

    ruling: Verdict
    sentences: tuple[Statement, ...] = ()
    confidence: float = 0.0
    because: str = ""
    conditions: tuple[Statement, ...] = ()
    readings: tuple[Statement, ...] = ()
    headline: str = ""
    unchecked: Verdict | None = None

    @property
    def ruling_line(self) -> str:
        """The ruling in words, with whose it is where it has not been checked."""
        if self.unchecked is None:
            return self.ruling.value
        return f"{self.unchecked.value} (the model's ruling, unchecked)"

    @property
    def line(self) -> str:
        """The answer in a line: its headline, which says more than a ruling, or its ruling."""
        return self.headline or self.ruling_line.capitalize()

    def __post_init__(self) -> None:
        if self.because == OWN_ACCOUNT:  # answers kept before have the model's number
            object.__setattr__(self, "confidence", 0.0)


@dataclass(frozen=True, slots=True)
class Gap:
    """What is missing, and how it was searched for.

    Attributes:
        part: The part of the question that stays open; empty for the whole.
        searched: What was searched, in words, with how strong the best candidate was.
        nearest: The best candidate, which does not answer.
    """

    what: str
    part: str = ""
    searched: str = ""
    nearest: Citation | None = None


@dataclass(frozen=True, slots=True)
class StatementCounts:
    """How many statements of the report are verified, and how many are not.

    Attributes:
        unchecked: Those with verified quotes, where it is unchecked that the quotes say them.
        searched: Those that say that something is lacking, and a search found nothing.
        dropped: Statements of outside sources that were left out, because no words support them.
    """

    verified: int = 0
    unverified: int = 0
    dropped: int = 0
    unchecked: int = 0
    searched: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """The report after a turn."""

    turn: int
    asked: str
    tools: tuple[str, ...]
    title: str
    summary: tuple[Statement, ...]
    findings: tuple[Statement, ...]
    answer: PreliminaryAnswer
    gaps: tuple[Gap, ...] = ()
    next_questions: tuple[str, ...] = ()
    counts: StatementCounts = StatementCounts()


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done: a question to a model, or work of the program.

    Attributes:
        turn: From 1; 0 for what comes before the first and after the last.
        calls: Exchanges with a model, failed ones included.
        cost: In the currency of the prices; None where a price is not known.
        outcome: `done`, `kept` (answered from the cache), or what went wrong.
    """

    agent: str
    turn: int
    did: str
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float | None = 0.0
    model: str = ""
    outcome: str = "done"


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a report was made.

    Attributes:
        by: The models by their agents, or "no language model".
        prompts: Name and hash of each prompt.
        created: UTC, in ISO 8601.
        calls: The maximum number of model calls announced beforehand, without repairs.
    """

    by: str
    engine: str
    created: str
    prompts: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    document: str
    name: str
    path: str = ""
    text_hash: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The report to a question.

    Attributes:
        question: What was asked, with names for what it refers back to.
        earlier: The question that this one follows, as it was understood.
        assumptions: What was assumed because nothing was said about it.
        beside: What belongs to the words that answer, for the full report: definitions and clauses
            that they refer to.
        external: What sources outside of the contracts say; kept apart.
        stopped: Why the work ended before it was done; empty if it was done.
        reckonings: Dates and sums that the program computed: `2024-03-01 + 90 days = 2024-05-30`.
        reasoning: How the findings lead to the answer, in paragraphs.
        directions: Where to research further.
        not_found: Lookups without a result: what was asked for, and what there is instead.
        rows: Each contract, for a question to a collection.
        drafts: The report after each turn.
        record: Each step with what it used.
    """

    asked: str
    question: str
    made: Provenance
    title: str
    answer: PreliminaryAnswer
    context: str = ""
    instructions: str = ""
    earlier: str = ""
    assumptions: tuple[str, ...] = ()
    summary: tuple[Statement, ...] = ()
    reasoning: tuple[tuple[Statement, ...], ...] = ()
    findings: tuple[Statement, ...] = ()
    beside: tuple[Statement, ...] = ()
    gaps: tuple[Gap, ...] = ()
    directions: tuple[str, ...] = ()
    next_questions: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    external: tuple[ExternalStatement, ...] = ()
    counts: StatementCounts = StatementCounts()
    stopped: str = ""
    reckonings: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()
    rows: tuple[ContractRow, ...] = ()
    drafts: tuple[Draft, ...] = field(default=(), repr=False)
    record: tuple[Step, ...] = field(default=(), repr=False)

    @property
    def statements(self) -> tuple[Statement, ...]:
        direct = self.answer
        return (
            *self.summary,
            *(each for paragraph in self.reasoning for each in paragraph),
            *self.findings,
            *direct.sentences,
            *direct.conditions,
            *direct.readings,
        )

    @property
    def calls(self) -> int:
        return sum(step.calls for step in self.record)

    def to_json(self) -> str:
        """Return the report as JSON, for programs; `from_json` reads it."""
        return _adapter().dump_json(self, indent=2).decode("utf-8")

    @staticmethod
    def from_json(text: str | bytes) -> Answer:
        """Return the report that `to_json` wrote.

        Raises:
            InputError: If it is not such a report.
        """
        from pydantic import ValidationError

        try:
            return _adapter().validate_json(text)
        except ValidationError as error:
            raise InputError(
                f"this is not an answer report: {describe_problem(error.errors()[0])}.",
                remedy="Give a file written by `fourcorners ask --out FILE.json`.",
            ) from None


@cache
def _adapter() -> TypeAdapter[Answer]:
    from pydantic import TypeAdapter

    return TypeAdapter(Answer)


def count_statements(statements: tuple[Statement, ...], dropped: int = 0) -> StatementCounts:
    count = Counter(each.standing for each in statements)
    return StatementCounts(
        verified=count[Verification.VERIFIED],
        unverified=count[Verification.UNVERIFIED],
        dropped=dropped,
        unchecked=count[Verification.UNCHECKED],
        searched=count[Verification.SEARCHED],
    )
