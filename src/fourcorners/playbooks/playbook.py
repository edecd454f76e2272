"""`Playbook` and `Provision`: what to look for in a contract, as values.

`file.schema` says what each field of a provision and its parts is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import Literal, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.outline.card.card import Card
from fourcorners.search.query import Query
from fourcorners.text.span import Span

When: TypeAlias = Literal["found", "not_found"]
Level: TypeAlias = Literal["high", "medium", "low", "none"]
AnswerKind: TypeAlias = Literal["yes_no", "one_of", "date", "amount", "duration", "party", "text"]
Expectation: TypeAlias = Literal["entailed", "contradicted", "not_contradicted", "not_entailed"]
PositionKind: TypeAlias = Literal["preferred", "fallback", "unacceptable"]
# The slots of model wording: `{our party}`, `{governing law}`, `{Affiliate|affiliate}`.
_SLOT = re.compile(r"\{([^{}]*)\}")
MAX_SLOT = 80  # characters
SUBJECT, PAYER, SEAT = "subject", "payer", "seat"
"""In the place of a question of whom words bind or favour: their subject, who must or may do what
they say; whoever pays for what the contract is about, according to the parties' roles; and whoever
is at home where the law and the courts are that words name."""


class Extent(StrEnum):
    """How much of the contract answers a provision."""

    SENTENCE = "sentence"
    CLAUSE = "clause"
    FACT = "fact"  # the words of a fact of the contract card, where the card has it


class CardField(StrEnum):
    """A fact of the contract card that speaks for a provision."""

    TITLE = "title"
    PARTIES = "parties"
    AGREEMENT_DATE = "agreement_date"
    EFFECTIVE_DATE = "effective_date"
    EXPIRY_DATE = "expiry_date"
    GOVERNING_LAW = "governing_law"


CARD_ANSWERS: Mapping[CardField, str] = {
    CardField.TITLE: "text",
    CardField.PARTIES: "party",
    CardField.AGREEMENT_DATE: "date",
    CardField.EFFECTIVE_DATE: "date",
    CardField.EXPIRY_DATE: "date",
    CardField.GOVERNING_LAW: "text",
}
"""The kind of question that each fact of the contract card answers."""

CardValue: TypeAlias = Literal["agreement", "effective", "end", "renewal", "notice"]
"""A value that the contract card judges: two dates, the end or length of the term, what a renewal
adds, and the notice that stops it."""


@dataclass(frozen=True, slots=True)
class RiskQuestion:
    """A question a lawyer asks once the provision is found.

    Attributes:
        options: What may be answered, each with how a cell says it; empty where that is not worth
            saying. A question of `yes_no` has the options `yes` and `no`.
        says: How a cell says an answer that is no option, with `{}` in its place; empty if it does
            not.
        card_value: The value of the contract card that answers it, where that is sure enough to be
            said; empty if none does.
        whose: The question that says who has the right or exception that is asked for: read for a
            side, an answer counts where that is not the other side alone.
    """

    id: str
    question: str
    guidance: str = ""
    answer: AnswerKind = "text"
    options: Mapping[str, str] = field(default_factory=dict)
    says: str = ""
    card_value: CardValue | None = None
    whose: str = ""
    applies_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeverityRule:
    """How much a cell matters; of a provision's rules the first that holds decides.

    A rule holds if the cell is as `when` says and each question of `answers` has one of the answers
    listed for it. `burdens` names a question of whom the clause binds: the rule passes over a cell
    where that is the other side alone. `favours` names one of who has its benefit: the rule passes
    over a cell where that is our side alone. Read for a side, a rule does not hold while the party
    is not known.

    One with `ends_within` is asked of a review, not of a cell: it holds if the term that the card
    has ends so many months after the day of the review at the latest, or has ended (0), and then
    it raises the severity.
    """

    when: When
    severity: Level
    because: str
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    burdens: str = ""
    favours: str = ""
    recommend: str = ""
    ends_within: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A statement that a contract passes or fails."""

    id: str
    statement: str
    expects: Expectation = "entailed"
    severity: Level = "medium"
    because: str = ""
    recommend: str = ""


