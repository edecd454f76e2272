r"""Compare encoders on what none of ours has learned from.

    python -m training.encoder.judge --data DIR --library contracts.db --cache CACHE \
        --model RUN/minilm-l6-v2 --model RUN/int8 --out scores.json

A model is a folder with `model.onnx` and `tokenizer.json`, fp32 or int8. Measured: questions on
the held-out CUAD contracts, by cosine alone, over sentences with their headings and over passages,
and fused with words (what a search does that knows nothing of kinds of clauses); ACORD's held-out
queries and its valid split; evidence in ContractNLI's development documents; questions of kinds
that no lesson asks, answered by sections; and 41 logistic heads on the vectors of sentences.
Some six CPU-minutes a model; vectors are kept in CACHE.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from fourcorners.library.entries import EncoderRecord, Vectors
from fourcorners.library.store import Library
from fourcorners.models.card import CARD_FILE, ModelInfo, load_card
from fourcorners.models.encoder.onnx import OnnxEncoder
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.registry import DEFAULT_ENCODER, load_encoder
from fourcorners.search.scope import QuestionScope
from fourcorners.search.sentences.retrieve import retrieve_snippets
from fourcorners.text.span import Span, merge_spans
from fourcorners_bench.extraction.loader import CATEGORIES
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.measures.statistics import bootstrap_interval
from fourcorners_bench.precedents.loader import AcordQuery, Format, rank_by_score
from fourcorners_bench.precedents.score import score_run
from training.common.logistic import fit_many
from training.encoder.data import (
    HELD_FOLD,
    Array,
    Contract,
    Precedents,
    read_contracts,
    read_precedents,
)
from training.encoder.other_questions import ranks

DEPTHS = (1, 4, 16, 64)
OTHERS = 6_000  # sentences without a label that the heads learn from
STRENGTH = 4.0  # inverse penalty of the heads
SCALE = 10.0  # of vectors before the heads
FEWEST = 3  # sentences a category must have in the held-out fold to be counted
SAMPLES = 200  # of the bootstrap where a figure takes long

Rows = list[tuple[str, float]]  # a value, and the unit that is drawn in the bootstrap


def model_in(folder: Path, kind: str) -> ModelInfo:
    """Return what a folder holds, whether it has a card or not."""
    if (folder / CARD_FILE).is_file():
        return load_card(folder)
    files = ("model.onnx", "tokenizer.json")
    hashes = tuple(
        (name, hashlib.sha256((folder / name).read_bytes()).hexdigest()) for name in files
    )
    return ModelInfo(folder.name, "0", kind, "", 384, 256, "", str(folder), folder, hashes)


def encoder_in(folder: Path) -> OnnxEncoder:
    """Return the encoder of a folder; on one core."""
    return OnnxEncoder(model_in(folder, "encoder"), threads=1)


class Kept:
    """Encodes, and keeps what it has encoded in a folder."""

    def __init__(self, encoder: Encoder, cache: Path) -> None:
        self.encoder = encoder
        self._folder = cache / hashlib.sha256(encoder.name.encode()).hexdigest()[:16]
        self._folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, texts: Sequence[str]) -> Array:
        """Return the vectors of texts."""
        key = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:20]
        path = self._folder / f"{key}.npy"
        if not path.is_file():
            np.save(path.with_suffix(".part.npy"), self.encoder.encode(list(texts)))
            path.with_suffix(".part.npy").rename(path)
        found: Array = np.load(path)
        return found


class Swapped(Library):
    """A library with other vectors than it holds."""

    def lend(self, record: EncoderRecord, matrices: Mapping[str, Array]) -> None:
        """Give vectors by document."""
        self._record, self._matrices = record, matrices

    @property
    def encoder(self) -> EncoderRecord | None:
        """Name whose vectors are lent."""
        return self._record

    def vectors(self, collection: str | None = None, document: str | None = None) -> Vectors:
        """Return the lent vectors of a document."""
        if document is None:
            raise ValueError(f"only vectors of documents are lent, not of {collection}")
        matrix = self._matrices[document]
        return Vectors(np.arange(len(matrix)), matrix, (document,) * len(matrix))


def coverage(spans: Sequence[Span], gold: Sequence[Span]) -> dict[str, float]:
    """Return recall by characters at each depth, and the precision of the first."""
    total = sum(len(one) for one in gold)
    found = {}
    for depth in DEPTHS:
        hit = sum(
            max(0, min(span.end, one.end) - max(span.start, one.start))
            for span in merge_spans(spans[:depth])
            for one in gold
        )
        found[f"recall@{depth}"] = hit / total
        if depth == 1:
            found["precision@1"] = hit / len(spans[0])
    return found


def questions_of(data: Path, held: Sequence[Contract]) -> list[tuple[int, str, list[Span]]]:
    """Return the place of the contract, the question and its answers."""
    place = {contract.name: at for at, contract in enumerate(held)}
    tests = json.loads((data / "legalbench-rag/benchmarks/cuad.json").read_text("utf-8"))["tests"]
    found = []
    for test in tests:
        name = Path(test["snippets"][0]["file_path"]).name
        if name in place:
            asked = test["query"].split(";", 1)[1].strip()
            gold = merge_spans(Span(*snippet["span"]) for snippet in test["snippets"])
            found.append((place[name], asked, list(gold)))
    return found


def by_measure(rows: Sequence[Mapping[str, float]], units: Sequence[str]) -> dict[str, Rows]:
    """Turn rows of measures into a list of values for each."""
    names = rows[0].keys() if rows else ()
    return {
        name: [(unit, row[name]) for row, unit in zip(rows, units, strict=True)] for name in names
    }


def dense(
    held: Sequence[Contract],
    asked: Sequence[tuple[int, str, list[Span]]],
    vectors: Sequence[Array],
    spans: Callable[[Contract], list[Span]],
    encode: Kept,
) -> dict[str, Rows]:
    """Rank the pieces of each question's contract by cosine."""
    each = sorted({question for _, question, _ in asked})
    queries = dict(zip(each, encode(each), strict=True))
    pieces = [spans(contract) for contract in held]
    rows = []
    for at, question, gold in asked:
        order = np.argsort(-(vectors[at] @ queries[question]), kind="stable")[: max(DEPTHS)]
        rows.append(coverage([pieces[at][one] for one in order.tolist()], gold))
    return by_measure(rows, [held[at].name for at, _, _ in asked])


