"""The paper's chunking experiment: which length of fixed chunks is found best by meaning alone.

On the 100 longest contracts, with the most central example of each of seven provisions as the
query: is the instance in the first chunk (Recall@1), and in as many chunks as make about 17,500
characters (7, 5 and 4)?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from fourcorners.errors import ConfigError
from fourcorners.evaluation import cuad
from fourcorners.evaluation.benchmark import Json
from fourcorners.evaluation.cuad import AnnotatedContract
from fourcorners.evaluation.extracting import document_id
from fourcorners.evaluation.providing import FOLDS, pooled
from fourcorners.evaluation.provisions import (
    SEVEN,
    Found,
    OnProgress,
    count,
    fixed,
    published,
    recall,
)
from fourcorners.library.store import Library
from fourcorners.playbooks.learn import central
from fourcorners.playbooks.ranking import read

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table

    from fourcorners.models.encoder import Encoder

LONGEST = 100
STRATEGIES = ((2_500, 500, 7), (3_500, 700, 5), (4_500, 900, 4))
"""Characters, overlap, and the number of chunks that makes them equal in characters."""


def experiment(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    *,
    encoder: Encoder,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Json]:
    """Return Recall@1 and Recall@K of each strategy, by provision and over all instances.

    The example is chosen among the clauses of other folds than the contract's.

    Raises:
        ConfigError: If there is none for a provision.
    """
    fold = dict(
        zip(
            (contract.name for contract in contracts),
            cuad.folds(list(contracts), k=FOLDS, seed=seed),
            strict=True,
        )
    )
    asked = _examples(contracts, fold, encoder)
    longest = sorted(contracts, key=lambda contract: -len(contract.text))[:LONGEST]
    counts: dict[tuple[str, int], list[Found]] = {}
    for done, contract in enumerate(longest, start=1):
        ready = read(library, document_id(contract.text))
        for size, overlap, most in STRATEGIES:
            chunks = fixed(len(contract.text), size, overlap)
            for provision in SEVEN:
                cosines = pooled(ready, chunks, asked[provision, fold[contract.name]])
                order = sorted(range(len(chunks)), key=lambda at: (-float(cosines[at]), at))
                for k in (1, most):
                    spans = [chunks[at] for at in order[:k]]
                    found = count(contract, provision, spans)
                    counts.setdefault((f"{size}-{overlap}", k), []).append(found)
        if on_progress:
            on_progress("Ranking chunks", done, len(longest))
    return {
        "contracts": len(longest),
        "strategies": {
            f"{size}-{overlap}": {
                f"recall@{k}": _by_provision(counts[f"{size}-{overlap}", k]) for k in (1, most)
            }
            for size, overlap, most in STRATEGIES
        },
    }


def _by_provision(counts: Sequence[Found]) -> dict[str, Json]:
    each: dict[str, Json] = {
        provision: round(recall(c for c in counts if c.provision == provision), 4)
        for provision in SEVEN
    }
    return {**each, "all": round(recall(counts), 4)}


def _examples(
    contracts: Sequence[AnnotatedContract], fold: Mapping[str, int], encoder: Encoder
) -> dict[tuple[str, int], NDArray[np.float32]]:
    import numpy as np

    found = {}
    for provision in SEVEN:
        marked = [
            (fold[contract.name], span.of(contract.text))
            for contract in contracts
            for span in contract.annotations[provision]
        ]
        vectors = encoder.encode([text for _, text in marked])
        folds = np.array([each for each, _ in marked])
        for held in range(FOLDS):
            rest = vectors[folds != held]
            if not len(rest):
                raise ConfigError(
                    f"all clauses of {provision!r} stand in the contracts of one fold.",
                    remedy="The chunking experiment needs more contracts.",
                )
            found[provision, held] = rest[central(rest, 1)]
    return found


def chunking_table(figures: Mapping[str, Json]) -> Table:
    """Return the experiment's figures beside the paper's."""
    from rich.table import Table

    table = Table(
        title=f"Chunking, the {figures['contracts']} longest contracts",
        title_justify="left",
        header_style="bold",
        caption=f"In brackets: {published()['source']}",
        caption_justify="left",
    )
    table.add_column("Provision")
    strategies = cast("Mapping[str, Mapping[str, Mapping[str, float]]]", figures["strategies"])
    for name, measured in strategies.items():
        for measure in measured:
            table.add_column(f"{name} {measure}", justify="right")
    paper = cast("Mapping[str, Mapping[str, Sequence[float]]]", published()["chunking"])
    for provision in (*SEVEN, "all"):
        cells = [
            f"{values[provision]:.1%} ({paper[provision][name][at]:.1f})"
            for name, measured in strategies.items()
            for at, values in enumerate(measured.values())
        ]
        table.add_row(provision, *cells, style="bold" if provision == "all" else None)
    return table
