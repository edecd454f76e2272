"""Measure how storing, store, memory and questions grow with the number of contracts.

    python -m benchmarks.growth --data ../shared/data/cuad/contracts --json sqlite.json
    python -m benchmarks.growth --data FOLDER --store postgresql:///firm --json postgres.json
    python -m benchmarks.growth --plot docs/growth.svg --runs sqlite.json postgres.json

`--data` is a folder of contracts as text. They are read and outlined once, as `add` does it, which
gives the cost of reading. The library that grows is then filled with variations of them: their
parties' names become invented words and their numbers others (`benchmarks/multiplied.py`), and
their vectors are the sources' with a little noise, so that only storing is done for each. Those of
the sources are random unit vectors, unless `--sources` names a library that was made by `add`. At
each number of documents the library is asked, in processes of their own, so that the
peak of memory is that of filling or of asking.

What is done once for each contract, whatever the size, is measured on samples: its passages are
encoded by the encoder that is shipped (`--encode` of them), and a review of all against a built-in
playbook is begun, and stopped after some (`--review`).

Seconds and milliseconds are of CPU time, of all threads of the process, since other programs may
use the machine too; bytes are what a question read with system calls, from the page cache or not.
`--keep` keeps the library; started again with the same, a fill continues where it was, and with
`--ask-only` nothing is stored. The JSON is replaced at each number of documents.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from benchmarks.growth_plot import draw_growth
from benchmarks.multiplied import sources, variation
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.run import ReviewProgress, ReviewScope, fill_review
from fourcorners.search.find import find_passages
from fourcorners.settings import Settings
from fourcorners_bench.performance.usage import child_cpu_seconds, peak_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSION = 384
PROXIMITIES = (
    '"change control"~5^5',
    '"assign consent"~10',
    '"terminate convenience"~5',
    '"limitation liability"~4',
    '"governing law"~3',
    '"exclusive license"~6',
    '"non compete"~3',
    '"third party beneficiary"~5',
    "assignment w/5 consent",
    "audit w/10 records",
)
WORDS = (
    "indemnify and hold harmless",
    "renewal term notice",
    "most favored nation pricing",
    "liquidated damages",
    "source code escrow",
    "minimum purchase commitment",
    "insurance coverage",
    "covenant not to sue",
    "revenue sharing percentage",
    "warranty duration",
)
PLAYBOOK = "due-diligence"
ROUNDS = 3  # times that each question is asked
ENOUGH = 30.0  # CPU seconds after which no further round of a kind of question is begun


class Clock:
    """CPU seconds of this process, and of the one that serves it on this machine, if one does."""

    def __init__(self, library: Library) -> None:
        self._server: Path | None = None
        if library.url.startswith("postgresql:"):
            self._server = Path("/proc") / str(library.execute("SELECT pg_backend_pid()")[0][0])

    def seconds(self) -> float:
        """Return what both have spent so far."""
        return time.process_time() + self.of_server()

    def of_server(self) -> float:
        """Return what the serving process has spent so far."""
        if self._server is None:
            return 0.0
        run = (self._server / "schedstat").read_text().split()[0]
        return int(run) / 1e9

    def server_peak(self) -> int:
        """Return the most memory of the serving process in MB, what all of them share included."""
        if self._server is None:
            return 0
        written = (self._server / "status").read_text().partition("VmHWM:")[2]
        return int(written.split()[0]) >> 10


class Sampled:
    """Vectors of random directions, the same for the same text."""

    name = "sampled/1"
    dimension = DIMENSION

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text."""
        rows = [
            np.random.default_rng(crc32(text.encode())).standard_normal(DIMENSION, np.float32)
            for text in texts
        ]
        matrix = np.array(rows, dtype=np.float32).reshape(len(texts), DIMENSION)
        unit: NDArray[np.float32] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        return unit


def read(folder: Path, source: Path, jobs: int) -> dict[str, object]:
    """Add the contracts of a folder to a library, and return what reading them cost."""
    own, workers = time.process_time(), child_cpu_seconds()
    with Library.open(source) as library:
        report = add_files(
            library,
            [folder],
            collection="Growth",
            encoder=Sampled(),
            settings=Settings.load(jobs=jobs, ocr=False),
        )
    return {
        "documents": report.added,
        "failed": len(report.failed),
        "characters": report.characters,
        "passages": report.passages,
        "cpu_reading_and_outlining": round(child_cpu_seconds() - workers, 1),
        "cpu_the_rest": round(time.process_time() - own, 1),
    }


