"""What a retrieval benchmark holds: documents, characters, questions (LegalBench-RAG, Tables 2, 3).

And which descriptions of documents are most alike, as its authors looked for them (section 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json, published_data
from fourcorners_bench.retrieval.loader import MINI_SUFFIX, QuestionSet, corpus_text

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.encoder.protocol import Encoder


@dataclass(frozen=True, slots=True)
class SetStatistics:
    """What a set holds; `published` tells the paper's counts from ours."""

    name: str
    documents: int
    characters: int
    questions: int
    published: bool = False

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def count_sets(sets: Sequence[QuestionSet], data: Path) -> list[SetStatistics]:
    """Count what sets hold, with what the paper says of the set of that name."""
    found = []
    for part in sets:
        lengths = [len(corpus_text(data, path)) for path in part.corpus]
        found.append(SetStatistics(part.name, len(lengths), sum(lengths), len(part.questions)))
        found += [each for each in _published_counts() if each.name == part.name]
    return found


def _published_counts() -> list[SetStatistics]:
    return [
        SetStatistics(
            f"{each['set']}{MINI_SUFFIX if each['mini'] else ''}",
            each["documents"],
            each["characters"],
            each["queries"],
            published=True,
        )
        for each in published_data("retrieval")["statistics"]
    ]


def statistics_table(found: Sequence[SetStatistics]) -> Table:
    heads = ("documents", "characters", "average", "questions")
    table = figure_table("What the sets hold", "Set", *heads)
    for each in found:
        average = each.characters / each.documents if each.documents else 0.0
        counts = (each.documents, each.characters, round(average), each.questions)
        name = f"  {each.name}, the paper's" if each.published else each.name
        style = "dim" if each.published else None
        table.add_row(name, *(f"{count:,}" for count in counts), style=style)
    return table


@dataclass(frozen=True, slots=True)
class AlikePair:
    """Two descriptions and the cosine of their vectors."""

    first: str
    second: str
    cosine: float


def most_alike(sets: Sequence[QuestionSet], encoder: Encoder, count: int) -> list[AlikePair]:
    """Return the pairs of descriptions, of different documents of a set, that are most alike."""
    import numpy as np

    pairs: list[AlikePair] = []
    for part in sets:
        names = sorted({question.description for question in part.questions})
        vectors = encoder.encode(names)
        rows, columns = np.triu_indices(len(names), k=1)
        cosines = (vectors @ vectors.T)[rows, columns]
        pairs += [
            AlikePair(names[rows[at]], names[columns[at]], float(cosines[at]))
            for at in np.argsort(-cosines, kind="stable")[:count].tolist()
        ]
    return sorted(pairs, key=lambda each: -each.cosine)[:count]


def too_alike(descriptions: Mapping[str, str], encoder: Encoder, least: float) -> list[str]:
    """Return the files with a description whose vector is at least so like another's."""
    import numpy as np

    files = list(descriptions)
    vectors = encoder.encode([descriptions[file] for file in files])
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    return [
        file for file, row in zip(files, cosines, strict=True) if row.max(initial=-1.0) >= least
    ]


def alike_table(pairs: Sequence[AlikePair]) -> Table:
    title = "The descriptions that are most alike"
    table = figure_table(title, "cosine", "description", "description", left=3, wrap_words=True)
    for each in pairs:
        table.add_row(f"{each.cosine:.3f}", each.first, each.second)
    return table
