"""What one contract costs all models, part by part, in CPU seconds, and what is read twice.

    python -m benchmarks.reading_cost --data ../shared/data/cuad

The contracts nearest to a length are read as the commands do it: their passages with the headings
that they stand under (`add`), 41 provisions by the clause reader and 17 rules by the entailment
model (`review`), and their clauses ranked for a query (`precedents`), where only those that hold no
whole passages are read. The figures are medians over contracts of CPU seconds of this process, on
one thread. Tokens are those that the encoder reads.
`again` are the tokens of texts that an earlier part has read, word for word: no memory of vectors
by text could spare more.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from fourcorners.documents.read import read_document as read_document
from fourcorners.library.prepare import text_with_context
from fourcorners.models.card import load_card as read_model_card
from fourcorners.models.entailment.spans import split_items
from fourcorners.models.registry import DEFAULT_ENCODER, WEIGHTS
from fourcorners.models.session import read_tokenizer
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.precedents.scoring.score import score_clauses
from fourcorners.review.extract.cells import MAX_CANDIDATES
from fourcorners.review.extract.scoring import has_meaning
from fourcorners.review.prepared_document import prepare_document
from fourcorners_bench.performance.cost import Models, clauses_of, load_models, texts_nearest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from fourcorners.models.encoder.protocol import Encoder

QUERY = "mutual cap on liability with an exception for confidentiality"


@dataclass(slots=True)
class Part:
    """What a part of the reading took: `encoding` is of `seconds`, `again` of `tokens`."""

    seconds: float = 0.0
    encoding: float = 0.0
    texts: int = 0
    tokens: int = 0
    again: int = 0


@dataclass
class Watch:
    """An encoder that notes what it is given, and the CPU seconds, under the part at work."""

    encoder: Encoder
    tokenizer: Tokenizer
    parts: dict[str, Part] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    at: Part = field(default_factory=Part)

    @property
    def name(self) -> str:
        """Return the encoder's own name."""
        return self.encoder.name

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self.encoder.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the encoder's vectors; the tokens are counted before the clock runs."""
        began = time.process_time()
        for text in dict.fromkeys(texts):
            length = len(self.tokenizer.encode(text).ids)
            self.at.texts += 1
            self.at.tokens += length
            self.at.again += length if text in self.seen else 0
        self.seen.update(texts)
        counted = time.process_time()
        vectors = self.encoder.encode(texts)
        self.at.encoding += time.process_time() - counted
        self.at.seconds -= counted - began  # the counting is no part of the reading
        return vectors

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Take the time of a part."""
        self.at = self.parts[name] = Part()
        began = time.process_time()
        yield
        self.at.seconds += time.process_time() - began


def watched(path: Path, models: Models, tokenizer: Tokenizer) -> tuple[int, dict[str, Part]]:
    """Have all models read a contract; return its characters, and what each part took."""
    watch = Watch(models.encoder, tokenizer)
    document = read_document(path)
    outline = build_outline(document)
    text = document.text
    reading = prepare_document(
        document, outline, read_card(document, outline), cut_passages(document, outline), None
    )
    with watch.part("passages (add)"):
        told = [
            text_with_context(each.context, each.span.text_in(text)) for each in reading.passages
        ]
        reading = replace(reading, vectors=watch.encode(told))
    with watch.part("clause reader (review)"):
        heard = models.judge.read(reading)
        for each in models.provisions:
            curve = models.calibration.curve(each.provision.id, meaning=has_meaning(reading, each))
            models.judge.candidates(reading, each, heard, curve, MAX_CANDIDATES)
    with watch.part("entailment (review)"):
        spans = split_items(text, [unit.span for unit in reading.segments])
        replace(models.entailment, encoder=watch).judge(text, spans, models.statements)
    with watch.part("clauses (precedents)"):
        score_clauses([QUERY], clauses_of(reading, watch))
    return len(text), watch.parts


def middle(found: Sequence[dict[str, Part]]) -> dict[str, dict[str, float]]:
    """Return the medians over the contracts: of each part, and of all parts together."""
    names = ("seconds", "encoding", "texts", "tokens", "again")
    figures = {
        part: {name: median(getattr(each[part], name) for each in found) for name in names}
        for part in found[0]
    }
    figures["all"] = {
        name: median(sum(getattr(part, name) for part in each.values()) for each in found)
        for name in names
    }
    return figures


def table(title: str, figures: dict[str, dict[str, float]]) -> Table:
    """Return the figures as a table."""
    shown = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for head in ("", "CPU s", "of it encoding", "texts", "tokens", "again"):
        shown.add_column(head, justify="right" if head else "left", no_wrap=True)
    for part, of in figures.items():
        shown.add_row(
            part,
            *(f"{of[name]:.2f}" for name in ("seconds", "encoding")),
            *(f"{of[name]:,.0f}" for name in ("texts", "tokens", "again")),
        )
    return shown


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of CUAD")
    parser.add_argument("--characters", type=int, default=50_000)
    parser.add_argument("--contracts", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the figures, too")
    asked = parser.parse_args()
    models = load_models(1)
    tokenizer = read_tokenizer(read_model_card(WEIGHTS / DEFAULT_ENCODER))
    paths = texts_nearest(asked.data, asked.characters, asked.contracts)
    watched(paths[0], models, tokenizer)  # so that nothing is loaded while the clock runs
    found = [watched(path, models, tokenizer) for path in paths]
    figures = middle([parts for _, parts in found])
    length = median(characters for characters, _ in found)
    title = f"A contract of {length:,.0f} characters: medians of {len(found)}"
    Console().print(table(title, figures))
    if asked.json:
        asked.json.write_text(json.dumps({"characters": length, "parts": figures}, indent=1))


if __name__ == "__main__":
    main()
