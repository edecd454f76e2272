"""Severities that depend on an unanswered question: to be read, never low, and perhaps higher.

A cell's severity is decided in this order; each step can only raise it, except a person:

1. `risk.assessment.RiskConclusion.conclude`: the first `severity` rule of the provision that holds
   (without such rules, a language model: `prompting.reviewer`);
2. `risk.rules.raise_by_rules`: its `rules`, where the contract fails one;
3. `set_apart`: clauses that give orders and may concern it;
4. `risk.corrections`: answers, words and severities that people gave;
5. `risk.term_dates`: rules with `ends_within`, on the day of the review.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fourcorners.review.finding import Finding, Severity

NOT_RECOGNISED = "None was identified; read the contract before you rely on that."
"""What is said before the reason of a rule for what is not found, which a search cannot prove."""
_CLOSE = 0.5  # of the threshold: words that score as much may be what was looked for


def comes_close(finding: Finding) -> bool:
    """Tell whether the closest words to a provision that was not found may be what was sought."""
    near, search = finding.nearest, finding.searched
    return near is not None and search is not None and near.score >= search.threshold * _CLOSE


def leave_to_read(
    finding: Finding, possible: Severity, reason: str, questions: Iterable[str] = ()
) -> Finding:
    """Mark a finding as to be read, if its severity may be `possible`.

    One of medium severity has that still, and says that it could be graver; one that could be at
    most low is unchanged. `reason` says on what its severity depends, and `questions` are the ids
    of the open questions among that.
    """
    if possible is finding.possible_severity and possible.rank > finding.severity.rank:
        known_questions = (*finding.open_questions, *questions)
        return replace(finding, open_questions=tuple(dict.fromkeys(known_questions)))
    known = (Severity.TO_READ, finding.severity, finding.possible_severity)
    if possible.rank <= max(each.rank for each in known):
        return finding
    finding = replace(
        finding, possible_severity=possible, open_questions=tuple(dict.fromkeys(questions))
    )
    if finding.severity.rank > Severity.TO_READ.rank:
        return replace(finding, reason=f"{finding.reason} {reason}".strip())
    return replace(finding, severity=Severity.TO_READ, reason=reason, recommendation="")


def raise_severity(finding: Finding, level: Severity, reason: str, recommend: str) -> Finding:
    """Give a finding a higher severity; what may make it higher still is not lost."""
    is_open = finding.possible_severity.rank > level.rank
    return replace(
        finding,
        severity=level,
        possible_severity=finding.possible_severity if is_open else Severity.NONE,
        open_questions=finding.open_questions if is_open else (),
        reason=f"{reason} {finding.reason}" if is_open else reason,
        recommendation=recommend,
    )


def possible_high_words(finding: Finding) -> str:
    """Say that a finding could be high, and how many open questions decide; empty if it could not.

    A clause that was set apart, an amendment that is not certain, and a finding that an earlier
    version stored have no such questions.
    """
    if finding.possible_severity is not Severity.HIGH:
        return ""
    number = len(finding.open_questions)
    if not number:
        return "could be high"
    return f"could be high: {number} open question{'' if number == 1 else 's'}"


def open_question_reason(possible: Severity, question: str) -> str:
    return f"Could be {possible.value}, depending on a question that is not answered: “{question}”"
