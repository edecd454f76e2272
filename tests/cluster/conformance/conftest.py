"""Libraries of both stores, empty or with the same contracts."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.library.columns import load_columns
from fourcorners.library.copy import copy_library
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.library.vectors.rows import pack_vectors
from fourcorners.settings import Settings
from tests.cluster.postgres_server import PostgresServer
from tests.cluster.servers import DistantServer
from tests.library.conftest import Parts, contract
from tests.models.fake import HashEncoder
from tests.search.conftest import random_text

ENCODER = HashEncoder(16)
STORES = ("sqlite", "postgresql")


class Spread:
    """An encoder by whose vectors no two texts are equally near to a third."""

    name = "spread/1"
    dimension = 24

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text, made of nothing but its checksum."""
        rows = [
            np.random.default_rng(crc32(text.encode())).standard_normal(self.dimension)
            for text in texts
        ]
        matrix = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension)
        unit: NDArray[np.float32] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        return unit


SPREAD = Spread()


@pytest.fixture(params=STORES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a library of either store may be made."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'firm'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_library()


@pytest.fixture
def library(url: str) -> Iterator[Library]:
    """An empty library of either store."""
    with Library.open(url) as opened:
        opened.set_encoder(ENCODER.name, ENCODER.dimension)
        yield opened


GROUPS = ("Deal", "Even", "Odd")


@dataclass(frozen=True)
class Twins:
    """The same contracts in one file, and in PostgreSQL: in one library, or in three."""

    sqlite: Library
    shared: Library

    @property
    def is_federation(self) -> bool:
        return self.shared.url.startswith("federation:")

    def own_id(self, document: str) -> str:
        """Return the id that a document of either has in the file."""
        return document.rpartition(":")[2]

    def own_rows(self, rows: Iterable[int]) -> list[int]:
        """Return the rows that passages of either have in the file."""
        return [row % (1 << 32) for row in rows]


@pytest.fixture(scope="package")
def in_file(tmp_path_factory: pytest.TempPathFactory, dataroom: Path) -> Iterator[Library]:
    """The example contracts, and generated ones of few words, in three groups."""
    with Library.open(tmp_path_factory.mktemp("twins") / "firm.db") as sqlite:
        files = sorted(path for path in dataroom.iterdir() if path.suffix != ".pdf")
        settings = Settings(ocr=False)
        add_files(sqlite, files, collection=GROUPS[0], encoder=SPREAD, settings=settings)
        made = generated()
        with sqlite.transaction():
            for parts in sorted(made, key=lambda each: group_of(each.document.name)):
                spans = [passage.span.text_in(parts.document.text) for passage in parts.passages]
                vectors = SPREAD.encode(spans)
                replace(parts, vectors=vectors).add(sqlite, group_of(parts.document.name))
        yield sqlite


def group_of(name: str) -> str:
    return GROUPS[2] if name[0] in "13579" else GROUPS[1]


@pytest.fixture(scope="package", params=["postgresql", "federation"])
def twins(
    request: pytest.FixtureRequest, in_file: Library, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Twins]:
    """The same contracts in a file, and in PostgreSQL."""
    if request.param == "postgresql":
        postgres: PostgresServer = request.getfixturevalue("postgres")
        with Library.open(postgres.new_library()) as shared:
            copy_library(in_file, shared)
            yield Twins(in_file, shared)
        return
    servers: list[DistantServer] = request.getfixturevalue("servers")
    file = tmp_path_factory.mktemp("federation") / "firm.toml"
    with Library.open(make_federation(in_file, servers, file)) as shared:
        yield Twins(in_file, shared)


def make_federation(source: Library, servers: Sequence[DistantServer], file: Path) -> str:
    """Copy each group of contracts to a library on its own server; return the URL of all."""
    urls = [server.new_library() for server in servers]
    for group, url in zip(GROUPS, urls, strict=True):
        with Library.open(url) as library:
            assert source.encoder is not None
            library.set_encoder(source.encoder.name, source.encoder.dimension)
            collections = source.execute("SELECT row, name, fold FROM collections")
            with library.restore_transaction():
                for row in collections:
                    if row[1] == group:
                        library.execute("INSERT INTO collections VALUES (?, ?, ?)", row)
                for entry in source.documents(group):
                    columns, place = load_columns(source, entry)
                    vectors = pack_vectors(source.vectors(document=entry.id).matrix)
                    library.restore_document(columns, vectors, place, group)
                library.note_change()
    lines = [f'{group.lower()} = "{url}"' for group, url in zip(GROUPS, urls, strict=True)]
    file.write_text("\n".join(("[libraries]", *lines)), encoding="utf-8")
    return f"federation:{file}"


def generated() -> list[Parts]:
    """Return contracts of random clauses, made of few words."""
    rng = random.Random(11)
    made = []
    for number in range(20):
        clauses = [random_text(rng) or "a" for _ in range(12)]
        made.append(contract(f"{number}.txt", [f"Lot {number} b", *clauses], f"Kind {number % 3}"))
    return made
