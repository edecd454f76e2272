"""A question in a contract's own words: parties by their roles, things by the law's names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fourcorners.search.graph.reading import Reading
from fourcorners.search.names import COMMON
from fourcorners.search.stems import FRAME
from fourcorners.text.words import words

# How people say what contracts have a word for.
_SAID = {
    "expire": (r"runs?\s+out", r"comes?\s+to\s+(?:an|its)\s+end", r"lapses?"),
    "terminate": (
        r"(?:get|walk|pull|back)\s+(?:out|away|back)\s+(?:of|from)",
        r"call\s+(?:it|this)\s+off",
        r"cut\s+(?:it|this)\s+short",
        r"quit",
    ),
    "terminate for convenience": (
        r"without\s+(?:giving\s+)?(?:a|any)\s+(?:reason|cause)",
        r"for\s+no\s+reason",
        r"when(?:ever)?\s+(?:we|they|it|you)\s+likes?",
    ),
    "assign": (r"(?:hand|pass|sign)(?:ed|s)?\s+(?:it\s+|this\s+)?(?:on|over)\s+to",),
    "change of control": (
        r"takes?\s+(?:it|us|them|over)(?:\s+over)?(?=\W*$)",
        r"taken\s+over",
        r"take-?over",
        r"bought\s+by",
        r"changes?\s+hands",
        r"new\s+owners?",
        r"(?:is|are|be|gets?|has)\s+merged|merges?\s+(?:with|into)",
    ),
    "confidentiality": (r"(?:keep|kept)\s+(?:[\w’']+\s+){0,4}secret", r"secrecy"),
    "solicit employees": (
        r"poach\w*",
        r"lure\w*",
        r"(?:hire|recruit)\s+(?:[\w’']+\s+){0,3}who\s+works?",
    ),
    "insolvency": (r"(?:goes|go|went)\s+(?:bust|under|bankrupt)",),
}
_LAY = {
    meant: re.compile(rf"\b(?:{'|'.join(said)})\b", re.IGNORECASE) for meant, said in _SAID.items()
}
_THE = re.compile(r"the\s+", re.IGNORECASE)
_JOINS = re.compile(r"[\s,]*(?:&\s*|and\s+)?")
_AFTER_THE = re.compile(r"\bthe\s+$", re.IGNORECASE)
_SHORTEST = 3  # letters of a name's word that means somebody
_SOMEBODY = "a party"
_SELDOM = 1_500  # characters for each of which a contract that calls a party so names it once
_PRONOUNS = frozenset(("you", "we", "us", "i", "it", "they", "party", "parties"))


def in_own_words(question: str, readings: Sequence[Reading]) -> str:
    """Return a question with the names of parties as the first contract that has a role calls them.

    "Can Acme terminate?" becomes "Can the Supplier terminate?" where the contract speaks of the
    Supplier. A party keeps its name where the contract calls it so, and is "a party" where the
    contract calls it "you", or hardly ever names it.
    """
    roles = _roles(readings)
    found = words(question)
    kept: list[str] = []
    offset = 0
    last = ""
    for token, start, end in found:
        role = roles.get(token, "")
        if not role or not question[start].isupper():
            last = ""
            continue
        before = question[offset:start]
        if role == last and _JOINS.fullmatch(before):
            offset = end
            continue
        article = "" if role == _SOMEBODY or _AFTER_THE.search(before) else "the "
        kept.append(f"{before}{article}{role}")
        offset, last = end, role
    return "".join(kept) + question[offset:]


def with_terms(question: str) -> str:
    """Return a question followed by the law's words for what it says in everyday ones."""
    told = [
        meant
        for meant, said in _LAY.items()
        if said.search(question) and meant not in question.casefold()
    ]
    return f"{question.rstrip()} ({', '.join(told)})" if told else question


def _roles(readings: Sequence[Reading]) -> Mapping[str, str]:
    """Return for each word of the parties' names what its party is called instead."""
    roles: dict[str, str] = {}
    shared: set[str] = set()
    for reading in readings:
        for fact in reading.card.parties:
            named = [token for token in words(fact.value.name).tokens if _names(token)]
            role = _role(reading, fact.value.short, named)
            for token in named if role else ():
                if roles.setdefault(token, role) != role:
                    shared.add(token)  # of companies of one group: it tells neither
    return {token: role for token, role in roles.items() if token not in shared}


def _names(token: str) -> bool:
    return len(token) >= _SHORTEST and token not in COMMON and token not in FRAME


def _role(reading: Reading, short: str, named: Sequence[str]) -> str:
    """Return what a contract calls a party instead of its name, or nothing if it names it."""
    role = _THE.sub("", short, count=1).strip()
    if not role:
        return ""
    if role.casefold() not in _PRONOUNS and not set(words(role).tokens) & set(named):
        return role
    often = max((reading.text.casefold().count(token) for token in named), default=0)
    return "" if often * _SELDOM >= len(reading.text) else _SOMEBODY
