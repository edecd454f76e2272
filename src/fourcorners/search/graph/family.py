"""What a document is to the contract that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

TMember = TypeVar("TMember")


class FamilyRelation(StrEnum):
    """What a document is to the contract at the head of its family."""

    AMENDMENT = "amendment"
    REPLACED = "replaced"
    EXHIBIT = "exhibit"

    def words(self, head: str) -> str:
        """Return the relation to a contract of a title."""
        return {
            FamilyRelation.AMENDMENT: f"Amendment of {head}",
            FamilyRelation.REPLACED: f"Replaced by {head}",
            FamilyRelation.EXHIBIT: f"Exhibit to {head}",
        }[self]


@dataclass(frozen=True, slots=True)
class FamilyLink:
    """A document of a contract's family; `by` is the person who said so, if one did."""

    document: str
    head: str
    relation: FamilyRelation
    because: str
    by: str = ""


def group_families(
    members: Iterable[TMember], links: Mapping[str, FamilyLink], name: Callable[[TMember], str]
) -> list[TMember]:
    """Return members in their order, but those of a family together, at its first, head first.

    `name` is the document of a member; a family whose head is not among them has none.
    """
    given = list(members)
    present = {name(each) for each in given}
    families: dict[str, list[TMember]] = {}
    for each in given:
        link = links.get(name(each))
        head = link.head if link and link.head in present else name(each)
        families.setdefault(head, []).append(each)
    return [
        each
        for head, found in families.items()
        for each in sorted(found, key=lambda each: name(each) != head)
    ]