def encode(source: Path, most: int) -> dict[str, object]:
    """Encode some passages with the encoder that is shipped, and return CPU seconds for each."""
    with Library.open(source, create=False) as library:
        documents = [entry.id for entry in library.documents()]
        texts: list[str] = []
        for document in documents[:: max(1, len(documents) * 100 // (most or 1))]:
            whole = library.text(document)
            texts += [passage.span.text_in(whole) for passage in library.passages(document)]
    texts = texts[:most]
    encoder = default_encoder()
    encoder.encode(texts[:4])  # the model is loaded
    began = time.process_time()
    encoder.encode(texts)
    spent = (time.process_time() - began) / len(texts)
    return {"encoder": encoder.name, "passages": len(texts), "cpu_s_a_passage": round(spent, 4)}


class _Enough(Exception):
    """As many contracts are reviewed as were wanted."""


def judge(url: str, most: int) -> dict[str, object]:
    """Begin a review of all, stop it after some contracts, and return what it took.

    Seconds are of CPU time but for the first cell and the rate, which are by the clock: how long
    the first contract took, and how many there were a minute in each tenth of those reviewed.
    """
    playbook = load_playbook(PLAYBOOK)
    with Library.open(url, create=False) as library:
        known = library.encoder
        encoder = default_encoder() if known and known.name != Sampled.name else None
        own, workers, began = time.process_time(), child_cpu_seconds(), time.monotonic()
        ticks: list[float] = []

        def show(_: ReviewProgress) -> None:
            ticks.append(time.monotonic() - began)
            if len(ticks) == most:
                raise _Enough

        with suppress(_Enough):
            fill_review(
                library, playbook, ReviewScope(again=True), encoder=encoder, on_progress=show
            )
        spent = time.process_time() - own + child_cpu_seconds() - workers
    ends = [ticks[len(ticks) * part // 10 - 1] for part in range(1, 11)] if most >= 10 else []
    tenths = [end - start for start, end in pairwise((ticks[0], *ends))]
    return {
        "playbook": PLAYBOOK,
        "contracts": len(ticks),
        "cpu_s_a_contract": round(spent / len(ticks), 2),
        "s_to_first": round(ticks[0], 1),
        "a_minute_in_each_tenth": [round(6 * len(ticks) / each) for each in tenths if each],
        "peak_mb": peak_bytes() >> 20,
        "worker_peak_mb": peak_bytes(of_children=True) >> 20,
    }


@dataclass(frozen=True, slots=True)
class Filled:
    """What it cost to bring a library to so many documents; seconds are of CPU time."""

    stored: int
    cpu_store: float
    peak_mb: int


def fill(url: str, source: Path, documents: int) -> Filled:
    """Store variations until the library has so many documents."""
    with Library.open(source, create=False) as small:
        originals, known = list(sources(small)), small.encoder
    assert known is not None  # noqa: S101 - `sources` gives contracts with vectors
    stored, spent = 0, 0.0
    with Library.open(url) as library:
        library.set_encoder(known.name, known.dimension)
        at = before = len(library.documents())
        clock = Clock(library)
        while at < documents:
            until = min(documents, at + library.documents_at_once)
            made = [
                variation(originals[n % len(originals)], n // len(originals), 0)
                for n in range(at, until)
            ]
            began = clock.seconds()
            with library.transaction():
                for columns, vectors in made:
                    library.add_columns(columns, vectors, collection=f"Folder {at % 8}")
            spent += clock.seconds() - began
            at = until
            if at % 400 < len(made):
                _say(f"{url}: {at} documents, {spent:.0f} CPU seconds of storing")
        stored = at - before
    return Filled(stored, round(spent, 1), peak_bytes() >> 20)


def ask(url: str) -> dict[str, object]:
    """Ask everything, and return CPU milliseconds by kind of question."""
    began = time.process_time()
    with Library.open(url, create=False) as library:
        clock = Clock(library)
        opened = time.process_time() - began + clock.of_server()
        figures = library.stats()
        look = partial(find_passages, library)
        known = library.encoder
        encoder = default_encoder() if known and known.name != Sampled.name else Sampled()
        meant = partial(find_passages, library, None, encoder=encoder)
        asked_plainly = partial(find_passages, library, encoder=encoder)
        kinds: dict[str, list[Callable[[], object]]] = {
            "proximity": [partial(look, query) for query in PROXIMITIES],
            "words": [partial(look, query) for query in WORDS],
            "meaning": [partial(meant, like=query) for query in WORDS],
            "plain": [partial(asked_plainly, query) for query in WORDS],
        }
        asked = {name: _costs(f"{url}: {name}", asks, clock) for name, asks in kinds.items()}
        return {
            "documents": figures.documents,
            "passages": figures.passages,
            "characters": figures.characters,
            "store_mb": round(figures.bytes / 1e6, 1),
            "cpu_open_ms": round(1000 * opened, 1),
            "cpu_ms": asked,
            "asking_peak_mb": peak_bytes() >> 20,
            "server_peak_mb": clock.server_peak(),
        }


def _costs(name: str, asks: Sequence[Callable[[], object]], clock: Clock) -> dict[str, float]:
    """Ask each question in rounds, the first of which counts only where it is the only one."""
    rounds: list[list[float]] = []
    read: list[float] = []
    while len(rounds) <= ROUNDS and sum(map(sum, rounds)) < 1000 * ENOUGH:
        before = _bytes_read()
        rounds.append([_milliseconds(each, clock) for each in asks])
        read.append((_bytes_read() - before) / len(asks))
        _say(f"{name}: {sum(rounds[-1]) / 1000:.1f} CPU seconds for {len(asks)} questions")
    counting = rounds[1:] or rounds
    spent = [each for one in counting for each in one]
    p50, p95 = np.percentile(spent, [50, 95]).tolist()
    cold50, cold95 = np.percentile(rounds[0], [50, 95]).tolist()
    return {"first": round(rounds[0][0], 1), "new_p50": round(cold50, 1),
            "new_p95": round(cold95, 1), "p50": round(p50, 1), "p95": round(p95, 1),
            "asked": len(spent), "new_read_kb": round(read[0] / 1000),
            "read_kb": round(float(np.mean(read[1:] or read)) / 1000)}  # fmt: skip


def _milliseconds(act: Callable[[], object], clock: Clock) -> float:
    began = clock.seconds()
    act()
    return 1000 * (clock.seconds() - began)


def _bytes_read() -> int:
    """Return the bytes that this process has read with system calls; 0 where no system tells."""
    written = Path("/proc/self/io")
    return int(written.read_text().split()[1]) if written.exists() else 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _apart(act: Callable[..., object], *arguments: object) -> object:
    """Do something in a process that has done nothing else."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(act, *arguments).result()


def grow(given: argparse.Namespace, folder: Path) -> None:
    """Fill and ask, number by number, and write the figures each time."""
    sizes = sorted(int(size) for size in given.documents.split(","))
    place = given.keep or folder / "firm.db"
    url = str(place.absolute()) if given.store == "sqlite" else given.store
    source = given.sources or folder / "sources.db"
    figures: dict[str, object] = {"store": given.store.partition(":")[0]}
    if not source.exists():
        figures["reading"] = _apart(read, given.data, source, given.jobs)
    if given.encode:
        figures["encoding"] = _apart(encode, source, given.encode)
    points: list[dict[str, object]] = []
    for size in sizes:
        filled = Filled(0, 0.0, 0) if given.ask_only else _apart(fill, url, source, size)
        assert isinstance(filled, Filled)  # noqa: S101 - what a process sends has no type
        written = _apart(ask, url)
        assert isinstance(written, dict)  # noqa: S101
        points.append(
            {
                **written,
                "stored": filled.stored,
                "cpu_store": filled.cpu_store,
                "filling_peak_mb": filled.peak_mb,
            }
        )
        if given.review:
            points[-1]["review"] = _apart(judge, url, given.review)
        figures["points"] = points
        figures["machine"] = f"{platform.machine()}, {os.cpu_count()} cores"
        whole = json.dumps(figures, indent=2)
        _say(whole)
        if given.json:
            given.json.write_text(f"{whole}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--documents", default="400,4000", help="numbers of documents")
    parser.add_argument("--store", default="sqlite", help="or the URL of a library")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="where the library stays")
    parser.add_argument("--sources", type=Path, help="where what was read stays, for both stores")
    parser.add_argument("--ask-only", action="store_true", help="ask what --keep has, as it is")
    parser.add_argument("--encode", type=int, default=200, help="passages; 0 for none")
    parser.add_argument("--review", type=int, default=8, help="contracts; 0 for none")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path, help="draw what --runs found, and do nothing else")
    parser.add_argument("--runs", type=Path, nargs="+", default=[])
    given = parser.parse_args()
    if given.plot:
        runs = [json.loads(path.read_text(encoding="utf-8")) for path in given.runs]
        draw_growth(runs, given.plot)
        return
    with TemporaryDirectory() as folder:
        grow(given, Path(folder))


if __name__ == "__main__":
    main()
