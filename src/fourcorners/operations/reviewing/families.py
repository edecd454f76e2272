"""The family of a contract: its amendments, what it replaced, and its exhibits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import Field

from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role
from fourcorners.outline.card.contract_titles import ContractTitle
from fourcorners.review.overview import families
from fourcorners.search.graph.family import FamilyLink, FamilyRelation
from fourcorners.value import Value


class FamilyMember(Value):
    """A document of a contract's family."""

    document: str
    title: str
    relation: FamilyRelation | None = Field(
        default=None, description="To the contract at the head; null for that contract itself."
    )
    because: str = Field(default="", description="Why it belongs here.")
    by: str = Field(default="", description="Who said so, if a person did.")


class ContractFamily(Value):
    """A contract with what belongs to it, the contract first; a contract without any is alone."""

    head: str
    members: list[FamilyMember]


class FamilyRequest(Value):
    """Which contract a document belongs to."""

    head: str | None = Field(
        max_length=40, description="That contract's id; null if the document belongs to none."
    )


def find_family(access: Access, document: str) -> ContractFamily:
    """Return the family of a document.

    Raises:
        NotFound: If they may not know of it.
    """
    entry = access.visible(document).entry
    library = access.library_of(document, Role.READER)
    links = families.family_links(library, entry.collection)
    head = links[entry.id].head if entry.id in links else entry.id
    members = [each for each in links.values() if each.head == head]
    return _family(head, members, access.titles([head, *(each.document for each in members)]))


def list_families(access: Access, collection: str) -> list[ContractFamily]:
    """Return the families of a collection that have more than one member, by their titles.

    Raises:
        NotFound: If they may not know of the collection.
    """
    library = access.library_for(collection, Role.READER)
    links = families.family_links(library, collection)
    inside: dict[str, list[FamilyLink]] = {}
    for each in links.values():
        inside.setdefault(each.head, []).append(each)
    titles = access.titles({*inside, *links})
    found = [_family(head, members, titles) for head, members in inside.items()]
    return sorted(found, key=lambda each: (each.members[0].title.casefold(), each.head))


def _family(
    head: str, members: Iterable[FamilyLink], titles: Mapping[str, ContractTitle]
) -> ContractFamily:
    return ContractFamily(
        head=head,
        members=[
            FamilyMember(document=head, title=str(titles[head])),
            *(
                FamilyMember(
                    document=each.document,
                    title=str(titles[each.document]),
                    relation=each.relation,
                    because=each.because,
                    by=each.by,
                )
                for each in members
            ),
        ],
    )


def set_family(access: Access, document: str, asked: FamilyRequest) -> ContractFamily:
    """Say which contract a document belongs to, and return its family.

    Raises:
        NotFound: If they may not know of either.
        NotAllowed: If they are no reviewer there.
        Refusal: If it cannot belong to that contract.
    """
    library = access.library_of(document, Role.REVIEWER)
    entry = access.visible(document).entry
    head = ""
    if asked.head is not None:
        other = access.visible(asked.head).entry
        if other.collection != entry.collection:
            raise Refusal("the two documents are in different collections.")
        links = families.family_links(library, entry.collection)
        if other.id == entry.id or (other.id in links and links[other.id].head == entry.id):
            raise Refusal("a contract cannot belong to itself or to a member of its family.")
        head = other.id
    families.set_family(library, entry.id, head, by=access.principal.name)
    return find_family(access, document)
