"""Review findings: confirm, correct, reject, flag, or comment on a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fourcorners.errors import ConfigError
from fourcorners.library import audit
from fourcorners.library.database import in_transaction
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import annotations as annotation_log
from fourcorners.review import store
from fourcorners.review.annotations import split_assignment
from fourcorners.review.finding import (
    Annotation,
    CellState,
    Finding,
    ReviewState,
    Severity,
)
from fourcorners.review.risk.answers import parse_answers
from fourcorners.text import evidence
from fourcorners.text.invisible_characters import find_refused_character
from fourcorners.text.quote import Match
from fourcorners.text.span import Span, merge_spans

MAX_NAME = 120  # characters
MAX_VALUE = 20_000  # characters
MAX_COMMENT = 10_000  # characters
MIN_SPAN = 12  # characters below which a value is searched for only in the finding's clauses


@dataclass(frozen=True, slots=True)
class NewAnnotation:
    """What a person says of a cell.

    Attributes:
        state: PROPOSED takes back what was said; None only comments.
        value: Words of the document, which become a value with their place if the document has
            them as given (print apart), or the person's own words.
        comment: With a severity, its reason.
        place: The words of the document there are the value.
        answers: To risk questions, by their ids, as a person writes them (`answers.parse_answer`).
        at: When, in UTC and ISO 8601; now by default.
    """

    by: str
    state: ReviewState | None = None
    value: str = ""
    comment: str = ""
    place: Span | None = None
    answers: Mapping[str, str] | None = None
    severity: Severity | None = None
    at: str = ""

    @property
    def is_correction(self) -> bool:
        """Whether it gives the right value."""
        return bool(self.value or self.place or self.answers or self.severity)


@in_transaction
def annotate_finding(
    library: Library, playbook: Playbook, document: str, provision: str, given: NewAnnotation
) -> Finding:
    """Store what a person says of a cell, and return the updated finding.

    A value, answers or a severity alone correct the cell. Nothing said before is lost: a remark is
    undone by another.

    Raises:
        ConfigError: If the cell was not reviewed, or the remark is not possible for it.
    """
    given = replace(
        given,
        by=" ".join(given.by.split()),
        value=given.value.strip(),
        comment=given.comment.strip(),
    )
    if given.state is None and given.is_correction:
        given = replace(given, state=ReviewState.CORRECTED)
    _require_sayable(given)
    state, value, place, answers = given.state, given.value, given.place, given.answers
    finding = load_finding(library, playbook, document, provision)
    _require_sense(finding, state)
    if value or place is not None:
        value, place = _locate_value(value, place, finding, library.text(document))
    elif answers and finding.state is not CellState.FOUND:
        raise ConfigError(
            "nothing was found here, so no question can be answered.",
            remedy="Correct the wording first.",
            field="value",
        )
    annotation = Annotation(
        given.by,
        given.at or audit.utc_now(),
        state,
        value,
        given.comment,
        place=place,
        answers=parse_answers(playbook.provision(provision), answers or {}, library.card(document)),
        severity=given.severity,
    )
    annotation_log.append_annotation(library, playbook.id, finding, annotation)
    return load_finding(library, playbook, document, provision)


def load_finding(library: Library, playbook: Playbook, document: str, provision: str) -> Finding:
    """Return a stored finding with what people said of it.

    Raises:
        ConfigError: If the cell was not reviewed.
    """
    cells = store.load_cells(library, playbook, [provision], document).get(document, {})
    if provision not in cells:
        raise ConfigError(
            f"{provision!r} of {document} was not reviewed by the playbook {playbook.id!r} "
            f"{playbook.version}.",
            remedy="Run `fourcorners review` first.",
        )
    return cells[provision]


def _locate_value(
    value: str, place: Span | None, finding: Finding, text: str
) -> tuple[str, Span | None]:
    """Return a value with its place in the document; None if it is not the document's words.

    A near match does not count: a person who writes 60 days instead of 30 means 60.

    Raises:
        ConfigError: If `place` is given and there are no words there.
    """
    if place is not None:
        place = place.strip(text)
        if not place or place.end > len(text):
            raise ConfigError(f"there are no words at these characters of {finding.document}.")
        return place.text_in(text), place
    evidence_there = (*finding.evidence, *finding.proposal.evidence)
    areas = [finding.best.clause] if finding.best else []
    areas += merge_spans(each.clause for each in evidence_there)
    areas += [Span(0, len(text))] if len(value) >= MIN_SPAN else []
    for area in areas:
        found = evidence.align_quote(value, area.text_in(text))
        if found.span is not None and found.match in (Match.EXACT, Match.NORMALISED):
            return found.words, found.span.shift(area.start)
    return value, None


def _require_sayable(given: NewAnnotation) -> None:
    state = given.state
    if not given.by:
        raise ConfigError(
            "a remark needs the name of its author.",
            remedy="Give --by NAME, or set `reviewer` in the settings.",
        )
    for what, words, most in (
        ("a name", given.by, MAX_NAME),
        ("a value", given.value, MAX_VALUE),
        ("a comment", given.comment, MAX_COMMENT),
    ):
        if len(words) > most:
            raise ConfigError(f"{what} of {len(words):,} characters is too long: at most {most:,}.")
        if character := find_refused_character(words):
            raise ConfigError(f"{what} contains {character}, which cannot be stored.")
    if state is None and not given.comment:
        raise ConfigError(
            "there is nothing to save.",
            remedy="Change something first, or write a comment.",
            field="comment",
        )
    if given.value and given.place is not None:
        raise ConfigError("both a value and a place are given.", remedy="Give only one of them.")
    if (given.value or given.place) and state is not ReviewState.CORRECTED:
        raise ConfigError("only a correction has a value.", remedy="Correct it, or leave it out.")
    if given.answers and state is not ReviewState.CORRECTED:
        raise ConfigError("only a correction has answers.", remedy="Correct it, or leave them out.")
    if given.severity is Severity.TO_READ:
        raise ConfigError(
            "a reviewer cannot set “to be read”.",
            remedy="Give high, medium, low or none, or ask for a second look.",
        )
    if given.severity and state is ReviewState.PROPOSED:
        raise ConfigError("an undo sets no severity.", remedy="Leave it out.")
    if state is ReviewState.CORRECTED and not given.is_correction:
        raise ConfigError(
            "a correction needs other wording, an answer or a severity.",
            remedy="Give the wording, or point at words of the contract.",
            field="value",
        )


def _require_sense(finding: Finding, state: ReviewState | None) -> None:
    """Refuse a state that the finding cannot have.

    Raises:
        ConfigError: If there is nothing to confirm, to reject or to take back.
    """
    if state is ReviewState.CONFIRMED and finding.state is CellState.FAILED:
        raise ConfigError(
            f"this cell failed ({finding.error}): there is nothing to confirm.",
            remedy="Review it again with --only failed, or correct it.",
        )
    found = CellState.FOUND in (finding.state, finding.proposal.state)
    if state is ReviewState.REJECTED and not found:
        raise ConfigError(
            "nothing was found here that could be rejected.",
            remedy="If the contract says something, correct the wording, or ask for a second look.",
        )
    if state is ReviewState.PROPOSED and not any(
        each.state is not None for each in finding.remarks
    ):
        raise ConfigError("there is nothing to undo.")


def assignment(to: str, why: str = "") -> str:
    """Return the comment that asks someone to look at a cell.

    Raises:
        ConfigError: If the name is invalid.
    """
    name = " ".join(to.split())
    found, reason = split_assignment(f"@{name}: {why}")
    if found != name:
        raise ConfigError(
            "a reviewer's name has 1 to 120 characters and no colon.",
            remedy="Choose another name.",
            field="to",
        )
    return f"@{name}: {reason or 'please look at this.'}"
