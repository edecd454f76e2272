"""A server whose library is in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.postgres_server import PostgresServer
from tests.server.conftest import cheap_hashes, make_room, settings

__all__ = ["cheap_hashes", "make_room", "settings"]


@pytest.fixture
def library_at(postgres: PostgresServer) -> Callable[[Path], str]:
    """Return what says where a library is: in the server, one for each name."""
    urls: dict[Path, str] = {}
    return lambda path: urls.get(path) or urls.setdefault(path, postgres.new_library())
