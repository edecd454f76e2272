"""Measure how long questions take in a large library, made of a small one.

    python -m benchmarks.latency --from firm.db --passages 100000
    python -m benchmarks.latency --from firm.db --passages 1000000 --keep large.db --json out.json

`--from` is a library with vectors; `benchmarks/multiplied.py` says how it is multiplied. For each
kind of question: the median and 95th percentile of the milliseconds by the clock, all in and apart
from the encoding of the question, and of this process's CPU time (what counts on a machine that
others use too). The library is made, and asked, in processes of their own, so that the peak of
memory is that of asking.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from multiplied import COLLECTIONS, multiply
from numpy.typing import NDArray

from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.scope import route_question
from fourcorners.search.sentences.retrieve import Retrieval, retrieve_snippets

if TYPE_CHECKING:
    from fourcorners.search.concepts import Concept

WARM = 5  # questions of each kind before those that count
FUSED = "words and meaning, fused"
GOALS = {FUSED: 50.0, "16 pairs reranked": 300.0, "50 pairs reranked": 900.0}
"""Milliseconds at the 95th percentile, with 100,000 passages on two cores."""
Ask = Callable[[], object]


@dataclass(slots=True)
class Stopwatch:
    """An encoder that adds up the time it takes, by the clock and of the CPU."""

    encoder: Encoder
    seconds: float = 0.0
    cpu: float = 0.0

    @property
    def name(self) -> str:
        """Name the encoder."""
        return self.encoder.name

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self.encoder.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode, and note how long it took."""
        began, cpu = time.perf_counter(), time.process_time()
        vectors = self.encoder.encode(texts)
        self.seconds += time.perf_counter() - began
        self.cpu += time.process_time() - cpu
        return vectors


