"""Say which questions and severities of a playbook need a language model or a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fourcorners.models.verdict_reader.reader import VerdictReader
from fourcorners.playbooks.playbook import AnswerKind, CardField, Playbook, Provision

CARD_ANSWERS: Mapping[CardField, AnswerKind] = {
    CardField.TITLE: "text",
    CardField.PARTIES: "party",
    CardField.AGREEMENT_DATE: "date",
    CardField.EFFECTIVE_DATE: "date",
    CardField.EXPIRY_DATE: "date",
    CardField.GOVERNING_LAW: "text",
}
"""The kind of question that each fact of the contract card answers."""


@dataclass(frozen=True, slots=True)
class OfflineProvision:
    """What the program cannot answer or decide of a provision offline.

    Attributes:
        unsure: Questions for which the verdict reader is never sure enough.
        unknown: Questions that the verdict reader has not learned.
        undecided: Positions of the severity rules that depend on one of these questions.
    """

    provision: Provision
    unsure: tuple[str, ...]
    unknown: tuple[str, ...]
    undecided: tuple[int, ...]


def offline_provisions(playbook: Playbook, reader: VerdictReader) -> list[OfflineProvision]:
    return [_offline_provision(each, reader) for each in playbook.provisions]


def _offline_provision(provision: Provision, reader: VerdictReader) -> OfflineProvision:
    limits = {head.question: head.limit for head in reader.heads.get(provision.id, ())}
    open_questions = [
        each.id
        for each in provision.questions
        if limits.get(each.id) is None
        and not each.card_value
        and not (provision.card and CARD_ANSWERS.get(provision.card) == each.answer)
    ]
    return OfflineProvision(
        provision,
        tuple(each for each in open_questions if each in limits),
        tuple(each for each in open_questions if each not in limits),
        tuple(
            place
            for place, rule in enumerate(provision.severity)
            if any(name in open_questions for name in rule.answers)
        ),
    )
