"""The same work by LangChain, by LlamaIndex and by Fourcorners, in one run.

    python3.11 -m venv ../frameworks-venv && . ../frameworks-venv/bin/activate
    pip install -e . -r bench/benchmarks/frameworks/requirements.txt
    python bench/benchmarks/frameworks/compare.py --data LEGALBENCH --contracts 60 --questions 300

All encode with Fourcorners' encoder, on the same cores, and add the same texts; each has its own
process, in which every connection but to itself is refused, so that nothing can be fetched.
LegalBench-RAG's questions are then asked in two ways: `given`, where the contract is given (as a
filter on its file) and the question is put without the words that name it, and `whole`, the
whole question, asked of all contracts. Characters are scored, each counted once.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from fourcorners.models import default_encoder
from fourcorners.text.span import Span
from fourcorners_bench.performance.usage import cpu_seconds
from fourcorners_bench.retrieval.loader import (
    Answer,
    Question,
    QuestionSet,
    Snippet,
    corpus_text,
    load_set,
)
from fourcorners_bench.retrieval.score import KS, RetrievalScores, resample_scores

if TYPE_CHECKING:
    import numpy as np
    from langchain_core.documents import Document as Chunk
    from langchain_core.retrievers import BaseRetriever
    from llama_index.core.base.base_retriever import BaseRetriever as Retriever
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.retrievers.bm25 import BM25Retriever
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder

SHOWN = (1, 4, 16, 64)
MOST = 64
CHUNK = 500
WAYS = ("given", "whole")
ADDING = (
    "adding",
    "seconds",
    "CPU seconds",
    "… of encoding",
    "… apart from it",
    "times ours, all in",
    "times ours, apart",
    "texts encoded",
    "megabytes",
)
PACKAGES = (
    "fourcorners",
    "langchain-text-splitters",
    "langchain-chroma",
    "chromadb",
    "langchain-community",
    "rank-bm25",
    "llama-index-core",
    "llama-index-retrievers-bm25",
    "onnxruntime",
)


class Stopwatch:
    """The encoder, with the seconds that it took, by the clock and of the CPU."""

    def __init__(self, threads: int) -> None:
        self.encoder: Encoder = default_encoder(threads=threads)
        self.encoder.encode(["warm"])
        self.seconds = self.cpu = 0.0
        self.texts = 0

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
        self.texts += len(texts)
        return vectors


class System(Protocol):
    """What is compared: it adds texts, and answers."""

    def add(self, data: Path, files: Sequence[str]) -> None:
        """Add all files, so that another process could search them."""
        ...

    def ways(self) -> dict[str, Callable[[Question, str], list[Snippet]]]:
        """Return its ways of answering by name; they take the question and one of `WAYS`."""
        ...


class LangChain:
    """RecursiveCharacterTextSplitter and Chroma, alone and with BM25 by EnsembleRetriever."""

    def __init__(self, folder: Path, watch: Stopwatch) -> None:
        from chromadb.config import Settings
        from langchain_chroma import Chroma
        from langchain_core.embeddings import Embeddings

        class Encoded(Embeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return watch.encode(texts).tolist()

            def embed_query(self, text: str) -> list[float]:
                return watch.encode([text])[0].tolist()

        self._store = Chroma(
            "contracts",
            Encoded(),
            persist_directory=str(folder),
            client_settings=Settings(anonymized_telemetry=False, is_persistent=True),
            collection_metadata={"hnsw:space": "cosine"},
        )
        self._chunks: dict[str, list[Chunk]] = {}

    def add(self, data: Path, files: Sequence[str]) -> None:
        """Split, and add to Chroma file by file; then make the BM25 index."""
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        splitter = RecursiveCharacterTextSplitter(
            chunk_size=CHUNK, chunk_overlap=0, add_start_index=True
        )
        for file in files:
            chunks = splitter.create_documents([corpus_text(data, file)], [{"file": file}])
            self._store.add_documents(chunks)
            self._chunks[file] = chunks
        self._all = self._bm25([chunk for chunks in self._chunks.values() for chunk in chunks])
        self._of_file = lru_cache(lambda file: self._bm25(self._chunks[file]))

    def _bm25(self, chunks: Sequence[Chunk]) -> BaseRetriever:
        from langchain_community.retrievers import BM25Retriever

        return BM25Retriever.from_documents(chunks, k=MOST)

    def ways(self) -> dict[str, Callable[[Question, str], list[Snippet]]]:
        """Return dense alone, and the hybrid."""
        return {"LangChain, Chroma": self._dense, "LangChain, Chroma + BM25": self._hybrid}

    def _retriever(self, question: Question, way: str) -> BaseRetriever:
        only = {"filter": {"file": question.file_path}} if way == "given" else {}
        return self._store.as_retriever(search_kwargs={"k": MOST, **only})

    def _dense(self, question: Question, way: str) -> list[Snippet]:
        return self._snippets(self._retriever(question, way).invoke(_question_text(question, way)))

    def _hybrid(self, question: Question, way: str) -> list[Snippet]:
        from langchain_classic.retrievers import EnsembleRetriever

        words = self._of_file(question.file_path) if way == "given" else self._all
        both = EnsembleRetriever(
            retrievers=[words, self._retriever(question, way)], weights=[0.5, 0.5]
        )
        return self._snippets(both.invoke(_question_text(question, way)))

    def _snippets(self, found: Sequence[Chunk]) -> list[Snippet]:
        return [
            Snippet(
                one.metadata["file"],
                Span(
                    one.metadata["start_index"], one.metadata["start_index"] + len(one.page_content)
                ),
            )
            for one in found[:MOST]
        ]


class LlamaIndex:
    """SentenceSplitter and VectorStoreIndex as they come, alone and with BM25 fused."""

    def __init__(self, folder: Path, watch: Stopwatch) -> None:
        from llama_index.core import Settings
        from llama_index.core.base.embeddings.base import BaseEmbedding

        class Encoded(BaseEmbedding):
            def _get_text_embedding(self, text: str) -> list[float]:
                return watch.encode([text])[0].tolist()

            def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
                return watch.encode(texts).tolist()

            def _get_query_embedding(self, query: str) -> list[float]:
                return watch.encode([query])[0].tolist()

            async def _aget_query_embedding(self, query: str) -> list[float]:
                return self._get_query_embedding(query)

        Settings.llm = None
        Settings.embed_model = Encoded()
        self._folder = folder

    def add(self, data: Path, files: Sequence[str]) -> None:
        """Split, index and persist; then make the BM25 index."""
        from llama_index.core import Document, VectorStoreIndex
        from llama_index.core.node_parser import SentenceSplitter

        documents = [
            Document(text=corpus_text(data, file), metadata={"file_path": file}) for file in files
        ]
        nodes = SentenceSplitter().get_nodes_from_documents(documents)
        self._index = VectorStoreIndex(nodes)
        self._index.storage_context.persist(str(self._folder))
        self._nodes: dict[str, list[TextNode]] = {}
        for node in nodes:
            self._nodes.setdefault(node.metadata["file_path"], []).append(node)
        self._all = self._bm25(nodes)
        self._all.persist(str(self._folder / "bm25"))
        self._of_file = lru_cache(lambda file: self._bm25(self._nodes[file]))

    def _bm25(self, nodes: Sequence[TextNode]) -> BM25Retriever:
        from llama_index.retrievers.bm25 import BM25Retriever

        return BM25Retriever.from_defaults(
            nodes=list(nodes), similarity_top_k=min(MOST, len(nodes))
        )

    def ways(self) -> dict[str, Callable[[Question, str], list[Snippet]]]:
        """Return dense alone, and the hybrid."""
        return {"LlamaIndex": self._dense, "LlamaIndex + BM25": self._hybrid}

    def _retriever(self, question: Question, way: str) -> Retriever:
        from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters

        only = ExactMatchFilter(key="file_path", value=question.file_path)
        filters = MetadataFilters(filters=[only]) if way == "given" else None
        return self._index.as_retriever(similarity_top_k=MOST, filters=filters)

    def _dense(self, question: Question, way: str) -> list[Snippet]:
        return self._snippets(
            self._retriever(question, way).retrieve(_question_text(question, way))
        )

    def _hybrid(self, question: Question, way: str) -> list[Snippet]:
        from llama_index.core.retrievers import QueryFusionRetriever

        words = self._of_file(question.file_path) if way == "given" else self._all
        both = QueryFusionRetriever(
            [self._retriever(question, way), words],
            num_queries=1,
            similarity_top_k=MOST,
            mode="reciprocal_rerank",
            use_async=False,
        )
        return self._snippets(both.retrieve(_question_text(question, way)))

    def _snippets(self, found: Sequence[NodeWithScore]) -> list[Snippet]:
        return [
            Snippet(
                one.node.metadata["file_path"], Span(one.node.start_char_idx, one.node.end_char_idx)
            )
            for one in found[:MOST]
        ]


class Fourcorners:
    """The default profile."""

    def __init__(self, folder: Path, watch: Stopwatch) -> None:
        from fourcorners.library.store import Library
        from fourcorners.playbooks.concepts import default_concepts

        self._watch = watch
        self._library = Library.open(folder / "firm.db")
        self._concepts = default_concepts()

    def add(self, data: Path, files: Sequence[str]) -> None:
        """Add the files as a user would."""
        from fourcorners.library.ingest import add_files
        from fourcorners.settings import Settings

        report = add_files(
            self._library,
            [data / "corpus" / file for file in files],
            collection="contracts",
            encoder=self._watch,
            settings=Settings.load(jobs=2),
        )
        assert not report.failed, report.failed  # noqa: S101 - there would be nothing to compare
        self._files = {
            str(document): Path(str(path)).relative_to(data / "corpus").as_posix()
            for document, path in self._library.execute("SELECT id, path FROM documents")
        }
        self._ids = {file: document for document, file in self._files.items()}

    def ways(self) -> dict[str, Callable[[Question, str], list[Snippet]]]:
        """Return what a user gets."""
        return {"Fourcorners": self._default}

    def _default(self, question: Question, way: str) -> list[Snippet]:
        from fourcorners.search.scope import QuestionScope, route_question
        from fourcorners.search.sentences.retrieve import retrieve_snippets

        if way == "given":
            scope = QuestionScope(
                question.question, "", ((self._ids[question.file_path], 1.0),), is_certain=True
            )
        else:
            scope = route_question(self._library, question.query)
        found = retrieve_snippets(
            self._library, scope, encoder=self._watch, concepts=self._concepts, limit=MOST
        )
        return [Snippet(self._files[one.document], one.span) for one in found.snippets]


SYSTEMS: dict[str, type[LangChain | LlamaIndex | Fourcorners]] = {
    "LangChain": LangChain,
    "LlamaIndex": LlamaIndex,
    "Fourcorners": Fourcorners,
}


def _question_text(question: Question, way: str) -> str:
    return question.question if way == "given" else question.query


@dataclass(frozen=True, slots=True)
class Added:
    """What adding took."""

    seconds: float
    cpu: float
    encoding: float
    encoding_cpu: float
    texts: int
    megabytes: float


@dataclass(frozen=True, slots=True)
class Answered:
    """What a way of answering gave."""

    scores: dict[str, RetrievalScores]
    milliseconds: dict[str, float]


def work(
    name: str, data: Path, part: QuestionSet, folder: Path, threads: int
) -> tuple[Added, dict[str, Answered]]:
    """Add and answer, in a separate process."""
    _refuse_connections()
    folder.mkdir()
    watch = Stopwatch(threads)
    system: System = SYSTEMS[name](folder, watch)
    began, cpu = time.perf_counter(), cpu_seconds()
    system.add(data, part.corpus)
    seconds, spent = time.perf_counter() - began, cpu_seconds() - cpu
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    added = Added(seconds, spent, watch.seconds, watch.cpu, watch.texts, size)
    print(name, added, flush=True)
    answered = {}
    for way_of, answer in system.ways().items():
        scores: dict[str, RetrievalScores] = {}
        times: dict[str, float] = {}
        for way in WAYS:
            runs = list(_timed(answer, part.questions, way))
            times[way] = median(seconds for _, seconds in runs) * 1e3
            answers = [each for each, _ in runs]
            scores[way] = resample_scores(part.name, part.questions, answers, seed=0).scores()
        answered[way_of] = Answered(scores, times)
    return added, answered


def _timed(
    answer: Callable[[Question, str], list[Snippet]], questions: Sequence[Question], way: str
) -> Iterator[tuple[Answer, float]]:
    for question in questions:
        began = time.perf_counter()
        found = answer(question, way)
        yield Answer(question.query, tuple(found)), time.perf_counter() - began


def _refuse_connections() -> None:
    """Let nothing be fetched: vocabularies and word lists come with the packages, or not at all."""
    os.environ.update(HF_HUB_OFFLINE="1", ANONYMIZED_TELEMETRY="False")
    connect = socket.socket.connect

    def check_address(self: socket.socket, address: tuple[str, int]) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
            raise OSError(f"connections are refused, also to {address}")
        connect(self, address)

    socket.socket.connect = check_address  # type: ignore[method-assign]


def sampled(
    data: Path, benchmark: str, contracts: int | None, questions: int, seed: int
) -> QuestionSet:
    """Return questions on some contracts of a set, and these contracts as the corpus."""
    whole = load_set(data, benchmark)
    chance = random.Random(seed)  # noqa: S311 - a sample, no secret
    corpus = list(whole.corpus)
    if contracts is not None and contracts < len(corpus):
        corpus = sorted(chance.sample(corpus, contracts))
    about = [each for each in whole.questions if each.file_path in set(corpus)]
    if questions < len(about):
        about = [about[at] for at in sorted(chance.sample(range(len(about)), questions))]
    return replace(whole, questions=tuple(about), corpus=tuple(corpus))


def tables(part: QuestionSet, added: dict[str, Added], answered: dict[str, Answered]) -> str:
    """Return the figures as Markdown."""
    ours = added["Fourcorners"]
    lines = [
        f"{len(part.corpus)} contracts of the set {part.name}, {len(part.questions)} questions.",
        "",
        f"| {' | '.join(ADDING)} |",
        f"|{' --- |' * len(ADDING)}",
    ]
    for name, one in added.items():
        apart = one.cpu - one.encoding_cpu
        lines.append(
            f"| {name} | {one.seconds:,.1f} | {one.cpu:,.1f} | {one.encoding_cpu:,.1f} "
            f"| {apart:,.1f} | {one.cpu / ours.cpu:.2f} "
            f"| {apart / (ours.cpu - ours.encoding_cpu):.2f} | {one.texts:,} "
            f"| {one.megabytes:,.1f} |"
        )
    heads = " | ".join(f"@{k}" for k in SHOWN)
    for way in WAYS:
        for title, measure, scale in (
            ("recall, %", "union_recall", 100),
            ("precision, %", "union_precision", 100),
            ("characters", "characters", 1),
        ):
            lines += ["", f"| {way}: {title} | {heads} | ms a question |", f"|{' --- |' * 6}"]
            for name, each in answered.items():
                at = each.scores[way].at[measure]
                cells = [f"{at[KS.index(k)].value * scale:,.{int(scale > 1)}f}" for k in SHOWN]
                lines.append(f"| {name} | {' | '.join(cells)} | {each.milliseconds[way]:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of LegalBench-RAG")
    parser.add_argument("--benchmark", default="cuad")
    parser.add_argument("--contracts", type=int, help="how many; by default all")
    parser.add_argument("--questions", type=int, default=1_000_000, help="how many at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2, help="of the encoder")
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--markdown", type=Path, help="write the tables")
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    part = sampled(
        options.data, options.benchmark, options.contracts, options.questions, options.seed
    )
    added: dict[str, Added] = {}
    answered: dict[str, Answered] = {}
    with TemporaryDirectory() as folder:
        for name in options.systems:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                place = Path(folder) / name
                done = pool.submit(work, name, options.data, part, place, options.threads)
                added[name], more = done.result()
                answered.update(more)
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    text = "\n".join(
        (
            tables(part, added, answered),
            "",
            f"Python {platform.python_version()}, {os.cpu_count()} processors; {versions}.",
            "",
        )
    )
    print(text)
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    if options.json:
        figures = {
            name: {way: each.to_json() for way, each in one.scores.items()}
            for name, one in answered.items()
        }
        options.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
