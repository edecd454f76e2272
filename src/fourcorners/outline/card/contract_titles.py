"""Name contracts by title, parties and date, and by file if that is not enough."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from fourcorners.outline.card.card import Card
from fourcorners.outline.card.party_names import FORM
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.text.patterns import load_yaml

_TITLE: Final = 80  # characters of a contract's title
_PARTY: Final = 32  # characters of a party's name after it
_NAMED: Final = 2  # parties that are named; an ellipsis replaces the others
_FORM: Final = re.compile(rf"(?:[\s,]+{FORM})+$")
_WORD: Final = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)*")
_SMALL: Final = frozenset(
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"]
)
_KINDS = load_yaml(Path(__file__).with_name("types.yaml").read_text("utf-8"))
KINDS: tuple[str, ...] = tuple(dict.fromkeys(each["kind"] for each in _KINDS))
_KIND_PATTERNS = tuple(
    (each["kind"], re.compile(rf"\b(?:{each['words']})", re.IGNORECASE)) for each in _KINDS
)


class Listed(Protocol):
    """A document in a list; its name is the file's."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ContractTitle:
    """The name of a contract.

    Attributes:
        title: The title of the contract; the file's name if it has none.
        detail: Its parties and date; also the file's name, if another has the same.
    """

    title: str
    detail: str
    file: str

    def __str__(self) -> str:
        return f"{self.title} ({self.detail})" if self.detail else self.title

    @property
    def whole(self) -> str:
        """The full name, with the file."""
        return "\n".join(dict.fromkeys(filter(None, (self.title, self.detail, self.file))))


def title_contracts(
    documents: Sequence[Listed],
    card: Callable[[str], Card],
    *,
    unnamed: Mapping[str, Collection[str]] | None = None,
) -> dict[str, ContractTitle]:
    """Return distinct names of documents.

    `Supply Agreement (Acme / Bolt, 6 May 2019)`. Parties that are `unnamed` for a document, because
    the whole report is about them, are named only if there are no others.
    """
    made: dict[str, ContractTitle] = {}
    for each in documents:
        own, file = card(each.id), single_line(each.name)
        title = shorten(title_in_letters(own), _TITLE)
        detail = _detail(own, title, (unnamed or {}).get(each.id, ()))
        made[each.id] = ContractTitle(title or file, detail, file)
    counted = Counter(str(each).casefold() for each in made.values())
    for id_, called in made.items():
        if counted[str(called).casefold()] > 1 and called.title != called.file:
            detail = ", ".join(filter(None, (called.detail, called.file)))
            made[id_] = ContractTitle(called.title, detail, called.file)
    return made


def title_in_letters(card: Card) -> str:
    """Return the title that a contract gives itself, in one form; nothing if it gives none."""
    names = [fact.value.name for fact in card.parties]
    return in_letters(card.title.value, names) if card.title else ""


def _detail(card: Card, title: str, unnamed: Collection[str]) -> str:
    parties = [fact.value.name for fact in card.parties if fact.value.name]
    others = [each for each in parties if each not in unnamed]
    day = card.agreement_date.value if card.agreement_date else None
    date = f"{day.day} {day:%B %Y}" if day and f"{day:%B %Y}" not in title else ""
    return ", ".join(filter(None, (_parties(others or parties), date)))


def _parties(names: Iterable[str]) -> str:
    short = [shorten(_bare(name), _PARTY) for name in dict.fromkeys(names)]
    more = ["…"] if len(short) > _NAMED else []
    return " / ".join(short[:_NAMED] + more)


def _bare(name: str) -> str:
    """Return a party's name as the contract prints it, without its legal form."""
    whole = " ".join(name.split())
    return _FORM.sub("", whole) or whole


def in_letters(words: str, names: Iterable[str] = ()) -> str:
    """Return words in capitals in title case, but `names` as they are; other words unchanged."""
    if words != words.upper():
        return words
    printed = {bare.casefold(): bare for bare in map(_bare, names) if len(bare) > 1}
    known = sorted(map(re.escape, printed), key=len, reverse=True)
    parts = re.compile(
        "|".join([*(rf"(?<!\w){each}(?!\w)" for each in known), _WORD.pattern]), re.I
    )
    return parts.sub(lambda found: printed.get(found[0].casefold()) or _capitalise(found), words)


def _capitalise(found: re.Match[str]) -> str:
    word = found[0]
    if found.start() and word.lower() in _SMALL:
        return word.lower()
    is_initials = len(word) < 3 or (len(word) == 3 and set("AEIOUY").isdisjoint(word))
    return word if is_initials else word.capitalize()


def contract_type(words: str) -> tuple[str, re.Match[str]] | None:
    for name, pattern in _KIND_PATTERNS:
        match = pattern.search(words)
        if match:
            return name, match
    return None


def contract_types(words: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _KIND_PATTERNS if pattern.search(words))
