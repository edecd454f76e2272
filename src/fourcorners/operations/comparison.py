"""Comparing versions of a contract that are in the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from fourcorners.comparison.comparison import Comparison
from fourcorners.comparison.versions import compare_versions
from fourcorners.operations.access import Access
from fourcorners.value import Value

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

DocumentId = Annotated[str, Field(min_length=1, max_length=40)]


class CompareRequest(Value):
    """Two versions of a contract, or a template and a contract, by their ids."""

    before: DocumentId
    after: DocumentId
    between: tuple[DocumentId, ...] = Field(
        default=(),
        max_length=20,
        description="The versions between the two, in order: each change then has the numbers of "
        "the versions that brought it; the first of all is 1.",
    )


def compare_contracts(access: Access, asked: CompareRequest, encoder: Encoder | None) -> Comparison:
    """Compare two versions; with an encoder, clauses pair by meaning too.

    Raises:
        ConfigError: If three or more are asked for and one of them is named twice.
        NotFound: If they may not know of one of them.
        InputError: If one has no text to compare.
    """
    documents = [access.document(each) for each in (asked.before, *asked.between, asked.after)]
    access.record("compared", asked.model_dump(mode="json"))
    return compare_versions(documents, encoder=encoder).against(1)
