"""Severities that depend on an unanswered question: to be read, and never low.

A cell's severity is decided in this order; each step can only raise it, except a person:

1. `risk.assessment.RiskConclusion.conclude`: the first `severity` rule of the provision that holds
   (without such rules, a language model: `prompting.reviewer`);
2. `risk.rules.raise_by_rules`: its `rules`, where the contract fails one;
3. `set_apart`: clauses that give orders and may concern it;
4. `risk.corrections`: answers, words and severities that people gave;
5. `risk.term_dates`: rules with `ends_within`, on the day of the review.
"""

from __future__ import annotations

from dataclasses import replace

from fourcorners.review.finding import Finding, Severity

NOT_RECOGNISED = "None was recognised; read the contract before you rely on that."
"""What is said before the reason of a rule for what is not found, which a search cannot prove."""
_CLOSE = 0.5  # of the threshold: words that score as much may be what was looked for


def comes_close(finding: Finding) -> bool:
    """Tell whether the closest words to a provision that was not found may be what was sought."""
    near, search = finding.nearest, finding.searched
    return near is not None and search is not None and near.score >= search.threshold * _CLOSE


def leave_to_read(finding: Finding, possible: Severity, reason: str) -> Finding:
    """Mark a finding as to be read, if its severity may be `possible`.

    A finding of medium or high severity is unchanged, and so is one that could be at most low.
    `reason` says on what its severity depends.
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
