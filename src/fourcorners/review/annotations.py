"""Store what people said of findings in an append-only table.

A remark is stored by document, playbook (its id: a later version keeps the remarks) and provision,
with a fingerprint of the finding that was seen. It outlives the finding and the document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from textwrap import shorten

from fourcorners.library import audit
from fourcorners.library.database import SQLiteValue, as_integer, as_string, in_transaction
from fourcorners.library.store import Library
from fourcorners.review.finding import (
    Annotation,
    AnswerCorrection,
    Author,
    CellState,
    Finding,
    ReviewState,
    Severity,
)
from fourcorners.text.span import Span

PROGRAM = "Fourcorners"
AUDIT_EVENT = "remark"
_SHOWN = 240  # characters of a quote in the program's note on a change
_MOST_SHOWN = 3  # quotes

_COLUMNS = (
    'row, document, playbook, provision, by, author, at, state, value, start, "end", comment, '
    "fingerprint, seen, answers, severity"
)
_WITHDRAWN = "CASE WHEN row IN (SELECT remark FROM withdrawn_remarks) THEN 1 ELSE 0 END"
_FIRST_COLUMNS = 14  # of a remark stored before answers and severities could be corrected


@dataclass(frozen=True, slots=True)
class StoredAnnotation:
    """A stored remark.

    Attributes:
        number: Its place among all remarks of the library, from 1.
        seen: That finding's state and quotes, as JSON.
    """

    number: int
    annotation: Annotation
    fingerprint: str
    seen: str

    @property
    def by_person(self) -> bool:
        return self.annotation.author is Author.PERSON


def finding_fingerprint(finding: Finding) -> str:
    """Return a hash of a proposal's state and quoted words, equal for equal proposals."""
    return sha256(_fingerprint_text(finding).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _fingerprint_text(finding: Finding) -> str:
    proposal = finding.proposal
    quotes = sorted({" ".join(each.quote.words.split()) for each in proposal.evidence})
    return json.dumps({"state": proposal.state.value, "quotes": quotes}, sort_keys=True)


@in_transaction
def append_annotation(
    library: Library, playbook: str, finding: Finding, remark: Annotation
) -> StoredAnnotation:
    """Store a remark on a finding and audit it, in the caller's transaction if there is one.

    The trail records who, when, what state, of which finding, and a hash of the whole remark.
    """
    number = last_number(library) + 1
    seen, print_ = _fingerprint_text(finding), finding_fingerprint(finding)
    values: tuple[SQLiteValue, ...] = (
        number,
        finding.document,
        playbook,
        finding.provision,
        remark.by,
        remark.author.value,
        remark.at,
        remark.state.value if remark.state else None,
        remark.value,
        remark.place.start if remark.place else None,
        remark.place.end if remark.place else None,
        remark.comment,
        print_,
        seen,
        json.dumps({each.id: each.value for each in remark.answers}) if remark.answers else None,
        remark.severity.value if remark.severity else None,
    )
    digest = _digest(values)
    library.execute(
        f"INSERT INTO remarks({_COLUMNS}, sha256) VALUES (?{', ?' * len(values)})",  # noqa: S608
        (*values, digest),
    )
    library.record(
        AUDIT_EVENT,
        {
            "remark": number,
            "document": finding.document,
            "playbook": playbook,
            "provision": finding.provision,
            "by": remark.by,
            "author": remark.author.value,
            "said_at": remark.at,
            "state": remark.state.value if remark.state else "",
            "fingerprint": print_,
            "sha256": digest,
        },
    )
    return StoredAnnotation(number, remark, print_, seen)


def _digest(values: Sequence[SQLiteValue]) -> str:
    """Return the hash of a remark; columns added later count if they are not empty."""
    if not any(values[_FIRST_COLUMNS:]):
        values = values[:_FIRST_COLUMNS]
    return sha256(json.dumps(list(values), separators=(",", ":")).encode()).hexdigest()


def select_annotations(
    library: Library,
    playbook: str,
    *,
    document: str | None = None,
    provisions: Iterable[str] | None = None,
) -> dict[tuple[str, str], list[StoredAnnotation]]:
    """Return what was said, the oldest first, by document and provision."""
    conditions, bindings = ["playbook = ?"], [playbook]
    if document is not None:
        conditions.append("document = ?")
        bindings.append(document)
    if provisions is not None:
        conditions.append("provision IN (SELECT value FROM json_each(?))")
        bindings.append(json.dumps(sorted(provisions)))
    rows = library.execute(
        f"SELECT {_COLUMNS}, {_WITHDRAWN} FROM remarks "  # noqa: S608
        f"WHERE {' AND '.join(conditions)} ORDER BY row",
        bindings,
    )
    found: dict[tuple[str, str], list[StoredAnnotation]] = {}
    for row in rows:
        found.setdefault((as_string(row[1]), as_string(row[3])), []).append(_from_row(row))
    return found


def last_number(library: Library) -> int:
    """Return the number of the last remark of the library; 0 if there is none."""
    return as_integer(library.execute("SELECT coalesce(max(row), 0) FROM remarks")[0][0])


def withdraw(library: Library, remark: int, by: int) -> None:
    """Withdraw the comment of a remark, by a later remark; it stays in the history."""
    library.execute("INSERT INTO withdrawn_remarks(remark, by) VALUES (?, ?)", (remark, by))


def annotated_cells(
    library: Library, first: int, last: int, by: str, state: ReviewState | None
) -> list[tuple[int, str, str, str]]:
    """Return which cells a person gave a state, or (None) only commented on.

    Each has its remark's number, document, playbook and provision.
    """
    rows = library.execute(
        "SELECT row, document, playbook, provision FROM remarks "
        "WHERE row BETWEEN ? AND ? AND by = ? AND coalesce(state, '') = ? ORDER BY row",
        (first, last, by, state.value if state else ""),
    )
    return [(as_integer(row[0]), *map(as_string, row[1:])) for row in rows]  # type: ignore[misc]


def comment_of(library: Library, number: int) -> str:
    """Return the comment of a remark, by its number; empty if it has none."""
    rows = library.execute("SELECT comment FROM remarks WHERE row = ?", (number,))
    return as_string(rows[0][0]) if rows else ""


def _from_row(row: Sequence[SQLiteValue]) -> StoredAnnotation:
    state, start, end = row[7], row[9], row[10]
    answers, severity, comment = row[14], row[15], as_string(row[11])
    is_withdrawn = bool(row[16])
    return StoredAnnotation(
        number=as_integer(row[0]),
        annotation=Annotation(
            by=as_string(row[4]),
            author=Author(as_string(row[5])),
            at=as_string(row[6]),
            state=None if state is None else ReviewState(as_string(state)),
            value=as_string(row[8]),
            place=None if start is None else Span(as_integer(start), as_integer(end)),
            comment="" if is_withdrawn else comment,
            withdrawn=comment if is_withdrawn else "",
            answers=()
            if answers is None
            else tuple(
                AnswerCorrection(str(name), str(value))
                for name, value in json.loads(as_string(answers)).items()
            ),
            severity=None if severity is None else Severity(as_string(severity)),
        ),
        fingerprint=as_string(row[12]),
        seen=as_string(row[13]),
    )


_TO = re.compile(r"@(?P<name>(?:[^:\n@]|(?<=\w)@(?=\w)){1,120}):")


def assigned_to(comment: str) -> str:
    """Return whom a comment asks to look at its cell; empty if nobody."""
    return split_assignment(comment)[0]


def split_assignment(comment: str) -> tuple[str, str]:
    """Return whom a comment asks to look at its cell, and why, without their name once more."""
    found = _TO.match(comment)
    if not found:
        return "", comment
    name, why = " ".join(found["name"].split()), comment[found.end() :]
    again = re.match(rf"(\s*@{re.escape(name)}(?![\w.@+-]*\w)[:,.]?)+", why, re.IGNORECASE)
    return name, why[again.end() if again else 0 :].strip()


def assignee(remarks: Iterable[Annotation]) -> str:
    """Return who is asked to look at it by the remarks, the oldest first; empty if nobody, or done.

    It is done as soon as anybody gives the finding a state.
    """
    name = ""
    for remark in remarks:
        if remark.author is not Author.PERSON:
            continue
        if remark.state is not None:
            name = ""
        name = assigned_to(remark.comment) or name
    return name


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """The current review status of a cell, from its remarks.

    Attributes:
        answers: Answers to risk questions, by their ids.
        severity: The remark that set one; None where none did.
        judged: The last remark by which a person gave a state.
    """

    review: ReviewState = ReviewState.PROPOSED
    value: str = ""
    place: Span | None = None
    judged: StoredAnnotation | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    severity: Annotation | None = None


def review_status(annotations: Iterable[StoredAnnotation], current: str) -> ReviewStatus:
    """Return the status of a cell whose finding has the fingerprint `current`.

    The last state that a person gave it applies, unless the finding was a different one: then the
    cell needs a second look. A correction remains until it is corrected again, rejected or
    withdrawn; a correction of the words withdraws the answers, which were about the previous words.
    """
    at = ReviewStatus()
    for each in annotations:
        remark = each.annotation
        if not each.by_person or remark.state is None:
            continue
        if remark.state in (ReviewState.REJECTED, ReviewState.PROPOSED):
            at = ReviewStatus()
        if remark.value:
            at = replace(at, value=remark.value, place=remark.place, answers={})
        at = replace(
            at,
            review=remark.state,
            judged=each,
            answers={**at.answers, **{answer.id: answer.value for answer in remark.answers}},
            severity=remark if remark.severity else at.severity,
        )
    if at.judged and at.review is not ReviewState.PROPOSED and at.judged.fingerprint != current:
        return replace(at, review=ReviewState.SECOND_LOOK)
    return at


def apply_annotations(
    finding: Finding, annotations: Sequence[StoredAnnotation], made: str
) -> tuple[ReviewStatus, Finding]:
    """Return the review status of a cell, and the finding with the remarks applied."""
    at = review_status(annotations, finding_fingerprint(finding))
    note = _change_note(finding, annotations, made)
    remarks = (*(each.annotation for each in annotations), *([note] if note else []))
    return at, replace(finding, review=at.review, value=at.value, place=at.place, remarks=remarks)


def _change_note(
    finding: Finding, annotations: Sequence[StoredAnnotation], made: str
) -> Annotation | None:
    """Return the program's note on a finding that people judged; None if none is due.

    A note is due if the finding differs from the one that was judged, or equals it again after a
    difference.
    """
    judged = review_status(annotations, "").judged
    if judged is None or judged.annotation.state is ReviewState.PROPOSED:
        return None
    current = finding_fingerprint(finding)
    own = [each for each in annotations if each.number > judged.number and not each.by_person]
    if current == (own[-1] if own else judged).fingerprint:
        return None
    did = f"{judged.annotation.by} marked it as {_MARKED[judged.annotation.state]}"
    if current == judged.fingerprint:
        return Annotation(
            PROGRAM, made, comment=f"This is the same again as when {did}.", author=Author.RULE
        )
    return Annotation(
        PROGRAM,
        made,
        ReviewState.SECOND_LOOK,
        comment=f"Changed since {did}. {_change(judged.seen, finding)}",
        author=Author.RULE,
    )


_MARKED: Mapping[ReviewState | None, str] = {
    ReviewState.CONFIRMED: "confirmed",
    ReviewState.CORRECTED: "corrected",
    ReviewState.REJECTED: "rejected",
    ReviewState.SECOND_LOOK: "in need of a second look",
}
_STATES: Mapping[str, str] = {
    CellState.FOUND.value: "found",
    CellState.NOT_FOUND.value: "not found",
    CellState.TO_READ.value: "to be read",
    CellState.FAILED.value: "failed",
    CellState.NOT_APPLICABLE.value: "not asked of this type of contract",
}


def _change(seen: str, finding: Finding) -> str:
    before, after = json.loads(seen), json.loads(_fingerprint_text(finding))
    waiting = []
    if before["state"] != after["state"]:
        waiting.append(f"It was {_STATES[before['state']]}, and is {_STATES[after['state']]} now.")
    for words, one, other in (
        ("No longer quoted", before["quotes"], after["quotes"]),
        ("Quoted now", after["quotes"], before["quotes"]),
    ):
        quotes = [quote for quote in one if quote not in other]
        shown = [f"“{shorten(quote, _SHOWN, placeholder='…')}”" for quote in quotes[:_MOST_SHOWN]]
        more = f" and {len(quotes) - _MOST_SHOWN} more" if len(quotes) > _MOST_SHOWN else ""
        if quotes:
            waiting.append(f"{words}: {'; '.join(shown)}{more}.")
    return " ".join(waiting)


def append_change_notes(library: Library, playbook: str, findings: Iterable[Finding]) -> None:
    """Store the program's notes on findings that changed since people judged them.

    A failed cell does not count as a change: it is reported while it lasts, and not stored.
    """
    lasting = [each for each in findings if each.state is not CellState.FAILED]
    known: dict[tuple[str, str], list[StoredAnnotation]] = {}
    for document in {each.document for each in lasting}:
        known |= select_annotations(library, playbook, document=document)
    for finding in lasting:
        annotations = known.get((finding.document, finding.provision), [])
        note = _change_note(finding, annotations, audit.utc_now())
        if note is not None:
            append_annotation(library, playbook, finding, note)


def annotation_faults(library: Library) -> list[str]:
    """Return where the remarks differ from the audit trail; empty if they agree."""
    details = (json.loads(e.detail) for e in library.audit_trail() if e.event == AUDIT_EVENT)
    hashes = {int(detail["remark"]): str(detail["sha256"]) for detail in details}
    found: list[str] = []
    there: set[int] = set()
    for row in library.execute(f"SELECT {_COLUMNS}, sha256 FROM remarks ORDER BY row"):  # noqa: S608
        number = as_integer(row[0])
        there.add(number)
        if number not in hashes:
            found.append(f"remark {number} is not in the audit trail")
        elif hashes[number] != _digest(row[:-1]):
            found.append(f"remark {number} was changed")
    found += [f"remark {number} is missing" for number in sorted(hashes.keys() - there)]
    return found