@dataclass(frozen=True, slots=True)
class ClauseEdit:
    """A small change that brings a clause to a position; its words may hold slots.

    The words come after the first of the phrases `after` that is in the words found, or in
    place of the first of `replace`, or of an amount that answers the question `of`; a period that
    does becomes `at_least` or `at_most` so long. Without any of these they are a separate sentence
    after it.

    Attributes:
        answers: Of which clauses it is a change: as the answers of a position.
        about: Phrases; the sentence that is changed has one of them.
        not_about: Phrases; the sentence that is changed has none of them.
        unless: Phrases; a clause that has one of them is left to a person.
    """

    words: str = ""
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    about: tuple[str, ...] = ()
    not_about: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()
    of: str = ""
    at_least: str = ""
    at_most: str = ""
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    """Wording that is in a position: a whole clause, and changes that bring other clauses there.

    Attributes:
        clause: With slots in braces: `{our party}`, `{governing law}`, `{Affiliate|affiliate}`.
        heading: Of the clause.
        beside: Words of the headings next to which to put such a clause, the best first.
        add_to: The types of contract to which the clause is added where they have none.
    """

    clause: str = ""
    heading: str = ""
    beside: tuple[str, ...] = ()
    add_to: tuple[str, ...] = ()
    edits: tuple[ClauseEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class Position:
    """A position of the house on a provision; a clause is classed by the first that holds.

    It holds where its `answers` do, as a severity rule does. One without them is for people and
    language models to class by its text.

    Attributes:
        burdens: A question of whom the clause binds, `SUBJECT` or `PAYER`: the position is that of
            our clauses alone.
        favours: A question of who has its benefit, `SUBJECT` or `PAYER`, or `SEAT` for who is at
            home in its law and courts: the position is not that of ours alone.
        alone: Whether it takes that none of the words found bind, or favour, the other side too.
        about: Phrases, with slots; words that have none of them are in no such position.
        not_about: Phrases, with slots; nor is a sentence that has one of them.
        unless: Phrases, with slots; nor is a clause that has one of them.
        under: A period or rate; nor are words without a lower one, or with one that is as high.
        over: A period or rate; nor are words without a higher one.
    """

    kind: PositionKind
    text: str
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    example: str = ""
    recommend: str = ""
    burdens: str = ""
    favours: str = ""
    alone: bool = False
    about: tuple[str, ...] = ()
    not_about: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    under: str = ""
    over: str = ""
    wording: Wording | None = None

    @property
    def is_refused(self) -> bool:
        return self.kind == "unacceptable"


@dataclass(frozen=True, slots=True)
class Provision:
    """A kind of clause to look for.

    Attributes:
        id: It names the provision wherever results are kept.
        learned: What was mined from a clause bank; it ranks passages, and decides nothing alone.
        threshold: The probability, 0 to 1, from which a quote counts; None for the calibrated one.
    """

    id: str
    name: str
    definition: str
    query: Query
    examples: tuple[str, ...] = ()
    instructions: str = ""
    avoid: Query | None = None
    learned: Query | None = None
    extent: Extent = Extent.SENTENCE
    card: CardField | None = None
    aliases: tuple[str, ...] = ()
    questions: tuple[RiskQuestion, ...] = ()
    severity: tuple[SeverityRule, ...] = ()
    threshold: float | None = None
    applies_to: tuple[str, ...] = ()
    except_for: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    positions: tuple[Position, ...] = ()


@dataclass(frozen=True, slots=True)
class Playbook:
    """A list of provisions.

    Attributes:
        hash: The SHA-256 of the content, whatever the file's layout and comments, with what it
            takes from the playbook that it extends; results keep it. Wording to draft with is no
            part of it: no finding depends on it.
        language: The language of the contracts, as a BCP 47 tag.
        payer: What the side that pays is called: a tenant, a borrower.
        payee: What the side that is paid is called.
    """

    id: str
    name: str
    version: str
    hash: str
    language: str
    provisions: tuple[Provision, ...]
    description: str = ""
    payer: str = ""
    payee: str = ""

    def whose(self, position: Position) -> str:
        """Return whose position it is, in words; nothing where it is either side's."""
        if PAYER in (position.burdens, position.favours):
            named, plain = (
                (self.payer, "side that pays")
                if position.burdens == PAYER
                else (self.payee, "side that is paid")
            )
            return f"for the {named or plain}"
        words = (
            "unless it binds only the other side" if position.burdens else "",
            "unless only your side has the benefit" if position.favours else "",
        )
        return ", ".join(filter(None, words))

    def provision(self, name: str) -> Provision:
        """Return the provision with this id, name or alias; case does not matter.

        Raises:
            ConfigError: If there is none; the remedy offers near matches.
        """
        names = {
            known.casefold(): provision
            for provision in self.provisions
            for known in (provision.id, provision.name, *provision.aliases)
        }
        wanted = " ".join(name.split()).casefold()
        if wanted in names:
            return names[wanted]
        near = get_close_matches(wanted, names, n=3) or [
            each for each in names if len(wanted) > 2 and wanted in each
        ]
        offered = dict.fromkeys(names[each].name for each in near) or [
            each.name for each in self.provisions
        ]
        raise ConfigError(
            f"the playbook {self.id} has no provision {name!r}.",
            remedy=f"{'Did you mean' if near else 'It has'}: {', '.join(offered)}"
            f"{'?' if near else '.'}",
        )


def card_facts(card: Card, field: CardField | None) -> list[tuple[Span, float]]:
    """Return the places of the card's facts of a field, with their confidence."""
    if field is None:
        return []
    if field is CardField.PARTIES:
        return [(party.span, party.confidence) for party in card.parties if len(party.span)]
    fact = {
        CardField.TITLE: card.title,
        CardField.AGREEMENT_DATE: card.agreement_date,
        CardField.EFFECTIVE_DATE: card.effective_date,
        CardField.EXPIRY_DATE: card.expiry_date,
        CardField.GOVERNING_LAW: card.governing_law,
    }[field]
    return [(fact.span, fact.confidence)] if fact else []


def slot_problem(text: str) -> str:
    """Say what is wrong with the slots of a wording; empty if nothing is."""
    rest = _SLOT.sub("", text)
    if "{" in rest or "}" in rest:
        return "a brace is not closed, or opens within another"
    for name in _slot_names(text):
        if not name or not all(part.strip() for part in name.split("|")):
            return "a slot needs a name, as in {our party}"
        if len(name) > MAX_SLOT:
            return f"a slot's name has at most {MAX_SLOT} characters"
    return ""


def _slot_names(text: str) -> list[str]:
    """Return the names between the braces of a wording, in order."""
    return [match[1].strip() for match in _SLOT.finditer(text)]


def fill_slots(text: str, value: Callable[[str, int], str]) -> str:
    """Return a wording with each slot replaced by its value.

    `value` is given the slot's name and its offset in the wording.
    """
    return _SLOT.sub(lambda match: value(match[1].strip(), match.start()), text)
