"""What the entailment model learns from: ContractNLI's documents, their folds and their vectors."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners_bench.entailment.loader import Split, load_split

FOLDS = 5
Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Document:
    """Spans, with the label and the evidence of each hypothesis; `whole` if it has them all."""

    spans: tuple[str, ...]
    labels: NDArray[np.intp]
    evidence: NDArray[np.bool_]
    whole: bool


def read(data: Path) -> tuple[list[Document], Split]:
    """Read both splits; the rows of the training split are grouped by document."""
    split = load_split(data / "dev.json")
    keys = list(split.hypotheses)
    column = {split.hypotheses[key]: at for at, key in enumerate(keys)}
    with (data / "train_spans.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    documents = [
        _partial(rows[at : at + len(keys)], column) for at in range(0, len(rows), len(keys))
    ]
    for one in split.documents:
        evidence = np.zeros((len(one.spans), len(keys)), np.bool_)
        for at, key in enumerate(keys):
            evidence[sorted(one.truths[key].evidence), at] = True
        labels = np.array([LABELS.index(one.truths[key].label) for key in keys], np.intp)
        spans = tuple(span.text_in(one.text) for span in one.spans)
        documents.append(Document(spans, labels, evidence, True))
    return documents, split


def _partial(rows: Sequence[dict[str, str]], column: dict[str, int]) -> Document:
    if {row["hypothesis"] for row in rows} != set(column):
        raise ValueError("the rows of a document do not follow each other")
    place: dict[str, int] = {}
    labels = np.zeros(len(column), np.intp)
    marked: list[tuple[int, int]] = []
    for row in rows:
        at, label = column[row["hypothesis"]], int(row["label"])
        labels[at] = label
        for span in filter(str.strip, row["concatenated_spans"].split("\n")):
            place.setdefault(span, len(place))
            if LABELS[label] is not Label.NOT_MENTIONED:
                marked.append((place[span], at))
    evidence = np.zeros((len(place), len(column)), np.bool_)
    for span_at, at in marked:
        evidence[span_at, at] = True
    return Document(tuple(place), labels, evidence, False)


def folds_of(documents: Sequence[Document]) -> NDArray[np.intp]:
    """Return the fold of each document: both splits are spread over all folds."""
    random = np.random.default_rng(0)
    folds = np.zeros(len(documents), np.intp)
    for whole in (False, True):
        at = [place for place, each in enumerate(documents) if each.whole is whole]
        folds[np.array(at)[random.permutation(len(at))]] = np.arange(len(at)) % FOLDS
    return folds


def overlap(documents: Sequence[Document]) -> float:
    """Return the share of the whole documents' runs of eight words that the others hold too."""

    def runs(each: Document) -> set[str]:
        words = " ".join(each.spans).casefold().split()
        return {" ".join(words[at : at + 8]) for at in range(len(words) - 7)}

    others = set().union(*(runs(each) for each in documents if not each.whole))
    shares = [len(own & others) / len(own) for own in map(runs, (d for d in documents if d.whole))]
    return float(np.mean(shares))


class Remembered:
    """An encoder that encodes each text once, and keeps the vectors in a file between runs."""

    def __init__(self, encoder: Encoder, folder: Path | None) -> None:
        self._encoder = encoder
        digest = sha256(encoder.name.encode()).hexdigest()[:12]
        self._path = folder / f"vectors-{digest}.npz" if folder else None
        self._known: dict[str, Vectors] = {}
        if self._path and self._path.exists():
            with np.load(self._path, allow_pickle=False) as file:
                self._known = dict(zip(file["keys"].tolist(), file["vectors"], strict=True))

    @property
    def name(self) -> str:
        """Name the encoder."""
        return self._encoder.name

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._encoder.dimension

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text."""
        keys = [sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if new:
            made = self._encoder.encode(list(new.values()))
            self._known.update(zip(new, made, strict=True))
        rows = [self._known[key] for key in keys]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), np.float32)

    def save(self) -> None:
        """Write the vectors where they are kept."""
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            known_vectors = np.stack(list(self._known.values()))
            np.savez(self._path, keys=np.array(list(self._known)), vectors=known_vectors)
