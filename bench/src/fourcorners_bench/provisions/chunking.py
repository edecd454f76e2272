"""The paper's chunking experiment: which length of fixed chunks is found best by meaning alone.

On the 100 longest contracts, with the most central example of each of seven provisions as the
query: is the instance in the first chunk (Recall@1), and in as many chunks as make about 17,500
characters (7, 5 and 4)?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from fourcorners.errors import ConfigError
from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.playbooks.learning.learn import central_rows
from fourcorners.playbooks.passages.ranking import RankedContract
from fourcorners.review.prompting.passages import fixed_chunks
from fourcorners.text.span import Span
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import SEVEN_PROVISIONS, AnnotatedContract
from fourcorners_bench.extraction.run import find_document
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.provisions.run import FOLDS, pool_vectors
from fourcorners_bench.provisions.score import (
    InstanceCounts,
    count_instances,
    instance_recall,
)
from fourcorners_bench.record import Json, OnProgress, published_data, with_progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table

    from fourcorners.models.encoder.protocol import Encoder

MAX_CHUNKS = 100  # longest contracts that are measured
STRATEGIES = ((2_500, 500, 7), (3_500, 700, 5), (4_500, 900, 4))
"""Characters, overlap, and the number of chunks that makes them equal in characters."""


def run_experiment(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    *,
    encoder: Encoder,
    embeds_chunks: bool = False,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Json]:
    """Return Recall@1 and Recall@K of each strategy, by provision and over all instances.

    The example is chosen among the clauses of other folds than the contract's. With `embeds_chunks`
    each chunk is encoded as the paper does it, else the vectors of the clauses in it are pooled.

    Raises:
        ConfigError: If there is none for a provision.
    """
    folds = cuad.assign_folds(list(contracts), k=FOLDS, seed=seed)
    fold = {contract.name: each for contract, each in zip(contracts, folds, strict=True)}
    asked = _examples(contracts, fold, encoder)
    longest = sorted(contracts, key=lambda contract: -len(contract.text))[:MAX_CHUNKS]
    counts: dict[tuple[str, int], list[InstanceCounts]] = {}
    for contract in with_progress(longest, "Ranking chunks", on_progress):
        ready = RankedContract.build(read_contract(library, find_document(library, contract.text)))
        for size, overlap, most in STRATEGIES:
            chunks = fixed_chunks(len(contract.text), size, overlap)
            vectors = _chunk_vectors(contract, chunks, encoder) if embeds_chunks else None
            for provision in SEVEN_PROVISIONS:
                like = asked[provision, fold[contract.name]]
                cosines = (
                    pool_vectors(ready, chunks, like)
                    if vectors is None
                    else (vectors @ like.T).max(axis=1)
                )
                order = sorted(range(len(chunks)), key=lambda at: (-float(cosines[at]), at))
                for k in (1, most):
                    found = count_instances(contract, provision, [chunks[at] for at in order[:k]])
                    counts.setdefault((f"{size}-{overlap}", k), []).append(found)
    return {
        "contracts": len(longest),
        "strategies": {
            f"{size}-{overlap}": {
                f"recall@{k}": _by_provision(counts[f"{size}-{overlap}", k]) for k in (1, most)
            }
            for size, overlap, most in STRATEGIES
        },
    }


def _chunk_vectors(
    contract: AnnotatedContract, chunks: Sequence[Span], encoder: Encoder
) -> NDArray[np.float32]:
    return encoder.encode([chunk.text_in(contract.text) for chunk in chunks])


def _by_provision(counts: Sequence[InstanceCounts]) -> dict[str, Json]:
    each: dict[str, Json] = {
        provision: round(instance_recall(c for c in counts if c.provision == provision), 4)
        for provision in SEVEN_PROVISIONS
    }
    return {**each, "all": round(instance_recall(counts), 4)}


def _examples(
    contracts: Sequence[AnnotatedContract], fold: Mapping[str, int], encoder: Encoder
) -> dict[tuple[str, int], NDArray[np.float32]]:
    import numpy as np

    found = {}
    for provision in SEVEN_PROVISIONS:
        marked = [
            (fold[contract.name], span.text_in(contract.text))
            for contract in contracts
            for span in contract.annotations[provision]
        ]
        vectors = encoder.encode([text for _, text in marked])
        folds = np.array([each for each, _ in marked])
        for held in range(FOLDS):
            rest = vectors[folds != held]
            if not len(rest):
                raise ConfigError(
                    f"all clauses of {provision!r} are in the contracts of one fold.",
                    remedy="The chunking experiment needs more contracts.",
                )
            found[provision, held] = rest[central_rows(rest, 1)]
    return found


def chunking_table(figures: Mapping[str, Json]) -> Table:
    strategies = cast("Mapping[str, Mapping[str, Mapping[str, float]]]", figures["strategies"])
    table = figure_table(
        f"Chunking, the {figures['contracts']} longest contracts",
        "Provision",
        *(f"{name} {measure}" for name, measured in strategies.items() for measure in measured),
        wrap_words=True,
        wrap_figures=True,
        boxed=True,
        caption=f"In brackets: {published_data('provisions')['source']}",
    )
    paper = cast(
        "Mapping[str, Mapping[str, Sequence[float]]]", published_data("provisions")["chunking"]
    )
    for provision in (*SEVEN_PROVISIONS, "all"):
        cells = [
            f"{values[provision]:.1%} ({paper[provision][name][at]:.1f})"
            for name, measured in strategies.items()
            for at, values in enumerate(measured.values())
        ]
        table.add_row(provision, *cells, style="bold" if provision == "all" else None)
    return table
