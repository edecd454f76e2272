"""Statements of real sentences, true and false, built when training; no contract's words are kept.

A sentence of a
contract that may be learned from is the quote. A true statement says it in other words; a false one
is a true one after one edit of eight kinds. Both are reworded alike, so that they do not differ by
how much of the quote they repeat.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from training.common.blind import load_contracts

TABLE = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
LEAST, MOST = 8, 70  # words of a sentence
TRUE = "true"
DENIAL = re.compile(r"\b(?:not|nor?|neither|never|none|cannot|nothing)\b|n['’]t\b", re.IGNORECASE)
VERB = re.compile(
    r"\b(?:shall|may|must|will|can|should|would|is|are|was|were|has|have|does|do)\b"
    r"(?P<not> not\b)?",
    re.IGNORECASE,
)
MODAL = re.compile(r"\b(shall|may|must|will)\b(?! not)")
ROLE = re.compile(r"\b((?:[A-Z][\w&'-]+ ){0,2}[A-Z][\w&'-]+) (?:shall|may|will|must|agrees)\b")
NO_ROLE = re.compile(
    r"\b(?:Party|Parties|Agreement|Section|Article|It|This|They|Term|Product|Products|Services?"
    r"|Notice|Each|Either|Neither|Any|All|No|Such|The)$"
)
COMMON = ("modal", "condition", "denial")  # what nearly every sentence can be edited by
UNITS = ("day", "week", "month", "year")
PERIOD = re.compile(
    r"\b(?:[\w-]+ \(\d+\)|\d+|[a-z-]+) (?:business |calendar )?"
    r"(?P<unit>day|week|month|year)(?P<many>s?)\b"
)
FIGURE = re.compile(r"(?<![\w.,(])(?:[$€£] ?)?(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?![\w,)])")
COUNTED = re.compile(r"\b(?P<word>[a-z]+(?:-[a-z]+)?) \((?P<digits>\d+)\)")
PLACES = ("section", "sections", "article", "exhibit", "schedule", "clause", "and", "or")
WORDS = {
    2: "two", 3: "three", 5: "five", 7: "seven", 10: "ten", 12: "twelve", 14: "fourteen",
    15: "fifteen", 20: "twenty", 30: "thirty", 45: "forty-five", 60: "sixty", 90: "ninety",
    120: "one hundred twenty", 180: "one hundred eighty",
}  # fmt: skip
CONDITION = re.compile(
    r",? (?:(?:unless|except (?:that|as|for|to the extent)|provided,? (?:however,? )?that"
    r"|so long as|to the extent|only (?:if|when|after|upon)|subject to|without"
    r"|if (?!any\b))\b)[^,;.]{12,160}(?=[,;.])"
)
CONSENT = re.compile(
    r",? (?:without|with|upon) (?:the )?(?:prior )?(?:written )?(?:consent|approval)"
    r"(?: of [^,;.]{3,40}?)?(?=[,;.])"
)
NUMBER = re.compile(r"^(?:\(?[\dA-Za-z]{1,4}[.)]\)? ?|(?:Section|Article) [\d.]+ ?|[\d.]+ )+")


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said of a quote. `kind`: `TRUE` or the edit that made it false."""

    quote: str
    words: str
    kind: str

    @property
    def is_true(self) -> bool:
        return self.kind == TRUE


def statements(data: Path, seed: int = 0) -> Iterator[Statement]:
    """Yield a true and a false statement of each sentence that can be edited."""
    for contract in load_contracts(data):
        chance = random.Random(f"{seed} {contract['name']}")
        text = contract["text"]
        quotes = [
            NUMBER.sub("", " ".join(each.text_in(text).split()))
            for each in split_sentences(text, Span(0, len(text)))
        ]
        roles = [role for role, count in _roles(quotes).most_common(4) if count > 2]
        for quote in quotes:
            is_sentence = quote.endswith(".") and quote[:1].isupper() and MODAL.search(quote)
            if not is_sentence or not LEAST <= len(quote.split()) <= MOST:
                continue
            kinds = ["parties", *EDITS]
            chance.shuffle(kinds)
            kinds.sort(key=lambda kind: kind in COMMON and chance.random() < 0.8)
            edited = ((kind, edit(quote, kind, roles, chance)) for kind in kinds)
            found = next(((kind, words) for kind, words in edited if words), None)
            if found is None:
                continue
            kind, words = found
            yield Statement(quote, reword(quote, chance), TRUE)
            yield Statement(quote, reword(words, chance), kind)


def _roles(quotes: list[str]) -> Counter[str]:
    found = (match[1] for quote in quotes for match in ROLE.finditer(quote))
    return Counter(role for role in found if not NO_ROLE.search(role))