def in_sentences(contract: Contract) -> list[Span]:
    """Return the spans of the sentences."""
    return [Span(start, end) for start, end, _ in contract.sentences.tolist()]


def in_passages(contract: Contract) -> list[Span]:
    """Return the spans of the passages."""
    return [Span(start, end) for start, end, _ in contract.passages]


def fused(
    library: Path,
    held: Sequence[Contract],
    asked: Sequence[tuple[int, str, list[Span]]],
    vectors: Sequence[Array],
    encode: Kept,
) -> dict[str, Rows]:
    """Answer as a search does that knows no concepts: words and meaning, weights as fitted."""
    ids = [document_id(contract.text) for contract in held]
    rows = []
    with Swapped(library, create=False) as store:
        name, size = encode.encoder.name, encode.encoder.dimension
        store.lend(EncoderRecord(name, size), dict(zip(ids, vectors, strict=True)))
        for at, question, gold in asked:
            scope = QuestionScope(question, "", ((ids[at], 1.0),), is_certain=True)
            found = retrieve_snippets(store, scope, encoder=encode.encoder)
            rows.append(coverage([one.span for one in found.snippets], gold))
    return by_measure(rows, [held[at].name for at, _, _ in asked])


def precedents(
    queries: Sequence[AcordQuery], vectors: Mapping[str, Array], encode: Kept
) -> dict[str, Rows]:
    """Rank the judged clauses of each query by cosine; short wording, and short and long."""
    found: dict[str, Rows] = {}
    for label, forms in (("short", [Format.SHORT]), ("both", [Format.SHORT, Format.LONG])):
        run = []
        for query in queries:
            meant = encode([query.wording(form) for form in forms]).mean(axis=0)
            run.append(
                rank_by_score(
                    query.id, {clause: float(vectors[clause] @ meant) for clause in query.judged}
                )
            )
        for one in score_run(queries, run):
            for name, value in zip(("ndcg@5", "ndcg@10", "3-star"), one.values, strict=False):
                if value is not None:
                    found.setdefault(f"{label} {name}", []).append((one.query, value))
    return found


def evidence(data: Path, encode: Kept) -> dict[str, Rows]:
    """Rank the spans of each document by cosine to a hypothesis: the mean average precision."""
    dev = json.loads((data / "dev.json").read_text("utf-8"))
    hypotheses = {name: label["hypothesis"] for name, label in dev["labels"].items()}
    asked = dict(zip(hypotheses, encode(list(hypotheses.values())), strict=True))
    texts = [one["text"][start:end] for one in dev["documents"] for start, end in one["spans"]]
    vectors, first, rows = encode(texts), 0, []
    for document in dev["documents"]:
        own = vectors[first : first + len(document["spans"])]
        first += len(own)
        for name, annotation in document["annotation_sets"][0]["annotations"].items():
            if annotation["spans"]:
                right = np.zeros(len(own), bool)
                right[annotation["spans"]] = True
                rows.append((str(document["id"]), average_precision(own @ asked[name], right)))
    return {"mAP": rows}


def average_precision(scores: Array, right: NDArray[np.bool_]) -> float:
    """Return the mean precision at each right one; equal scores in their order."""
    hits = right[np.argsort(-scores, kind="stable")]
    if not hits.any():
        return 0.0
    return float((np.cumsum(hits)[hits] / (np.flatnonzero(hits) + 1)).mean())


