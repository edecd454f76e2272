"""The same library and search on Lance tables, in a folder or bucket; the same jobs on Ray."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from fourcorners.cluster.ray.environment import set_environment
from fourcorners.cluster.storage.address import address_of
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.cluster.library import LanceLibrary
    from fourcorners.cluster.ray.worker_pool import RayWorkerPool

__all__ = ["open_library", "open_worker_pool"]


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


def open_library(url: str, create: bool) -> LanceLibrary:
    """Open the library at `lance:./folder` or `lance+s3://bucket/firm`.

    Raises:
        ConfigError: If the URL names nothing, or the extra is not installed.
        LibraryError: If the tables are missing, damaged, of a newer version or out of reach.
    """
    try:
        from fourcorners.cluster.index import LanceIndex
        from fourcorners.cluster.library import LanceLibrary
        from fourcorners.search.index import register_index
    except ModuleNotFoundError as error:
        if error.name not in ("lancedb", "pyarrow"):
            raise
        raise ConfigError(
            f"a library on Lance tables needs {error.name}, which is not installed.",
            remedy='Install it with `pip install "fourcorners[cluster]"`.',
        ) from error
    register_index(LanceLibrary, LanceIndex)
    return LanceLibrary(address_of(url), create=create)
