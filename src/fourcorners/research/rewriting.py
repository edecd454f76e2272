"""Rewrite a question in a contract's words: parties by their roles, things by legal terms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

from fourcorners.library.contract import Contract
from fourcorners.outline.card.party_names import ENDS_WITH_FORM
from fourcorners.search.names import COMMON
from fourcorners.text.patterns import load_patterns
from fourcorners.text.stems import FRAME, IDLE, stem_tokens, stems
from fourcorners.text.tokenization import tokenize

VOCABULARY_FILE = Path(__file__).with_name("everyday.yaml")
"""Legal terms, with everyday expressions for them."""
_PATTERNS = load_patterns("fourcorners.research", "rewriting")
_THE = _PATTERNS["the"]
_JOINS = re.compile(r"[\s,]*(?:&\s*|and\s+)?")
_AFTER_THE = _PATTERNS["after_the"]
_SHORTEST = 3  # letters of a distinctive word of a name
_SOMEBODY = "a party"
_HONORIFIC = _PATTERNS["honorific"]
_PERSON = _PATTERNS["person"]
_WHERE = r"(?:at|in|near|within|outside|into|throughout)"
_ENDS_WHERE = re.compile(rf"\b{_WHERE}\s+(?:the\s+)?$", re.IGNORECASE)
_Found: TypeAlias = tuple[str, int, int]
_FORMS = frozenset(("ag", "bv", "co", "corp", "gmbh", "inc", "kg", "limited", "llc", "llp", "lp"))
_FORMS |= {"ltd", "nv", "plc", "sa"}
_NAMING_NOTHING = frozenset(stem_tokens(sorted(FRAME | IDLE)))
_PRONOUNS = frozenset(("you", "we", "us", "i", "it", "they", "party", "parties"))


def replace_party_names(question: str, readings: Sequence[Contract]) -> str:
    """Replace the names of parties in a question by their roles in the first contract with any.

    "Can Acme terminate?" becomes "Can the Supplier terminate?" where the contract speaks of the
    Supplier, and "Can a party terminate?" where the contract calls it by its name, or "you": the
    name is everywhere in such a contract, and does not help a search. Places and others whose names
    share a word with a party's are left unchanged.
    """
    roles = _roles(readings)
    found = list(tokenize(question))
    words: list[str] = []
    offset = at = 0
    while at < len(found):
        run = _run(question, found, at, roles)
        if not run:
            at += 1
            continue
        start, end = found[at][1], found[at + run - 1][2]
        role = roles[found[at][0]]
        titled = _HONORIFIC.search(question, offset, start)
        before = question[offset : titled.start() if titled else start]
        at += run
        if _is_of_another(question, found, at - run, at, roles) or _is_place(
            before, question[start:end], readings
        ):
            continue
        article = "" if role == _SOMEBODY or _AFTER_THE.search(before) else "the "
        words.append(f"{before}{article}{role}")
        offset = end
    return "".join(words) + question[offset:]


def replace_persons(question: str, called: str, other: str = "") -> str:
    """Put the asking party of a question into the third person, as a contract calls it.

    "May we end our licence?" becomes "May the Supplier end the Supplier's licence?". The only other
    party is "the other side", and "they" where the question has named nothing before.
    """
    name, their_name = _in_third_person(called), _in_third_person(other)
    if not name:
        return question
    first = next((match for match in _PERSON.finditer(question) if match["they"]), None)
    before = question[: first.start()] if first else ""
    is_other = bool(their_name) and set(stems(_PERSON.sub("", before))) <= _NAMING_NOTHING

    def name_party(match: re.Match[str]) -> str:
        if not (match["they"] or match["named"]):
            return f"{name}'s" if match["owns"] else name
        if not (is_other if match["they"] else their_name):
            return match[0]
        return f"{their_name}'s" if match["their"] else their_name

    return _PERSON.sub(name_party, question)


def _in_third_person(called: str) -> str:
    """Return a party with its article; empty where a contract calls it "we" or "you"."""
    role = _THE.sub("", called, count=1).strip()
    if not role or role.casefold() in _PRONOUNS:
        return ""
    is_name = role != role.upper() and len(role.split()) > 1 and ENDS_WITH_FORM.search(role)
    return role if is_name else f"the {role}"


def add_legal_terms(question: str) -> str:
    """Return a question followed by the legal terms for its everyday words."""
    replacements = [
        meant
        for meant, everyday in _everyday().items()
        if everyday.search(question) and meant not in question.casefold()
    ]
    return f"{question.rstrip()} ({', '.join(replacements)})" if replacements else question


@cache
def _everyday() -> Mapping[str, re.Pattern[str]]:
    from fourcorners.text.patterns import load_yaml

    vocabulary: dict[str, list[str]] = load_yaml(VOCABULARY_FILE.read_text(encoding="utf-8"))
    return {
        meant: re.compile(rf"\b(?:{'|'.join(everyday)})\b", re.IGNORECASE)
        for meant, everyday in vocabulary.items()
    }


def _run(question: str, found: Sequence[_Found], at: int, roles: Mapping[str, str]) -> int:
    """Return how many words, starting at one, name the same party."""
    role = roles.get(found[at][0], "")
    count = 0
    while role and at + count < len(found):
        token, start, _ = found[at + count]
        between = question[found[at + count - 1][2] : start] if count else ""
        if roles.get(token) != role or not question[start].isupper():
            break
        if count and not _JOINS.fullmatch(between):
            break
        count += 1
    return count


def _is_of_another(
    question: str, found: Sequence[_Found], first: int, after: int, roles: Mapping[str, str]
) -> bool:
    """Return whether words of a party's name are part of the name of something else.

    "Larch Works" is not a party, nor is "Castor Filtration", though Larch Filtration is.
    """
    if after < len(found):
        token, start, _ = found[after]
        joined = not question[found[after - 1][2] : start].strip()
        if (
            joined
            and question[start].isupper()
            and not (token in roles or token in COMMON or token in _FORMS)
        ):
            return True
    if first < 2:  # a question's first word has a capital anyway
        return False
    token, start, end = found[first - 1]
    joined = not question[end : found[first][1]].strip()
    title = _HONORIFIC.search(question, 0, found[first][1])
    return joined and question[start].isupper() and token not in roles and not title


def _is_place(before: str, name: str, readings: Sequence[Contract]) -> bool:
    """Return whether a name is a place here: "at Holmbury Works", whose owner has the same name."""
    if not _ENDS_WHERE.search(before):
        return False
    pattern = r"\s+".join(re.escape(word) for word in name.split())
    place = re.compile(rf"\b{_WHERE}\s+(?:the\s+)?{pattern}\b(?!\s+[A-Z])", re.IGNORECASE)
    return any(place.search(reading.text) for reading in readings)


def _roles(readings: Sequence[Contract]) -> Mapping[str, str]:
    roles: dict[str, str] = {}
    shared: set[str] = set()
    for reading in readings:
        for fact in reading.card.parties:
            named = [token for token in tokenize(fact.value.name).tokens if is_distinct(token)]
            role = _role(fact.value.short, named)
            for token in named if role else ():
                if roles.setdefault(token, role) != role:
                    shared.add(token)  # companies of one group: it identifies neither
    return {token: role for token, role in roles.items() if token not in shared}


def is_distinct(token: str) -> bool:
    """Return whether a word of a name is distinctive, and not shared by many names."""
    return len(token) >= _SHORTEST and token not in COMMON and token not in FRAME


def _role(short: str, named: Sequence[str]) -> str:
    """Return the role by which a contract calls a party; empty if there is none."""
    role = _THE.sub("", short, count=1).strip()
    if not role:
        return ""
    if role.casefold() in _PRONOUNS or set(tokenize(role).tokens) & set(named):
        return _SOMEBODY  # its name is everywhere in the contract, or nowhere
    return role
