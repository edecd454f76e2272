"""What belongs to a contract: amendments, what it replaced, exhibits."""

from __future__ import annotations

from fastapi import APIRouter

from fourcorners.operations.reviewing import families
from fourcorners.operations.reviewing.families import ContractFamily, FamilyRequest
from fourcorners.server.context import Context

router = APIRouter(tags=["Documents"])


@router.get("/documents/{document}/family")
def get_family(context: Context, document: str) -> ContractFamily:
    """Return the family of a document: the contract at its head, and what belongs to it."""
    with context.access() as access:
        return families.find_family(access, document)


@router.put("/documents/{document}/family")
def set_family(context: Context, document: str, asked: FamilyRequest) -> ContractFamily:
    """Say which contract a document belongs to; it goes before what the documents say."""
    with context.access() as access:
        return families.set_family(access, document, asked)
