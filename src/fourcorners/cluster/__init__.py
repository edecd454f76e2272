"""A library that a team shares, in PostgreSQL, or several of them; the same jobs on Ray."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from fourcorners.cluster.ray.environment import set_environment
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.cluster.federation.library import FederatedLibrary
    from fourcorners.cluster.postgres.library import PostgresLibrary
    from fourcorners.cluster.ray.worker_pool import RayWorkerPool

__all__ = ["open_federation", "open_library", "open_worker_pool"]


def open_worker_pool(address: str, *, jobs: int | None) -> AbstractContextManager[RayWorkerPool]:
    """Connect to the Ray cluster at `ray://HOST:PORT`, or start one on this machine for `ray`.

    Raises:
        ConfigError: If there is none, a node has another version, or the extra is not installed.
    """
    set_environment(address)
    try:
        from fourcorners.cluster.ray.worker_pool import ray_worker_pool
    except ModuleNotFoundError as error:
        if error.name not in ("ray", "grpc", "pyarrow"):
            raise
        raise ConfigError(
            f"jobs on Ray need {error.name}, which is not installed.",
            remedy='Install it with `pip install "fourcorners[cluster]"`.',
        ) from error
    return ray_worker_pool(address, jobs=jobs)


def open_library(url: str, create: bool) -> PostgresLibrary:
    """Open the library at `postgresql://user@host/database`.

    Raises:
        ConfigError: If the URL holds a password, or the extra is not installed.
        LibraryError: If the tables are missing, of a newer version or out of reach.
    """
    with _needing_psycopg():
        from fourcorners.cluster.postgres.connection import address_of
        from fourcorners.cluster.postgres.index import PostgresIndex
        from fourcorners.cluster.postgres.library import PostgresLibrary
        from fourcorners.search.index import register_index
    register_index(PostgresLibrary, PostgresIndex)
    return PostgresLibrary(address_of(url), create=create)


def open_federation(url: str, create: bool) -> FederatedLibrary:
    """Open the libraries that the file at `federation:PATH` names, to search them together.

    Raises:
        ConfigError: If the file is wrong, or the extra is not installed.
        LibraryError: If one of the libraries is missing or out of reach.
    """
    with _needing_psycopg():
        from fourcorners.cluster.federation.index import FederatedIndex
        from fourcorners.cluster.federation.library import FederatedLibrary
        from fourcorners.cluster.federation.members import read_federation
        from fourcorners.search.index import register_index
    del create  # its libraries are made by their own URLs
    register_index(FederatedLibrary, FederatedIndex)
    return FederatedLibrary(read_federation(url))


@contextmanager
def _needing_psycopg() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "psycopg":
            raise
        raise ConfigError(
            "a library in PostgreSQL needs psycopg, which is not installed.",
            remedy='Install it with `pip install "fourcorners[cluster]"`.',
        ) from error