def edit(quote: str, kind: str, roles: list[str], chance: random.Random) -> str | None:
    """Return a quote that an edit of a kind made false; None where there is nothing to edit."""
    if kind == "parties":
        edits = _swap_parties(quote, [each for each in roles if each in quote])
    else:
        edits = EDITS[kind](quote, chance)
    found = [each for each in edits if each != quote]
    return chance.choice(found) if found else None


def _change_unit(quote: str, chance: random.Random) -> Iterator[str]:
    for match in PERIOD.finditer(quote):
        unit = chance.choice([each for each in UNITS if each != match["unit"]])
        yield f"{quote[: match.start('unit')]}{unit}{match['many']}{quote[match.end() :]}"


def _change_condition(quote: str, chance: random.Random) -> Iterator[str]:
    found = [*CONDITION.finditer(quote), *CONSENT.finditer(quote)]
    for match in found:
        yield quote[: match.start()] + quote[match.end() :]
    if not found:
        yield quote[:-1] + chance.choice(TABLE["added"]) + "."


def _change_modal(quote: str, _: random.Random) -> Iterator[str]:
    for match in MODAL.finditer(quote):
        other = "may" if match[1] != "may" else "shall"
        yield quote[: match.start()] + other + quote[match.end() :]


def _change_scope(quote: str, _: random.Random) -> Iterator[str]:
    for pattern, instead in TABLE["scope"]:
        yield re.sub(pattern, instead, quote, count=1)


def _turn_denial(quote: str, _: random.Random) -> Iterator[str]:
    if len(DENIAL.findall(quote)) == 1:
        for match in VERB.finditer(quote):
            if match["not"]:
                yield quote[: match.start("not")] + quote[match.end("not") :]
        yield re.sub(r"\bNeither\b", "Either", quote)
    first = MODAL.search(quote)
    if first and not DENIAL.search(quote):
        yield f"{quote[: first.end()]} not{quote[first.end() :]}"


def _move_denial(words: str, _: random.Random) -> Iterator[str]:
    """Yield a sentence with its one "not" after each of its other verbs."""
    if len(DENIAL.findall(words)) != 1:
        return
    verbs = list(VERB.finditer(words))
    for denied in (each for each in verbs if each["not"]):
        start, end = denied.span("not")
        for other in (each for each in verbs if each is not denied):
            at = other.end()
            if at > start:
                yield f"{words[:start]}{words[end:at]} not{words[at:]}"
            else:
                yield f"{words[:at]} not{words[at:start]}{words[end:]}"


def _swap_parties(quote: str, roles: list[str]) -> Iterator[str]:
    """Yield a quote in which two roles have changed places."""
    for at, one in enumerate(roles):
        for other in roles[at + 1 :]:
            if one in other or other in one:
                continue
            both = re.compile(rf"\b(?:{re.escape(one)}|{re.escape(other)})\b")
            if {match[0] for match in both.finditer(quote)} == {one, other}:
                yield both.sub(lambda match: other if match[0] == one else one, quote)  # noqa: B023


def _change_figures(quote: str, chance: random.Random) -> Iterator[str]:
    for match in COUNTED.finditer(quote):
        count = int(match["digits"])
        other = chance.choice([each for each in WORDS if each != count])
        yield f"{quote[: match.start()]}{WORDS[other]} ({other}){quote[match.end() :]}"
    for match in FIGURE.finditer(quote):
        before = quote[: match.start()].rstrip().rpartition(" ")[2].casefold()
        if before in (
            "section",
            "sections",
            "article",
            "exhibit",
            "schedule",
            "clause",
            "and",
            "or",
        ):
            continue
        number = int(match["digits"].replace(",", ""))
        other = int(number * chance.choice((0.5, 2, 3, 10))) or number + 5
        if other == number:
            other += 5
        shown = f"{other:,}" if "," in match["digits"] else str(other)
        yield quote[: match.start("digits")] + shown + quote[match.end("digits") :]


EDITS = {
    "denial": _turn_denial,
    "denial moved": _move_denial,
    "figure": _change_figures,
    "unit": _change_unit,
    "condition": _change_condition,
    "modal": _change_modal,
    "scope": _change_scope,
}
"""What changes a quote, by kind; "parties" also needs the contract's own roles."""


def reword(words: str, chance: random.Random) -> str:
    """Return words that say the same, with some expressions replaced and parts moved."""
    found = re.fullmatch(r"(If|Upon|During|Within|After) ([^,]{10,120}), ([^;]{15,})\.", words)
    if found and chance.random() < 0.5:
        lead = found[3][0].upper() + found[3][1:]
        words = f"{lead} {found[1].casefold()} {found[2]}."
    for pattern, instead in chance.sample(TABLE["reworded"], len(TABLE["reworded"])):
        if chance.random() < 0.7:
            choice = chance.choice(instead)
            words = re.sub(pattern, choice, words)
    return words[0].upper() + words[1:]
