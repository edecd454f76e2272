"""Libraries of both stores, empty or with the same contracts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.library.copy import copy_library
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.settings import Settings
from tests.cluster.postgres_server import PostgresServer
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


@dataclass(frozen=True)
class Twins:
    """The same contracts in both stores."""

    sqlite: Library
    shared: Library


@pytest.fixture(scope="package")
def twins(
    tmp_path_factory: pytest.TempPathFactory, dataroom: Path, postgres: PostgresServer
) -> Iterator[Twins]:
    """Both stores with the example contracts, and generated ones of few words, in three groups."""
    with (
        Library.open(tmp_path_factory.mktemp("twins") / "firm.db") as sqlite,
        Library.open(postgres.new_library()) as shared,
    ):
        files = sorted(path for path in dataroom.iterdir() if path.suffix != ".pdf")
        settings = Settings(ocr=False)
        add_files(sqlite, files, collection="Deal", encoder=SPREAD, settings=settings)
        with sqlite.transaction():
            for parts in generated():
                spans = [passage.span.text_in(parts.document.text) for passage in parts.passages]
                replace(parts, vectors=SPREAD.encode(spans)).add(
                    sqlite, "Odd" if parts.document.name[0] in "13579" else "Even"
                )
        copy_library(sqlite, shared)
        yield Twins(sqlite, shared)


def generated() -> list[Parts]:
    """Return contracts of random clauses, made of few words."""
    rng = random.Random(11)
    made = []
    for number in range(20):
        clauses = [random_text(rng) or "a" for _ in range(12)]
        made.append(contract(f"{number}.txt", [f"Lot {number} b", *clauses], f"Kind {number % 3}"))
    return made
