"""A severity that hangs on a question that nobody answered: to be read, and never low."""

from __future__ import annotations

from dataclasses import replace

from fourcorners.review.finding import Finding, Severity


def leave_to_read(finding: Finding, possible: Severity, reason: str) -> Finding:
    """Return a finding as one to be read, if it may be as grave as `possible`.

    One that is of medium or high severity stays so, and none is to be read that could be low at
    most. `reason` says what its severity hangs on.
    """
    if possible.rank <= Severity.TO_READ.rank or finding.severity.rank > Severity.TO_READ.rank:
        return finding
    if finding.severity is Severity.TO_READ and possible.rank <= finding.possible_severity.rank:
        return finding
    return replace(
        finding,
        severity=Severity.TO_READ,
        possible_severity=possible,
        reason=reason,
        recommendation="",
    )


def open_question_reason(possible: Severity, question: str) -> str:
    return f"Could be {possible.value}, depending on a question that is not answered: “{question}”"
