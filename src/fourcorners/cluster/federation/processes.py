"""A process for each library of a federation: it holds the codes of its vectors, and ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any

from fourcorners.cluster.federation.members import Federation, Member
from fourcorners.cluster.federation.ranking import Request, Statistics, answer
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import DamagedDocument, FourcornersError, InputError, LibraryError

_SECONDS = 300.0  # which one request may take
_MEMORY = 1 << 44  # as much as there is: the codes of a large library take gigabytes


class MemberProcesses:
    """The processes of a federation; each starts with its first request and answers in turn."""

    def __init__(self, federation: Federation) -> None:
        self._federation = federation
        self._pools = {each: _start(each) for each in federation.members}
        self._locks = {each: Lock() for each in federation.members}
        self._threads = ThreadPoolExecutor(len(federation.members), "federation")

    def ask(
        self,
        method: str,
        arguments: Mapping[Member, tuple[Any, ...]],
        whole: Statistics | None = None,
    ) -> dict[Member, Any]:
        """Return what a method of `MemberIndex` gives for each of some libraries, all at once.

        Raises:
            LibraryError: If one of them is out of reach; it is named.
        """

        def ask_one(member: Member) -> object:
            request = Request(member.address, whole, method, arguments[member])
            with naming_member(self._federation, member), self._locks[member]:
                ((_, outcome),) = self._pools[member].run([request])
                if isinstance(outcome, InputError):  # it died, or answered in no time
                    raise LibraryError(f"its process failed: {outcome.message}")
                if isinstance(outcome, FourcornersError):
                    raise outcome
                return outcome

        some = [*arguments]
        if len(some) == 1:
            return {some[0]: ask_one(some[0])}
        return dict(zip(some, self._threads.map(ask_one, some), strict=True))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for pool in self._pools.values():
            pool.close()


def _start(member: Member) -> ProcessPool[Request, object]:
    return ProcessPool(
        answer,
        jobs=1,
        memory=_MEMORY,
        seconds=_SECONDS,
        name=lambda _: member.name,
    )


@contextmanager
def naming_member(federation: Federation, member: Member) -> Iterator[None]:
    """Name the library in its errors: without it nothing is searched, for hits would be missing."""
    try:
        yield
    except DamagedDocument as error:
        raise DamagedDocument(
            member.global_id(error.document), error.name, error.path, error.collection, error.part
        ) from error
    except LibraryError as error:
        raise LibraryError(
            f"the library {member.name!r} does not answer, so none was searched: {error.message}",
            remedy="Try again when it is back, or search the others: "
            f"`--library '{federation.url_without((member.name,))}'`.",
        ) from error
