"""Compare ways to find the nearest vectors of a library with an exact scan.

    python -m benchmarks.nearest LIBRARY
    python -m benchmarks.nearest LIBRARY --passages 4258400

Questions are a built-in playbook's definitions, names and questions, and those of
`benchmarks/growth.py`; the nearest 64 passages count. Of each way it prints the share of the
questions for which they are the same as by float32, and the share of them that is kept; of
products that are only estimated, how many of the best candidates hold all 64. With `--passages` the
codes are repeated, with some of their signs turned, until there are so many, and it prints CPU
milliseconds a question and the megabytes that the codes take.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.growth import WORDS
from fourcorners.library.store import Library
from fourcorners.library.vectors.codes import BLOCK, CodeBlock, VectorCodes, pack_codes
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.search.index import CANDIDATES, TIMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAREST = 64
PLAYBOOK = "due-diligence"


def questions() -> NDArray[np.float32]:
    """Return the vectors of what is asked."""
    texts = list(WORDS)
    for provision in load_playbook(PLAYBOOK).provisions:
        texts += [provision.definition, provision.name]
        texts += [each.question for each in provision.questions]
    vectors: NDArray[np.float32] = default_encoder().encode(texts)
    return vectors


def compare(matrix: NDArray[np.float32], asked: NDArray[np.float32]) -> None:
    """Print how each way does on the vectors of a library."""
    exact = asked @ matrix.T
    nearest = [set(np.argpartition(-row, NEAREST)[:NEAREST].tolist()) for row in exact]

    leasts = [row[list(own)].min() for row, own in zip(exact, nearest, strict=True)]

    def report_progress(name: str, found: list[set[int]]) -> None:
        share = np.array(  # of passages with the same words any will do
            [
                (row[list(own)] >= least - 1e-6).sum()
                for row, own, least in zip(exact, found, leasts, strict=True)
            ]
        )
        print(f"{name:40} same {np.mean(share == NEAREST):.3f}  kept {share.mean() / NEAREST:.4f}")

    def best(products: NDArray[np.float32]) -> list[set[int]]:
        return [set(np.argpartition(-row, NEAREST)[:NEAREST].tolist()) for row in products]

    scaled = np.rint(matrix / np.abs(matrix).max(axis=1, keepdims=True) * 127)
    scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
    report_progress("float16", best(asked @ matrix.astype(np.float16).astype(np.float32).T))
    report_progress("a byte a component, a scale a row", best(asked @ scaled.astype(np.float32).T))
    codes = VectorCodes((code_block(matrix),))
    most = max(CANDIDATES, TIMES * NEAREST)
    found = []
    for vector in asked:
        rows = codes.candidates(vector, most) - 1
        near = np.argsort(-(matrix[rows] @ vector))[:NEAREST]
        found.append(set(rows[near].tolist()))
    report_progress(f"codes, then {most:,} vectors", found)

    def needed(name: str, products: NDArray[np.float32]) -> None:
        counts = [
            int((row >= row[list(own)].min()).sum())
            for own, row in zip(nearest, products, strict=True)
        ]
        median, most = np.percentile(counts, [50, 99])
        print(f"{name:40} candidates: median {median:,.0f}, 99% {most:,.0f}")

    signs = np.sign(matrix)
    along = np.abs(matrix).sum(axis=1)
    needed("signs on both sides", np.sign(asked) @ signs.T)
    needed("signs, with scales, question unrounded", asked @ signs.T / along)
    estimates = [codes.scores(vector) for vector in asked]
    needed("codes", np.array(estimates))
    axes = np.linalg.eigh(np.cov(matrix.T))[1][:, -96:].astype(np.float32)
    needed("the first 96 axes of PCA", (asked @ axes) @ (matrix @ axes).T)


def code_block(matrix: NDArray[np.float32]) -> CodeBlock:
    return CodeBlock.load([(1, 0, 1, len(matrix), pack_codes(matrix))], matrix.shape[1])


def repeat(matrix: NDArray[np.float32], asked: NDArray[np.float32], passages: int) -> None:
    """Print what a question costs among so many passages."""
    block, chance = code_block(matrix[:BLOCK]), np.random.default_rng(0)
    blocks: list[CodeBlock] = []
    while sum(map(len, blocks)) < passages:
        turned = chance.integers(2**64, size=(4, *block.signs.shape), dtype=np.uint64)
        order = chance.permutation(len(block))
        blocks.append(
            replace(
                block,
                signs=np.ascontiguousarray(block.signs[:, order])
                ^ np.bitwise_and.reduce(turned, axis=0),
                large=np.ascontiguousarray(block.large[:, order]),
                scales=block.scales[order],
            )
        )
    codes = VectorCodes(tuple(blocks))
    held = sum(each.signs.nbytes + each.large.nbytes + each.scales.nbytes for each in blocks)
    spent = []
    for vector in asked[:20]:
        began = time.process_time()
        codes.candidates(vector, CANDIDATES)
        spent.append(1000 * (time.process_time() - began))
    p50, p95 = np.percentile(spent, [50, 95])
    print(f"{len(codes):,} passages: {held / 1e6:,.0f} MB, {p50:.0f} / {p95:.0f} CPU ms a question")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("library", type=Path)
    parser.add_argument("--passages", type=int, help="so many, made of those there are")
    arguments = parser.parse_args()
    with Library.open(arguments.library, create=False) as library:
        matrix = library.vectors().matrix
    if arguments.passages:
        repeat(matrix, questions(), arguments.passages)
    else:
        compare(matrix, questions())


if __name__ == "__main__":
    main()
