"""Compare a federation of three PostgreSQL servers with one server that holds the same contracts.

    python -m benchmarks.federation --sources small.db --documents 40000 --folder /var/tmp/firm

`--sources` names a library of some contracts that `fourcorners add` made, with vectors. The servers
run on separate machines, which are network namespaces of this one (root and Linux), with their
data in `--folder`; run again with the same, they are not filled again. Three hold a third of the
contracts each, a fourth all of them in the same order (`benchmarks/cloned.py` says how they are
made). All questions are then asked of both, each in a new process, and the first ten hits
are compared.

Milliseconds are of CPU time, since other programs may use the machine too: of the asking process,
of the processes that rank for it, and of all processes of the servers. `cpu` is their sum; `path`
is what the slowest of three machines and the asking one take together, which is what a question
takes by the clock where each library has its own machine, without the network; `asking` is the
asking process alone. Of each kind the first asking of each question is reported apart. A federation
of one of the three is asked too: what more libraries add to the asking process is the difference.
Then one server is unplugged and plugged in again, and another is switched off and on, and the
answers of that time are reported.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.cloned import fill_library
from benchmarks.foreign_tables import make_foreign_tables, read_places
from benchmarks.growth import PROXIMITIES, WORDS

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fourcorners.cluster.federation.library import FederatedLibrary
from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.search.find import find_passages
from fourcorners.search.hit import Hit
from fourcorners.search.run import search_library
from tests.cluster.postgres_server import USER, find_binaries
from tests.cluster.servers import DistantServer, distant_servers

MEMBERS = 3
VARIATIONS = 83  # of each third; the rest are copies of their rows
ROUNDS = 1  # after the first
QUESTIONS = (
    "Can either party end the agreement without a reason?",
    "Who has to insure the goods?",
    "What happens to confidential information after the end?",
    "May the agreement be assigned without consent?",
    "Which law governs the agreement?",
    "How long is the warranty?",
    "Is there a cap on liability?",
    "When are invoices due?",
    "Who owns what is developed?",
    "How is notice given?",
)
OPTIONS = (
    "-c shared_buffers=256MB -c max_wal_size=512MB -c wal_level=minimal -c max_wal_senders=0 "
    "-c full_page_writes=off -c autovacuum=off -c maintenance_work_mem=192MB -c work_mem=32MB "
    "-c jit=off"
)
Shown = tuple[str, int, int]
Costs = dict[str, float]


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of all threads of a process, 0 if it has ended."""
    try:
        threads = [*Path(f"/proc/{pid}/task").iterdir()]
        spent = [int((each / "schedstat").read_text().split()[0]) for each in threads]
    except (OSError, IndexError):
        return 0.0
    return sum(spent) / 1e9


def children() -> list[int]:
    """Return the processes that this one started: each ranks for one library."""
    threads = Path("/proc/self/task").iterdir()
    found = " ".join((each / "children").read_text() for each in threads)
    return sorted(map(int, found.split()))


class Clock:
    """CPU milliseconds of this process, and of each machine of libraries.

    Args:
        machines: The processes of the server of each library.
    """

    def __init__(self, machines: Sequence[Callable[[], list[int]]]) -> None:
        self._machines = machines

    def read(self) -> tuple[float, list[float]]:
        """Return what the asking process has spent, and each library's machine."""
        ranking = children()
        spent = []
        for number, pids in enumerate(self._machines):
            own = sum(map(cpu_seconds, pids()))
            own += cpu_seconds(ranking[number]) if number < len(ranking) else 0.0
            spent.append(1000 * own)
        return 1000 * time.process_time(), spent


def ask(url: str, spaces: Sequence[str]) -> dict[str, object]:
    """Ask all questions of a library, and return their costs and what they found."""
    from tests.cluster.machines import netns_pids

    clock = Clock([partial(netns_pids, space) for space in spaces])
    encoder = default_encoder()
    encoder.encode(["It is loaded."])
    with Library.open(url, create=False) as library:
        if isinstance(library, FederatedLibrary):
            for member in library.federation.members:  # so their processes start in this order
                library.processes.ask("own_totals", {member: ()})
        meant = partial(find_passages, library, None, encoder=encoder, limit=10)
        answered = partial(search_library, library, encoder=encoder, limit=10)
        kinds: dict[str, list[Callable[[], Sequence[Hit]]]] = {
            "words": [partial(find_passages, library, query, limit=10) for query in WORDS],
            "proximity": [partial(find_passages, library, each, limit=10) for each in PROXIMITIES],
            "meaning": [partial(meant, like=query) for query in WORDS],
            "question": [partial(_hits, answered, each) for each in QUESTIONS],
        }
        costs, shown = {}, {}
        for kind, asks in kinds.items():
            costs[kind], shown[kind] = _costs(asks, clock)
            print(kind, costs[kind], file=sys.stderr, flush=True)
        peaks = [_peak(pid) for pid in (os.getpid(), *children())]
        stats = library.stats()
    return {
        "libraries": len(spaces),
        "documents": stats.documents,
        "passages": stats.passages,
        "store_mb": round(stats.bytes / 1e6),
        "peak_mb": peaks,
        "ms": costs,
        "shown": shown,
    }


def _hits(answered: Callable[[str], object], question: str) -> Sequence[Hit]:
    return answered(question).hits  # type: ignore[attr-defined, no-any-return]


