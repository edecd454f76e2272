"""Answers to risk questions: as a person writes them, as programs read them, and in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date

from fourcorners.errors import ConfigError
from fourcorners.models.verdict_reader.features import EACH_PARTY
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.party_names import PRONOUNS, ROLES, common_name
from fourcorners.playbooks.playbook import Provision, RiskQuestion
from fourcorners.review.finding import AnswerCorrection
from fourcorners.review.mentions import fold_party
from fourcorners.review.parties import party_value
from fourcorners.text.invisible_characters import find_refused_character
from fourcorners.text.span import Span
from fourcorners.text.values.amounts import find_amounts
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.periods import find_durations, period_parts

MAX_ANSWER = 2_000  # characters
SILENT = "-"
"""What is written for: the contract does not say."""
_ALL = frozenset((EACH_PARTY, "both", "both parties", "either party", "all parties", "every party"))

_ARTICLE = re.compile(r"^the\s+", re.IGNORECASE)
_VERB = re.compile(r"(?<=^\{\} )\w+")  # of a phrase whose subject is a party
_PLURAL = {"is": "are", "has": "have", "was": "were", "does": "do"}  # others lose an s
_OBJECT = {"we": "us"}  # of a phrase that ends with the party


def parse_answers(
    provision: Provision, written: Mapping[str, str], card: Card
) -> tuple[AnswerCorrection, ...]:
    """Return people's answers to a provision's questions, by their ids, as programs read them.

    Raises:
        ConfigError: If the provision has no such question, or that is no answer to it.
    """
    asked = {each.id: each for each in provision.questions}
    for name in written:
        if name not in asked:
            raise ConfigError(
                f"{provision.name} has no question {name!r}.",
                remedy=f"It has: {', '.join(asked)}." if asked else "It has no questions.",
            )
    return tuple(
        AnswerCorrection(name, parse_answer(asked[name], answer, card))
        for name, answer in written.items()
    )


def parse_answer(question: RiskQuestion, written: str, card: Card) -> str:
    """Return an answer as programs read it; empty for `SILENT`.

    Raises:
        ConfigError: If it is no answer to the question.
    """
    words = " ".join(written.split())
    if len(words) > MAX_ANSWER:
        raise ConfigError(f"an answer has at most {MAX_ANSWER:,} characters, not {len(words):,}.")
    if character := find_refused_character(words):
        raise ConfigError(f"an answer contains {character}, which cannot be stored.")
    if not words:
        raise ConfigError(
            f"{question.id}: there is no answer.",
            remedy=f"Give one, or {SILENT} where the contract does not say.",
        )
    if words == SILENT:
        return ""
    whole = Span(0, len(words))
    match question.answer:
        case "yes_no" | "one_of":
            return _option(question, words)
        case "date":
            dates = [each.text for each in find_dates(words, whole)] or _iso_date(words)
            return _single_value(dates, question, "a date, such as 2026-03-31 or 31 March 2026")
        case "duration":
            if period_parts(words):
                return words
            periods = [each.value.iso for each in find_durations(words, whole)]
            return _single_value(periods, question, "a period, such as 90 days")
        case "amount":
            return _single_value(
                [each.text for each in find_amounts(words, whole)], question, "an amount"
            )
        case "party":
            return _party(words, card)
        case _:
            return words


def read_answer(question: RiskQuestion, written: str, card: Card) -> str:
    """Return an answer as programs read it; empty for one that is none to the question."""
    try:
        return parse_answer(question, written, card)
    except ConfigError:
        return ""


def _option(question: RiskQuestion, words: str) -> str:
    options = dict.fromkeys(("yes", "no"), "") if question.answer == "yes_no" else {}
    options |= question.options
    meant = {each.casefold(): each for each in options}
    meant |= {label.casefold(): each for each, label in options.items() if label}
    if words.casefold() not in meant:
        raise ConfigError(
            f"{question.id}: {words[:80]!r} is not one of its answers.",
            remedy=f"They are: {', '.join(options)}; or {SILENT} where it does not say.",
            field=question.id,
        )
    return meant[words.casefold()]


def _iso_date(words: str) -> list[str]:
    try:
        return [date.fromisoformat(words).isoformat()]
    except ValueError:
        return []


def _single_value(values: Iterable[str], question: RiskQuestion, what: str) -> str:
    found = list(dict.fromkeys(values))
    if len(found) != 1:
        raise ConfigError(f"the answer must be {what}, and one only.", field=question.id)
    return found[0]


def _party(words: str, card: Card) -> str:
    """Return a party as answers name it; a name that the card does not have stays as written."""
    name = fold_party(words)
    if name in _ALL:
        return EACH_PARTY
    parties = [fact.value for fact in card.parties]
    meant = [
        party
        for party in parties
        if name in {fold_party(each) for each in (party.name, party.short, party.role) if each}
    ]
    return party_value(meant[0]) if len(meant) == 1 else words


def answer_words(question: RiskQuestion, value: str) -> str:
    """Return a value in words: of an option what a cell says, of `P30D` 30 days."""
    if question.answer == "yes_no":
        return value.capitalize()
    if question.answer == "date":
        return _date_words(value)
    if question.answer == "duration":
        parts = [
            f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in period_parts(value)
        ]
        return " and ".join(parts) or value
    return question.options.get(value, "") or value.replace("_", " ")


def _date_words(value: str) -> str:
    """Return an ISO date as a contract writes it: `1 February 2024`; one with a blank as it is."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return value
    return f"{day.day} {day:%B %Y}"


def answer_statement(question: RiskQuestion, value: str, card: Card) -> str:
    """Return how a cell says an answer; empty where it does not.

    A party that the contract only calls by a role or a pronoun has its name from the card.
    """
    if question.answer in ("yes_no", "one_of"):
        return question.options.get(value, "")
    if question.answer == "party":
        return _party_statement(question.says, value, card)
    return question.says.replace("{}", answer_words(question, value))


def _party_statement(says: str, value: str, card: Card) -> str:
    """Return a phrase with a party: `applies to Northmere Water`, `you are liable`."""
    name = fold_party(value)
    known = [
        party
        for party in (fact.value for fact in card.parties)
        if name in {fold_party(each) for each in (party.short, party.role) if each}
    ]
    is_role = name in PRONOUNS or name in ROLES or _ARTICLE.match(value)
    if is_role and len(known) == 1 and not known[0].is_blank:
        return says.replace("{}", common_name(known[0].name))
    if name in PRONOUNS:
        verb = _VERB.sub(lambda found: _PLURAL.get(found[0]) or found[0].removesuffix("s"), says)
        return verb.replace("{}", name if verb.startswith("{}") else _OBJECT.get(name, name))
    if name in ROLES:
        bare = _ARTICLE.sub("", value)
        value = f"the {bare.title() if bare.isupper() else bare}"
    return says.replace("{}", value)