@dataclass(slots=True)
class Times:
    """Milliseconds of each question of one kind."""

    whole: list[float] = field(default_factory=list)
    apart: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Return medians and 95th percentiles."""
        return {
            f"{name}_{share}": round(float(np.percentile(values, int(share[1:]))), 1)
            for name, values in (("ms", self.whole), ("apart", self.apart), ("cpu", self.cpu))
            for share in ("p50", "p95")
        }


def timed(asks: Sequence[Ask], watch: Stopwatch) -> Times:
    """Ask everything once, after a few to warm up."""
    for ask in asks[:WARM]:
        ask()
    times = Times()
    for ask in asks:
        watch.seconds, cpu, began = 0.0, time.process_time(), time.perf_counter()
        ask()
        seconds = time.perf_counter() - began
        times.cpu.append((time.process_time() - cpu) * 1e3)
        times.whole.append(seconds * 1e3)
        times.apart.append((seconds - watch.seconds) * 1e3)
    return times


@dataclass(frozen=True, slots=True)
class Bench:
    """A large library, with what is asked of it."""

    library: Library
    watch: Stopwatch
    concepts: Sequence[Concept]
    count: int

    def kinds(self) -> dict[str, list[Ask]]:
        """Return the questions of each kind, as calls."""
        questions = _questions(self.concepts, self.count)
        entries = self.library.documents()
        documents = entries[:: max(1, len(entries) // self.count)][: self.count]
        types = list(islice(cycle(sorted({e.type for e in entries if e.type})), self.count))
        lists = [concept.query for concept in islice(cycle(self.concepts), self.count)]
        look = partial(find_passages, self.library)
        meant = partial(look, encoder=self.watch)
        return {
            "a question encoded": [partial(self.watch.encode, [q]) for q in questions],
            "proximity list, words alone": [partial(look, query) for query in lists],
            "proximity list, then meaning": [partial(meant, query) for query in lists],
            FUSED: [partial(meant, q) for q in questions],
            "… in a collection": [
                partial(meant, q, filters=Filters(collection=f"Folder {at % COLLECTIONS}"))
                for at, q in enumerate(questions)
            ],
            "… in a document": [
                partial(meant, q, filters=Filters(documents=(d.id,)))
                for q, d in zip(questions, cycle(documents), strict=False)
            ],
            "… in documents of a type": [
                partial(meant, q, filters=Filters(types=(kind,)))
                for q, kind in zip(questions, types, strict=True)
            ],
            "field and proximity list": [
                partial(look, f'type:"{kind}" AND ({query})')
                for query, kind in zip(lists, types, strict=True)
            ],
            "routed to its contract": [
                partial(self.routed, f"Consider the {_naming(self.library, d)}; {q}")
                for q, d in zip(questions, cycle(documents), strict=False)
            ],
            "asked of the whole library": [partial(self.asked, q) for q in questions],
            "16 pairs reranked": [partial(self.reranked, q, 16) for q in questions],
            "50 pairs reranked": [partial(self.reranked, q, 50) for q in questions],
        }

    def asked(self, question: str, limit: int = 64) -> Retrieval:
        """Ask the whole library."""
        return retrieve_snippets(
            self.library, question, encoder=self.watch, concepts=self.concepts, limit=limit
        )

    def routed(self, question: str) -> Retrieval:
        """Ask the contract that the question names."""
        scope = route_question(self.library, question)
        return retrieve_snippets(self.library, scope, encoder=self.watch, concepts=self.concepts)

    def reranked(self, question: str, pairs: int) -> object:
        """Read the question with each of the first hits; without a reranker the encoder does."""
        hits = find_passages(self.library, question, encoder=self.watch, limit=pairs)
        return self.watch.encoder.encode([f"{question} {hit.words}" for hit in hits])


def _questions(concepts: Sequence[Concept], count: int) -> list[str]:
    asked = [question for concept in concepts for question in concept.asks]
    asked += [f"What does it say about {concept.name.lower()}?" for concept in concepts]
    return list(islice(cycle(dict.fromkeys(asked)), count))


def _naming(library: Library, entry: Entry) -> str:
    parties = [fact.value.name for fact in library.card(entry.id).parties[:2]]
    return f"{entry.title} between {' and '.join(parties)}" if parties else entry.title


def measure(path: Path, count: int, only: str, threads: int) -> dict[str, object]:
    """Ask a library everything, in a process that has done nothing else."""
    watch = Stopwatch(default_encoder(threads=threads))
    watch.encoder.encode(["warm"])
    concepts = default_concepts(watch.encoder)
    before = _memory("VmRSS")
    began = time.perf_counter()
    with Library.open(path, create=False) as library:
        opened = time.perf_counter() - began
        bench = Bench(library, watch, concepts, count)
        began = time.perf_counter()
        find_passages(library, _questions(concepts, 1)[0], encoder=watch)
        first = time.perf_counter() - began
        stats = library.stats()
        questions = {name: asks for name, asks in bench.kinds().items() if only in name}
        figures = {}
        for name, asks in questions.items():
            figures[name] = timed(asks, watch).figures()
            print(name, figures[name], file=sys.stderr, flush=True)
        return {
            "documents": stats.documents,
            "passages": stats.passages,
            "megabytes": round(stats.bytes / 1e6),
            "open_ms": round(opened * 1e3, 1),
            "first_question_ms": round(first * 1e3, 1),
            "memory_mb": round(_memory("VmHWM")),
            "memory_before_mb": round(before),
            "kinds": figures,
        }


def _memory(which: str) -> float:
    """Return the megabytes that this process holds (VmRSS) or held at most (VmHWM)."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(each for each in status.read_text().splitlines() if each.startswith(which))
        return int(line.split()[1]) / 1e3
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def show(record: dict[str, object]) -> None:
    """Print the figures."""
    figures = record["figures"]
    for name in ("documents", "passages", "megabytes", "open_ms", "first_question_ms"):
        print(f"{name.replace('_', ' ')}: {figures[name]:,}")
    print(f"memory: {figures['memory_mb']:,} MB at most, {figures['memory_before_mb']:,} before")
    if "made_seconds" in record:
        print(f"made in {record['made_seconds']:,} s")
    print("pairs are read by the encoder, as a cross-encoder of its size would")
    heads = ("ms", "p50", "p95", "apart p50", "apart p95", "CPU p50", "CPU p95", "goal p95")
    print(f"\n| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for name, row in figures["kinds"].items():
        cells = [f"{value:,.1f}" for value in row.values()]
        print(f"| {' | '.join((name, *cells, str(GOALS.get(name, ''))))} |")


def main() -> None:
    """Make the library, ask it, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from", dest="source", type=Path, help="a library with vectors")
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="where the large library is made, or was")
    parser.add_argument("--queries", type=int, default=100, help="of each kind")
    parser.add_argument("--only", default="", help="the kinds whose name holds this")
    parser.add_argument("--threads", type=int, default=2, help="of the encoder")
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = options.keep or Path(folder) / "large.db"
        record: dict[str, object] = {
            "passages": options.passages,
            "queries": options.queries,
            "machine": platform.platform(),
            "python": platform.python_version(),
        }
        if not path.exists():
            if options.source is None:
                parser.error("give --from, or --keep with a library that was made before")
            began = time.perf_counter()
            _alone(multiply, options.source, path, options.passages)
            record["made_seconds"] = round(time.perf_counter() - began)
        record["figures"] = _alone(measure, path, options.queries, options.only, options.threads)
    if options.json:
        options.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    show(record)


def _alone(work: Callable[..., object], *arguments: object) -> object:
    """Do work in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


if __name__ == "__main__":
    main()