def _peak(pid: int) -> int:
    written = Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2]
    return int(written.split()[0]) >> 10


def _costs(
    asks: Sequence[Callable[[], Sequence[Hit]]], clock: Clock
) -> tuple[dict[str, Costs], list[list[Shown]]]:
    rounds: list[list[tuple[float, ...]]] = []
    shown: list[list[Shown]] = []
    for _ in range(1 + ROUNDS):
        spent: list[tuple[float, ...]] = []
        shown = []
        for each in asks:
            own, machines = clock.read()
            found = each()
            after, others = clock.read()
            more = [b - a for a, b in zip(machines, others, strict=True)]
            own = after - own
            spent.append((own + sum(more), own + max(more), own))
            shown.append([(hit.name, hit.span.start, hit.span.end) for hit in found])
        rounds.append(spent)
    return {
        when: {
            f"{what}_p{part}": round(float(np.percentile([each[at] for each in some], part)), 1)
            for at, what in enumerate(("cpu", "path", "asking"))
            for part in (50, 95)
        }
        for when, some in (("new", rounds[0]), ("again", [e for one in rounds[1:] for e in one]))
    }, shown


def lose(url: str, servers: Sequence[DistantServer]) -> list[str]:
    """Lose a server and get it back, twice, and return what a question gives each time."""
    reported: list[str] = []
    with Library.open(url, create=False) as library:

        def report(when: str) -> None:
            began = time.monotonic()
            try:
                found = f"{len(find_passages(library, WORDS[0], limit=10))} hits"
            except LibraryError as error:
                found = error.message
            reported.append(f"{when}: {found} ({time.monotonic() - began:.1f} s)")

        report("all servers")
        servers[1].unplug()
        report("one unplugged")
        servers[1].plug_in()
        report("plugged in, first question")
        report("plugged in, next question")
        servers[2].stop()
        report("one switched off")
        servers[2].start()
        report("switched on, first question")
        report("switched on, next question")
    return reported


def apart(act: Callable[..., object], *arguments: object) -> object:
    """Do something in a process that has done nothing else."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(act, *arguments).result()


def same(one: Mapping[str, object], other: Mapping[str, object]) -> dict[str, str]:
    """Return for how many questions of each kind the first ten hits are the same, in order."""
    mine, theirs = one["shown"], other["shown"]
    assert isinstance(mine, dict)  # noqa: S101 - what a process sends has no type
    assert isinstance(theirs, dict)  # noqa: S101
    return {
        kind: f"{sum(a == b for a, b in zip(mine[kind], theirs[kind], strict=True))} of {len(asks)}"
        for kind, asks in mine.items()
    }


def compare_foreign_tables(
    whole: DistantServer, several: Sequence[DistantServer]
) -> dict[str, dict[str, float]]:
    """Return what reading words of three servers costs, directly and through a fourth."""
    make_foreign_tables(whole.url, [server.host for server in several], USER)

    def measure() -> float:
        servers = [pid for server in (whole, *several) for pid in server.pids()]
        return 1000 * (time.process_time() + sum(map(cpu_seconds, servers)))

    return read_places(whole.url, [server.url for server in several], measure)


def fill_servers(
    several: Sequence[DistantServer], whole: DistantServer, given: argparse.Namespace, copies: int
) -> None:
    """Fill three servers with a collection each, and one with all three at the same time."""
    parts = [(server.url, (group,)) for group, server in enumerate(several)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        started = {
            pool.submit(fill_library, url, given.sources, groups, given.variations, copies): url
            for url, groups in ((whole.url, range(len(parts))), *parts)
        }
        for done in as_completed(started):
            print(f"{started[done]}: {done.result()} contracts", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--variations", type=int, default=VARIATIONS)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    binaries = find_binaries()
    if binaries is None:
        parser.error("there is no PostgreSQL here")
    copies = max(1, round(given.documents / (MEMBERS * given.variations)) - 1)
    given.folder.mkdir(parents=True, exist_ok=True)
    with distant_servers(MEMBERS + 1, binaries, OPTIONS, given.folder) as servers:
        *several, whole = servers
        filled = given.folder / "filled"
        if not filled.exists():
            fill_servers(several, whole, given, copies)
            filled.touch()
        names = [f'server-{each.host.rpartition(".")[2]} = "{each.url}"' for each in several]
        file = given.folder / "firm.toml"
        file.write_text("\n".join(("[libraries]", *names)), encoding="utf-8")
        url = f"federation:{file}"
        one = apart(ask, whole.url, [whole.space])
        three = apart(ask, url, [each.space for each in several])
        left_out = ",".join(each.partition(" ")[0] for each in names[1:])
        member = apart(ask, f"{url}?without={left_out}", [several[0].space])
        assert isinstance(one, dict)  # noqa: S101 - what a process sends has no type
        assert isinstance(three, dict)  # noqa: S101
        assert isinstance(member, dict)  # noqa: S101
        foreign = compare_foreign_tables(whole, several)
        reported = lose(url, several)
    alike = same(one, three)
    figures = {
        "one": one,
        "three": three,
        "member": member,
        "same": alike,
        "lost": reported,
        "foreign": foreign,
    }
    for each in (one, three, member):
        del each["shown"]
    written = json.dumps(figures, indent=2)
    print(written)
    if given.json:
        given.json.write_text(f"{written}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
