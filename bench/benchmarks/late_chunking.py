"""Late chunking against encoding each passage with its headings: recall in the document, and cost.

    python -m benchmarks.late_chunking --data ../shared/data/legalbench-rag

Late chunking (Günther et al., "Late Chunking: Contextual Chunk Embeddings Using Long-Context
Embedding Models", 2024) reads a whole document in overlapping windows, and pools the states of
its tokens into the vectors of all passages, and of sentences. Questions of LegalBench-RAG's CUAD
set are asked of their own contract, without the words that name it, by cosine alone. Recall is the
share of the answers' characters within the first k passages; a passage whose vectors are its
sentences' counts by the nearest of them. The interval is of the difference to the first row, over
resampled contracts. CPU-seconds are those of this process, one thread, tokenising included.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.documents.read import read_document
from fourcorners.models.card import load_card
from fourcorners.models.encoder.onnx import OnnxEncoder
from fourcorners.models.registry import DEFAULT_ENCODER, WEIGHTS
from fourcorners.models.session import open_session, read_tokenizer, shared_arrays
from fourcorners.outline.build import build_outline
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners_bench.retrieval.loader import Question, corpus_text, load_set

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

KS = (1, 4, 16)
RESAMPLES = 2_000
STATES = "/transformer/encoder/layer.5/output/LayerNorm/LayerNormalization_output_0"
BEGIN, END = 101, 102  # of the model's vocabulary
FLOAT = 1

Vectors = NDArray[np.float32]


def field_of(number: int, value: bytes) -> bytes:
    """Encode a field of a protocol buffer; the value has fewer than 16,384 bytes."""
    size = len(value)
    length = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
    return bytes([number << 3 | 2]) + length + value


def with_states(model: bytes) -> bytes:
    """Return the graph with the states of the tokens as a second output.

    Messages of protocol buffers that follow one another are merged: what is appended here is one
    more output of the graph, by the name that the state has in it already. No weight is added.
    """
    kind = field_of(1, bytes([1 << 3, FLOAT]))
    return model + field_of(7, field_of(12, field_of(1, STATES.encode()) + field_of(2, kind)))


class Late:
    """Vectors pooled from the states of the tokens of a whole text."""

    def __init__(
        self, session: InferenceSession, encoder: OnnxEncoder, size: int, overlap: int
    ) -> None:
        self._session = session
        self._tokenizer = read_tokenizer(encoder.info)
        self._tokenizer.no_truncation()
        self._room = size - 2
        self._overlap = overlap

    def states(self, text: str) -> tuple[Vectors, NDArray[np.int64], NDArray[np.int64]]:
        """Return the state of each token, and where it starts and ends."""
        read_as = self._tokenizer.encode(text, add_special_tokens=False)
        ids = np.array(read_as.ids, dtype=np.int64)
        offsets = np.array(read_as.offsets, dtype=np.int64).reshape(-1, 2)
        found = np.empty((len(ids), 384), dtype=np.float32)
        step = self._room - self._overlap
        for start in range(0, max(1, len(ids) - self._overlap), step):
            part = ids[start : start + self._room]
            tokens = np.concatenate([[BEGIN], part, [END]])[None]
            feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
            state = self._session.run([STATES], feed)[0][0, 1:-1]
            kept = self._overlap // 2 if start else 0  # each token is seen away from the edges
            found[start + kept : start + len(part)] = state[kept:]
        return found, offsets[:, 0], offsets[:, 1]


def pooled(
    states: tuple[Vectors, NDArray[np.int64], NDArray[np.int64]], spans: Sequence[Span]
) -> Vectors:
    """Return the mean state of the tokens within each span, as a unit vector."""
    vectors, starts, ends = states
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, 0, np.float64)])
    first = np.searchsorted(ends, [span.start for span in spans], side="right")
    last = np.searchsorted(starts, [span.end for span in spans], side="left")
    means = sums[np.maximum(last, first)] - sums[first]
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    return (means / np.where(norms > 0, norms, 1.0)).astype(np.float32)


@dataclass(slots=True)
class System:
    """A way to make vectors, with what it took and found so far."""

    name: str
    seconds: float = 0.0
    recalls: list[NDArray[np.float64]] = field(default_factory=list)  # by contract

    def timed(self, work: Callable[[], Vectors]) -> Vectors:
        """Do the work, and count its CPU time."""
        began = time.process_time()
        vectors = work()
        self.seconds += time.process_time() - began
        return vectors


def recall(question: Question, spans: Sequence[Span], scores: Vectors) -> list[float]:
    """Return the share of the answers' characters within the first k passages, for each k."""
    order = np.argsort(-scores, kind="stable")
    wanted = sum(len(each.span) for each in question.answers)
    found = []
    for k in KS:
        got = 0
        for at in order[:k]:
            for answer in question.answers:
                both = spans[at].intersection(answer.span)
                got += len(both) if both else 0
        found.append(min(1.0, got / wanted))  # the passages are disjoint
    return found