def probe(
    learned: Sequence[Contract], held: Sequence[Contract], vectors: Sequence[Array], encode: Kept
) -> dict[str, list[float]]:
    """Fit a logistic head a category on sentences of the other folds; return areas, of 100."""
    random = np.random.default_rng(0)
    places = [(at, one) for at, each in enumerate(learned) for one in range(len(each.sentences))]
    marked = np.concatenate([contract.labels for contract in learned])
    rows = np.flatnonzero(marked.any(1))
    others = random.choice(np.flatnonzero(~marked.any(1)), OTHERS, replace=False)
    weight = np.r_[np.ones(len(rows)), np.full(OTHERS, (~marked.any(1)).sum() / OTHERS)]
    rows = np.r_[rows, others]
    texts = [learned[at].under_headings(one) for at, one in (places[row] for row in rows)]
    design = np.c_[SCALE * encode(texts), np.ones(len(rows))].astype(np.float32)
    heads = fit_many(design, marked[rows].astype(np.float32), STRENGTH, weight.astype(np.float32))
    asked = np.concatenate(vectors)
    scores = np.c_[SCALE * asked, np.ones(len(asked))].astype(np.float32) @ heads
    right = np.concatenate([contract.labels for contract in held])
    sizes = [len(contract.sentences) for contract in held]
    counted = [kind for kind in range(len(CATEGORIES)) if right[:, kind].sum() >= FEWEST]
    ends = np.cumsum(sizes)

    def figure(contracts: Sequence[int]) -> float:
        own = np.concatenate([np.arange(ends[at] - sizes[at], ends[at]) for at in contracts])
        kinds = [kind for kind in counted if right[own, kind].any()]
        return mean(average_precision(scores[own, kind], right[own, kind]) for kind in kinds)

    everyone = list(range(len(held)))
    low, high = bootstrap_interval(everyone, figure, samples=SAMPLES)
    found = {"mean": [round(100 * each, 1) for each in (figure(everyone), low, high)]}
    for kind in counted:
        area = average_precision(scores[:, kind], right[:, kind])
        found[CATEGORIES[kind]] = [round(100 * area, 1)]
    return found


def annotation(found: Mapping[str, Rows]) -> dict[str, list[float]]:
    """Return the mean of each measure with its interval over documents or queries, of 100."""
    parts: dict[str, list[float]] = {}
    for name, rows in found.items():
        units: dict[str, list[float]] = {}
        for unit, value in rows:
            units.setdefault(unit, []).append(value)

        def figure(drawn: Sequence[list[float]]) -> float:
            return mean(value for own in drawn for value in own)

        low, high = bootstrap_interval(list(units.values()), figure)
        parts[name] = [round(100 * each, 1) for each in (figure(list(units.values())), low, high)]
    return parts


PARTS = ("acord", "contractnli", "cuad", "other", "probe")


def judge(
    encoder: Encoder,
    data: Path,
    library: Path,
    contracts: Sequence[Contract],
    acord: Precedents,
    cache: Path,
    wanted: Sequence[str] = PARTS,
) -> dict[str, object]:
    """Measure one encoder."""
    encode = Kept(encoder, cache)
    found: dict[str, object] = {"encoder": encoder.name}
    if "acord" in wanted:
        both = (*acord.held, *acord.valid)
        ids = sorted({clause for query in both for clause in query.judged})
        vectors = dict(zip(ids, encode([acord.clauses[each] for each in ids]), strict=True))
        for label, queries in (("held out", acord.held), ("valid", acord.valid), ("both", both)):
            found[f"acord, {label}"] = annotation(precedents(queries, vectors, encode))
    if "contractnli" in wanted:
        found["contractnli, dev"] = annotation(evidence(data / "contractnli", encode))
    held = [each for each in contracts if each.fold == HELD_FOLD]
    asked = questions_of(data, held)
    if "other" in wanted:
        found["sections, questions of other kinds"] = annotation(ranks(held, encode))
    if {"cuad", "probe"} & set(wanted):
        sentences = [
            encode([each.under_headings(at) for at in range(len(each.sentences))]) for each in held
        ]
    if "cuad" in wanted:
        passages = [encode([each.passage(at) for at in range(len(each.passages))]) for each in held]
        found["cuad, sentences by cosine"] = annotation(
            dense(held, asked, sentences, in_sentences, encode)
        )
        found["cuad, passages by cosine"] = annotation(
            dense(held, asked, passages, in_passages, encode)
        )
        found["cuad, words and meaning fused"] = annotation(
            fused(library, held, asked, passages, encode)
        )
    if "probe" in wanted:
        learned = [each for each in contracts if each.fold != HELD_FOLD]
        found["cuad, AUPR of 41 heads on sentences"] = probe(learned, held, sentences, encode)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--model", type=Path, action="append", required=True)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    contracts = read_contracts(given.data / "cuad", given.library)
    acord = read_precedents(given.data / "acord", load_encoder(DEFAULT_ENCODER))
    measured_of = []
    for model in given.model:
        measured_of.append(
            judge(encoder_in(model), given.data, given.library, contracts, acord, given.cache,
                  given.part or PARTS)
        )  # fmt: skip
        for part, measures in measured_of[-1].items():
            for name, values in measures.items() if isinstance(measures, dict) else ():
                print(f"{model.name}: {part}, {name}: {values}", flush=True)
        if given.out:
            given.out.write_text(json.dumps(measured_of, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
