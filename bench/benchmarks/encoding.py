"""What makes encoding cheaper: batches, padding, truncation, threads, tokenising in bulk.

    python -m benchmarks.encoding --data ../shared/data

Every way encodes the same passages of CUAD contracts with the shipped encoder. CPU-seconds are per
million characters, the best of several rounds taken in turn; the cosine is to the vector of the
passage in a run of its own, the mean and the least.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourcorners.documents.read import read_document
from fourcorners.models.card import ModelInfo, load_card
from fourcorners.models.registry import DEFAULT_ENCODER, WEIGHTS
from fourcorners.models.session import open_graph, read_tokenizer, shared_arrays
from fourcorners.outline.build import build_outline
from fourcorners.outline.passages.cut import cut_passages

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Vectors = NDArray[np.float32]
Ids = Sequence[Sequence[int]]
BATCH = 16
DIMENSION = 384


def texts_of(paths: Iterable[Path]) -> list[str]:
    """Return the passages of contracts with their headings, as they are encoded."""
    found = []
    for path in paths:
        document = read_document(path)
        found += [
            f"{each.context}\n{each.span.text_in(document.text)}".lstrip("\n")
            for each in cut_passages(document, build_outline(document))
        ]
    return found


def run(session: InferenceSession, ids: Ids) -> Vectors:
    """Run texts together, padded to the longest."""
    width = max(map(len, ids))
    tokens = np.zeros((len(ids), width), dtype=np.int64)
    mask = np.zeros_like(tokens)
    for row, each in enumerate(ids):
        tokens[row, : len(each)] = each
        mask[row, : len(each)] = 1
    vectors: Vectors = session.run(None, {"input_ids": tokens, "attention_mask": mask})[0]
    return vectors


def batched(session: InferenceSession, ids: Ids, batches: Iterable[Sequence[int]]) -> Vectors:
    """Run batches of texts, each given by the places of its texts."""
    found = np.empty((len(ids), DIMENSION), dtype=np.float32)
    for batch in batches:
        found[batch] = run(session, [ids[at] for at in batch])
    return found


def cut(order: Sequence[int], size: int = BATCH) -> list[Sequence[int]]:
    """Cut an order into batches."""
    return [order[at : at + size] for at in range(0, len(order), size)]


def cut_ids(ids: Sequence[int], longest: int) -> list[int]:
    """Return the first tokens of a text and its last, which ends it."""
    return [*ids[: longest - 1], ids[-1]] if len(ids) > longest else list(ids)


def equal(ids: Ids) -> list[Sequence[int]]:
    """Return batches of texts with the same number of tokens, which need no padding."""
    by_length: dict[int, list[int]] = {}
    for at, each in enumerate(ids):
        by_length.setdefault(len(each), []).append(at)
    return [batch for group in by_length.values() for batch in cut(group)]


def threaded_session(info: ModelInfo, threads: int) -> InferenceSession:
    """Return a session that splits each operation over threads."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    shared = shared_arrays(info)
    options.add_external_initializers(list(shared), list(shared.values()))
    graph = info.read("model.onnx")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def in_pool(session: InferenceSession, ids: Ids, order: Sequence[int], threads: int) -> Vectors:
    """Run each text alone, several at a time."""
    found = np.empty((len(ids), DIMENSION), dtype=np.float32)
    with ThreadPoolExecutor(threads) as pool:
        runs = pool.map(lambda at: run(session, [ids[at]]), order)
        for at, vectors in zip(order, runs, strict=True):
            found[at] = vectors[0]
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds cuad")
    parser.add_argument("--contracts", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    paths = sorted((options.data / "cuad" / "contracts").glob("*.txt"))
    texts = texts_of(random.Random(0).sample(paths, options.contracts))  # noqa: S311
    characters = sum(map(len, texts))
    info = load_card(WEIGHTS / DEFAULT_ENCODER)
    tokenizer = read_tokenizer(info)
    one, two = open_graph(info), threaded_session(info, 2)
    read_as = tokenizer.encode_batch(texts)
    whole = [len(each.ids) for each in read_as]
    ids = [cut_ids(each.ids, info.max_tokens) for each in read_as]
    everywhere = range(len(ids))
    by_length = sorted(everywhere, key=lambda at: len(ids[at]), reverse=True)
    short = [cut_ids(each, 128) for each in ids]
    ways: dict[str, Callable[[], Vectors | None]] = {
        "each alone, one thread": lambda: batched(one, ids, cut(everywhere, 1)),
        "each alone, the longest first": lambda: batched(one, ids, cut(by_length, 1)),
        "batches of 16 as they come": lambda: batched(one, ids, cut(everywhere)),
        "batches of 16 by length": lambda: batched(one, ids, cut(by_length)),
        "batches of one length, up to 16": lambda: batched(one, ids, equal(ids)),
        "each alone, cut at 128 tokens": lambda: batched(one, short, cut(everywhere, 1)),
        "each alone, 2 texts at a time": lambda: in_pool(one, ids, by_length, 2),
        "each alone, 2 threads a text": lambda: batched(two, ids, cut(everywhere, 1)),
        "tokenising one by one": lambda: [tokenizer.encode(text).ids for text in texts] and None,
        "tokenising in bulk": lambda: tokenizer.encode_batch(texts) and None,
    }
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    wall: dict[str, list[float]] = {name: [] for name in ways}
    vectors: dict[str, Vectors | None] = {}
    for _ in range(options.rounds):
        for name, way in ways.items():
            began, at = time.process_time(), time.perf_counter()
            vectors[name] = way()
            cpu[name].append(time.process_time() - began)
            wall[name].append(time.perf_counter() - at)
    longer = sum(length > info.max_tokens for length in whole) / len(whole)
    print(
        f"{len(texts)} passages, {len(set(texts))} of them distinct; {characters:,} characters, "
        f"{sum(whole):,} tokens; {longer:.1%} of the passages are longer than {info.max_tokens}.\n"
    )
    print("| way | CPU-s | seconds | cosine, mean | least |\n| --- | --- | --- | --- | --- |")
    first = vectors["each alone, one thread"]
    for name in ways:
        cells = [f"{min(times[name]) / characters * 1e6:.1f}" for times in (cpu, wall)]
        found = vectors[name]
        if found is None or first is None:
            cells += ["", ""]
        else:
            cosines = (found * first).sum(axis=1)
            cells += [f"{cosines.mean():.4f}", f"{cosines.min():.4f}"]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