def sentences_within(text: str, spans: Sequence[Span]) -> tuple[list[Span], NDArray[np.int64]]:
    """Return the sentences of the passages, and where those of each passage begin."""
    found: list[Span] = []
    firsts = []
    for span in spans:
        firsts.append(len(found))
        found.extend(split_sentences(text, span) or [span])
    return found, np.array(firsts)


def measure(
    path: Path,
    text: str,
    questions: Sequence[Question],
    encoder: OnnxEncoder,
    systems: Sequence[System],
    late: Sequence[Late],
) -> int:
    """Ask one contract its questions, by every system; return how many characters it has."""
    document = read_document(path)
    if document.text != text:
        raise SystemExit(f"{path}: what is read is not the file's text")
    cut = cut_passages(document, build_outline(document))
    spans = [each.span for each in cut]
    parts, firsts = sentences_within(text, spans)
    asked = encoder.encode([each.question for each in questions])
    texts = [f"{each.context}\n{each.span.text_in(text)}".lstrip("\n") for each in cut]
    today, alone, each_sentence, both, *rest = systems
    plain = today.timed(lambda: encoder.encode(texts))
    bare = alone.timed(lambda: encoder.encode([span.text_in(text) for span in spans]))
    single = each_sentence.timed(lambda: encoder.encode([span.text_in(text) for span in parts]))
    both.seconds = today.seconds + each_sentence.seconds
    by_sentences = np.maximum.reduceat(single @ asked.T, firsts)
    scored = [
        (today, plain @ asked.T),
        (alone, bare @ asked.T),
        (each_sentence, by_sentences),
        (both, plain @ asked.T + by_sentences),
    ]
    for number, way in enumerate(late):
        by_passage, by_sentence = rest[2 * number : 2 * number + 2]
        began = time.process_time()
        states = way.states(text)
        whole = pooled(states, spans)
        by_passage.seconds += time.process_time() - began
        fine = pooled(states, parts)
        by_sentence.seconds += time.process_time() - began
        scored.append((by_passage, whole @ asked.T))
        scored.append((by_sentence, np.maximum.reduceat(fine @ asked.T, firsts)))
    for system, scores in scored:
        rows = [recall(each, spans, scores[:, at]) for at, each in enumerate(questions)]
        system.recalls.append(np.array(rows))
    return len(text)


def interval(system: System, first: System, k: int) -> tuple[float, float]:
    """Return the 95% interval of the difference in recall, over resampled contracts."""
    pairs = zip(system.recalls, first.recalls, strict=True)
    parts = [(one[:, k] - other[:, k]) for one, other in pairs]
    sums = np.array([part.sum() for part in parts])
    counts = np.array([len(part) for part in parts])
    drawn = np.random.default_rng(0).integers(0, len(parts), (RESAMPLES, len(parts)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def print_table(systems: Sequence[System], characters: int) -> None:
    """Print what was found."""
    heads = [f"recall@{k}, %" for k in KS]
    print("| vectors | " + " | ".join(heads) + " | CPU-s per million characters |")
    print("| --- |" + " --- |" * (len(KS) + 1))
    for system in systems:
        means = np.concatenate(system.recalls).mean(axis=0) * 100
        cells = []
        for at, mean in enumerate(means):
            low, high = interval(system, systems[0], at)
            told = f" ({100 * low:+.1f} to {100 * high:+.1f})" if system is not systems[0] else ""
            cells.append(f"{mean:.1f}{told}")
        cost = system.seconds / characters * 1e6
        print(f"| {system.name} | " + " | ".join(cells) + f" | {cost:.1f} |", flush=True)


def main() -> None:
    """Measure a sample of contracts, and print the table after every tenth and at the end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of LegalBench-RAG")
    parser.add_argument("--contracts", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    whole = load_set(options.data, "cuad")
    by_file: dict[str, list[Question]] = {}
    for question in whole.questions:
        by_file.setdefault(question.file_path, []).append(question)
    sample = random.Random(options.seed).sample(sorted(by_file), options.contracts)  # noqa: S311
    encoder = OnnxEncoder(load_card(WEIGHTS / DEFAULT_ENCODER), threads=1)
    encoder.encode(["warm"])
    graph = with_states(encoder.info.read("model.onnx"))
    session = open_session(graph, shared_arrays(encoder.info))
    windows = [(256, 64), (512, 128)]
    late = [Late(session, encoder, size, overlap) for size, overlap in windows]
    names = ["each passage, with its headings", "each passage, alone", "each sentence, alone"]
    names += ["the first and the third, added"]
    for size, overlap in windows:
        names += [f"late, {size} - {overlap} tokens: passages", "… and their sentences"]
    systems = [System(name) for name in names]
    characters = 0
    for done, file_path in enumerate(sample, start=1):
        text = corpus_text(options.data, file_path)
        path = options.data / "corpus" / file_path
        characters += measure(path, text, by_file[file_path], encoder, systems, late)
        if done % 10 == 0 or done == len(sample):
            asked = sum(len(part) for part in systems[0].recalls)
            print(f"\n{done} contracts, {characters:,} characters, {asked} questions\n")
            print_table(systems, characters)


if __name__ == "__main__":
    main()
