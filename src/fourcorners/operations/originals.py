"""The files that contracts of a collection were read from: where they are, and in which bucket."""

from __future__ import annotations

from pydantic import Field

from fourcorners.library.originals.files import Originals, bucket_of, set_bucket
from fourcorners.operations.access import Access
from fourcorners.operations.principal import Role
from fourcorners.value import Value


class BucketChange(Value):
    """The bucket for the originals of a collection."""

    bucket: str = Field(
        max_length=31,
        description="A name of the server's settings; empty for the bucket of all collections.",
        examples=["litigation"],
    )


class OriginalsValue(Value):
    """Where the originals of a collection are."""

    bucket: str = Field(description="Its bucket; empty for that of all collections.")
    buckets: list[str] = Field(description="The buckets that it can be given.")
    stored: int = Field(description="How many are in a bucket.")
    waiting: int = Field(description="How many are not yet in the bucket that they belong in.")
    local: int = Field(description="How many are in no bucket, and belong in none.")
    reasons: list[str] = Field(description="Why those that were tried could not be stored.")


def count_originals(access: Access, originals: Originals, collection: str) -> OriginalsValue:
    """Return where the originals of a collection are.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they are no admin there.
    """
    library = access.library_for(collection, Role.ADMIN)
    counts = originals.count(library, collection)
    return OriginalsValue(
        bucket=bucket_of(library, collection),
        buckets=[each for each in originals.sections if each],
        stored=counts.stored,
        waiting=counts.waiting,
        local=counts.local,
        reasons=list(counts.reasons),
    )


def choose_bucket(
    access: Access, originals: Originals, collection: str, bucket: str
) -> OriginalsValue:
    """Give a collection a bucket of the settings; its originals are moved there afterwards.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they are no admin there.
        ConfigError: If there is no such bucket in the settings.
    """
    library = access.library_for(collection, Role.ADMIN)
    set_bucket(library, originals, collection, bucket, access.principal.name)
    return count_originals(access, originals, collection)
