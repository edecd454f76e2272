"""How pages call contracts: by title, parties and date, and by file where that is not enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fourcorners.outline.card.card import Card
from fourcorners.text.invisible_characters import single_line

_SHOWN = 2  # parties that are named; a contract has two, as a rule


class Titled(Protocol):
    """A document as lists have it; the title of one without any is the file's name."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ContractTitle:
    """What a contract is called.

    Attributes:
        detail: Its parties and date; the file's name, too, where another has the same.
    """

    title: str
    detail: str
    file: str

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.title, self.detail)))

    @property
    def whole(self) -> str:
        """All of it, and the file it is in."""
        return "\n".join(dict.fromkeys(filter(None, (self.title, self.detail, self.file))))


def title_contracts(
    documents: Sequence[Titled], card: Callable[[str], Card]
) -> dict[str, ContractTitle]:
    """Return what documents are called by their cards, so that no two are called the same."""
    titles = {each.id: single_line(each.title) for each in documents}
    details = {each.id: _detail(card(each.id)) for each in documents}
    counted = Counter((titles[each].casefold(), details[each].casefold()) for each in titles)
    made = {}
    for each in documents:
        title, detail, file = titles[each.id], details[each.id], single_line(each.name)
        if counted[title.casefold(), detail.casefold()] > 1 and file != title:
            detail = ", ".join(filter(None, (detail, file)))
        made[each.id] = ContractTitle(title, detail, file)
    return made


def _detail(card: Card) -> str:
    names = list(dict.fromkeys(single_line(fact.value.name) for fact in card.parties))
    parties = " and ".join(names[:_SHOWN])
    if len(names) > _SHOWN:
        more = len(names) - _SHOWN
        parties = f"{', '.join(names[:_SHOWN])} and {more} {'other' if more == 1 else 'others'}"
    day = card.agreement_date.value if card.agreement_date else None
    return ", ".join(filter(None, (parties, f"{day.day} {day:%B %Y}" if day else "")))
