"""Teach a clause reader that has not learned from one fold of contracts, at a fraction of the cost.

What is judged on contracts that the shipped reader learned from flatters. This one has its own
first step, learned from the other four folds of CUAD (by `group`); its second step, thresholds
and match are the shipped reader's, whose few weights come from out-of-fold answers. Of the passages
without a label only `FEW` a contract are encoded, and of the sentences `EASY` are learned from,
each weighing for those left out: on contracts that neither knows it is no better than the shipped.

    python -m training.clause_reader.held_out --data DATA/cuad --out FOLDER [--held 0]
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from fourcorners.documents.read import read_document as read_file
from fourcorners.library.contract import Contract
from fourcorners.models import default_encoder
from fourcorners.models.card import save_card
from fourcorners.models.clause_reader.features import Sentences
from fourcorners.models.clause_reader.reader import FILE, MEANING_SCALE, build_layout
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import CATEGORIES, AnnotatedContract
from fourcorners_bench.extraction.run import document_id
from training.clause_reader.data import Read, labels
from training.clause_reader.export import packed_first
from training.clause_reader.train import MEANING, OUT, Course, learn_first
from training.common.logistic import fit_many

FEW = 15  # passages without a label that are encoded, a contract
EASY = 30_000  # sentences without a label that are learned from
FOLDS = 5
Array = NDArray[np.float32]


@dataclass(frozen=True)
class Lesson:
    """One contract: its sentences with labels, and some of its passages with theirs."""

    read: Read
    labels: Array
    vectors: Array
    marked: Array
    weight: Array


def lesson(
    contract: AnnotatedContract, encoder: Encoder, chosen: np.random.Generator, scratch: Path
) -> Lesson:
    """Read a contract as a review does, and encode the passages that are learned from."""
    scratch.write_bytes(contract.text.encode("utf-8"))
    document = read_file(scratch)
    outline = build_outline(document)
    cut = cut_passages(document, outline)
    reading = Contract.build(document, outline, read_card(document, outline), cut, None)
    spans = [segment.span for segment in reading.sentences]
    places = tuple(reading.headings[segment.passage] for segment in reading.sentences)
    within = np.array([segment.passage for segment in reading.sentences], np.int64)
    where = build_layout(Sentences(document.text, reading.index, spans, places), within)
    bounds = np.array([(span.start, span.end) for span in spans], np.int64).reshape(-1, 2)
    marked_labels = labels(contract, bounds)
    marked = np.zeros((len(reading.passages), len(CATEGORIES)), np.float32)
    np.maximum.at(marked, within, marked_labels)
    with_label = np.flatnonzero(marked.max(1) > 0)
    without = np.flatnonzero(marked.max(1) == 0)
    few = chosen.permutation(without)[:FEW]
    rows = np.concatenate([with_label, few]).astype(np.int64)
    texts = [
        f"{reading.passages[at].context}\n{reading.passages[at].span.text_in(document.text)}".lstrip()
        for at in rows.tolist()
    ]
    weight = np.ones(len(rows), np.float32)
    weight[len(with_label) :] = len(without) / max(1, len(few))
    none = np.zeros((0, encoder.dimension), np.float32)
    no_query = np.zeros((len(CATEGORIES), 0, 1), np.float16)
    return Lesson(
        Read(bounds, places, none, where, no_query, ()),
        marked_labels,
        encoder.encode(texts) if texts else none,
        marked[rows],
        weight,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--held", type=int, default=0, help="the fold that it does not see")
    options = parser.parse_args()
    everything = cuad.load_cuad(options.data)
    folds = cuad.assign_folds(everything, k=FOLDS)
    contracts = [one for one, at in zip(everything, folds, strict=True) if at != options.held]
    encoder, chosen = default_encoder(), np.random.default_rng(0)
    with tempfile.TemporaryDirectory(prefix="fourcorners-") as folder:
        scratch = Path(folder) / "contract.txt"
        lessons = [lesson(contract, encoder, chosen, scratch) for contract in contracts]
    marked_labels = np.concatenate([each.labels for each in lessons])
    document = np.repeat(np.arange(len(lessons)), [len(each.labels) for each in lessons])
    weight = (marked_labels.max(1) > 0).astype(np.float32)
    rest = np.flatnonzero(weight == 0)
    few = chosen.choice(rest, min(EASY, len(rest)), replace=False)
    weight[few] = len(rest) / len(few)
    reads = [each.read for each in lessons]
    course = Course(
        contracts, reads, np.zeros(len(reads), np.int64), document, marked_labels, weight
    )
    first = learn_first(course, np.arange(len(marked_labels)))[1:]
    vectors = np.concatenate([each.vectors for each in lessons])
    constant = np.ones((len(vectors), 1), np.float32)
    meaning = fit_many(
        np.concatenate([MEANING_SCALE * vectors, constant], axis=1),
        np.concatenate([each.marked for each in lessons]),
        MEANING,
        np.concatenate([each.weight for each in lessons]),
    )
    packed = packed_first(course.counted, first, meaning)
    with np.load(OUT / FILE) as shipped:
        packed |= {name: shipped[name] for name in ("second", "limits", "match")}
    file = BytesIO()
    np.savez_compressed(file, **packed)  # type: ignore[arg-type]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / FILE).write_bytes(file.getvalue())
    card = yaml.safe_load((OUT / "card.yaml").read_text("utf-8"))
    card["name"] = f"clause-reader-without-{options.held}"
    card["learned_from"] = " ".join(sorted(document_id(one.text) for one in contracts))
    card["files"] = {FILE: hashlib.sha256(file.getvalue()).hexdigest()}
    save_card(options.out, card)
    sys.stdout.write(f"{options.out}: learned from {len(contracts)} contracts\n")


if __name__ == "__main__":
    main()
