"""Comparing two versions of a contract that are in the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from fourcorners.comparison.compare import compare_documents
from fourcorners.comparison.comparison import Comparison
from fourcorners.operations.access import Access
from fourcorners.value import Value

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder


class CompareRequest(Value):
    """Two versions of a contract, or a template and a contract, by their ids."""

    before: str = Field(min_length=1, max_length=40)
    after: str = Field(min_length=1, max_length=40)


def compare_contracts(access: Access, asked: CompareRequest, encoder: Encoder | None) -> Comparison:
    """Compare two versions; with an encoder, clauses pair by meaning too.

    Raises:
        NotFound: If they may not know of one of them.
        InputError: If one has no text to compare.
    """
    documents = access.document(asked.before), access.document(asked.after)
    access.record("compared", {"before": asked.before, "after": asked.after})
    return compare_documents(*documents, encoder=encoder)
