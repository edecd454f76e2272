"""Reviews of a collection by a playbook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator, Field

from fourcorners.operations.access import Access
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.principal import Role
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.parties import MAX_NAME, MAX_NAMES, give_parties, set_side
from fourcorners.value import Flag, Value, as_list

_PartyName = Annotated[str, Field(max_length=MAX_NAME)]
_NameList = Annotated[list[_PartyName], Field(max_length=MAX_NAMES)]
PartyNames = Annotated[
    _NameList, BeforeValidator(as_list, json_schema_input_type=_PartyName | _NameList)
]
"""The party for whom one reads or asks, by name, role or group; or several of a group."""


class ReviewRequest(Value):
    """A review to be run."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    again: Flag = Field(default=False, description="Fill again the cells that are filled already.")
    read_for: PartyNames | None = Field(
        default=None,
        description="The party for whom you read, by name, role or group, or a list of a group's: "
        "the collection remembers it. An empty list makes it nobody, null leaves it as it is. "
        "Until a party is named nothing is called ours or theirs.",
        examples=[["Larch"]],
    )


def check_review(access: Access, asked: ReviewRequest) -> Playbook:
    """Return the playbook of a review that may be run.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
        NotAllowed: If they are no reviewer there.
    """
    access.require(Role.REVIEWER, asked.collection)
    return load_playbook(access, asked.playbook, asked.collection)


def set_review_side(access: Access, asked: ReviewRequest) -> bool:
    """Store for whom the collection is read, if the request names it; return if that is new."""
    library = access.library_for(asked.collection, Role.REVIEWER)
    by = access.principal.name
    return asked.read_for is not None and set_side(library, asked.collection, asked.read_for, by=by)


def give_contract_parties(access: Access, document: str, parties: Sequence[str]) -> None:
    """Give a contract the parties that a person names, or (none) those that were read.

    Raises:
        NotFound: If they may not know of the contract.
        NotAllowed: If they are no reviewer there.
        ConfigError: If these cannot be the parties of one contract.
    """
    library = access.library_of(document, Role.REVIEWER)
    give_parties(library, document, parties, by=access.principal.name)
