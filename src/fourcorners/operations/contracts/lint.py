"""Lint: slips of drafting in one contract."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fourcorners.documents.document import Document, PageLabel
from fourcorners.operations.access import Access
from fourcorners.outline.tree import Outline
from fourcorners.playbooks.playbook import Level
from fourcorners.review.finding import Severity
from fourcorners.review.lint import Check, lint_contract
from fourcorners.value import PlacedWords, Value

LEVELS = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)
"""How serious a slip can be, the most serious first."""


class LintRequest(Value):
    """Which contract, and which of its slips."""

    document: Annotated[str, Field(min_length=1, max_length=40)]
    least: Level = Field(default="low", description="Only slips of this severity or higher.")


class Slip(Value):
    """One thing that a drafter should look at."""

    check: Check
    severity: Severity
    message: str
    words: PlacedWords
    around: PlacedWords = Field(description="The sentence or line that surrounds the words.")
    page: PageLabel | None
    places: int = Field(description="In how many places it is; the words are of the first.")


class LintResult(Value):
    """The slips of a contract, the most serious first."""

    document: str
    name: str
    slips: list[Slip]
    unchecked: list[str] = Field(description="What was not checked, and why.")


def lint_document(access: Access, asked: LintRequest) -> LintResult:
    """Check the references, terms and numbering of a contract.

    Raises:
        NotFound: If they may not know of it.
    """
    read, outline = access.document(asked.document), access.outline(asked.document)
    found = lint_read(read, outline, Severity(asked.least))
    access.record("lint", {"document": asked.document, "found": len(found.slips)})
    return found


def lint_read(read: Document, outline: Outline, least: Severity = Severity.LOW) -> LintResult:
    """Check a document that was read, wherever it came from."""
    found, text = lint_contract(read, outline), read.text
    return LintResult(
        document=read.id,
        name=read.name,
        slips=[
            Slip.make(
                each,
                words=PlacedWords.from_span(each.span.text_in(text), each.span),
                around=PlacedWords.from_span(each.around.text_in(text), each.around),
            )
            for each in found.issues
            if LEVELS.index(each.severity) <= LEVELS.index(least)
        ],
        unchecked=list(found.unchecked),
    )
