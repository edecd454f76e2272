"""What reports call a contract: by its title, with its parties and its date."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Final

from fourcorners.outline.card.party_names import FORM
from fourcorners.review.finding import ReviewedDocument
from fourcorners.text.invisible_characters import shorten, single_line

_TITLE: Final = 80  # characters of a contract's title
_PARTY: Final = 32  # characters of a party's name beside it
_NAMED: Final = 2  # parties that are named; an ellipsis stands for the others
_FORM: Final = re.compile(rf"(?:[\s,]+{FORM})+$")
_WORD: Final = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)*")
_SMALL: Final = frozenset(
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"]
)
_VOWEL: Final = re.compile(r"[AEIOUY]")


def contract_names(documents: Sequence[ReviewedDocument]) -> dict[str, str]:
    """Return by id what each contract is called: `Supply Agreement (Acme / Bolt, 6 May 2019)`.

    Those for whom it is read are not named: they are the same in the whole report. A contract
    without a title, or that nothing tells from another, is called by its file.
    """
    names = {each.id: _name(each) for each in documents}
    count = Counter(names.values())
    stems = Counter(PurePath(each.name).stem for each in documents)
    for each in documents:
        if not names[each.id] or count[names[each.id]] > 1:
            stem = PurePath(each.name).stem
            names[each.id] = single_line(stem if stem and stems[stem] == 1 else each.name)
    return names


def _name(document: ReviewedDocument) -> str:
    card = document.card
    title = shorten(card.title.value, _TITLE) if card.title else ""
    if not title:
        return ""
    parties = [fact.value.name for fact in card.parties if fact.value.name]
    others = [each for each in parties if each not in document.read_for]
    day = card.agreement_date.value if card.agreement_date else None
    date = f"{day.day} {day:%B %Y}" if day and f"{day:%B %Y}" not in title else ""
    about = ", ".join(filter(None, (_parties(others or parties), date)))
    return f"{in_letters(title)} ({about})" if about else in_letters(title)


def _parties(names: Iterable[str]) -> str:
    short = [
        shorten(_FORM.sub("", " ".join(name.split())) or name, _PARTY)
        for name in dict.fromkeys(names)
    ]
    more = ["…"] if len(short) > _NAMED else []
    return " / ".join([in_letters(each) for each in short[:_NAMED]] + more)


def in_letters(words: str) -> str:
    """Return words in capitals as a title is written; others as they are."""
    if words != words.upper():
        return words
    return _WORD.sub(_capitalise, words)


def _capitalise(found: re.Match[str]) -> str:
    word = found[0]
    if found.start() and word.lower() in _SMALL:
        return word.lower()
    is_initials = len(word) < 3 or (len(word) == 3 and not _VOWEL.search(word))
    return word if is_initials else word.capitalize()
