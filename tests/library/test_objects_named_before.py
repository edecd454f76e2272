"""Libraries that named objects of buckets with one slash know them by their URLs once opened."""

from __future__ import annotations

from pathlib import Path

from fourcorners.library.store import Library
from tests.library.conftest import ENCODER, contract, to_schema_6

_BEFORE = 3  # the schema of libraries that named them so
OBJECT = Path("s3:/bucket/deals/supply.txt")


def test_objects_named_with_one_slash_are_known_by_their_urls(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'firm'}"
    parts = contract()
    with Library.open(url) as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        parts.add(library)
        contract("other.txt", ["OTHER", "1. One.", "1.1 It lies on a disk."]).add(library)
        with library.transaction():
            for table in ("documents", "sources"):
                library.execute(
                    f"UPDATE {table} SET path = ? WHERE path = ?",  # noqa: S608
                    (str(OBJECT), parts.document.path),
                )
            library.execute(
                "INSERT INTO failures(path, collection, reason, remedy, sha256, job, at) "
                "VALUES (?, 'Deal', 'damaged', 'scan it again', '', NULL, '')",
                (str(OBJECT.with_name("scan.pdf")),),
            )
        elsewhere = library.execute("SELECT path FROM sources WHERE path NOT GLOB 's3:*'")
        to_schema_6(library)
        library.execute(f"PRAGMA user_version = {_BEFORE}")
    with Library.open(url, create=False) as library:
        paths = {entry.id: entry.path for entry in library.documents()}
        assert paths[parts.document.id] == "s3://bucket/deals/supply.txt"
        told = {str(row[0]) for row in library.execute("SELECT path FROM sources")}
        assert told == {"s3://bucket/deals/supply.txt", *(str(row[0]) for row in elsewhere)}
        [failed] = library.execute("SELECT path FROM failures")
        assert failed == ("s3://bucket/deals/scan.pdf",)
        assert library.check() == []
