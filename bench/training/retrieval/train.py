r"""Fit how much each signal of retrieval counts: `src/fourcorners/search/sentences/weights.json`.

One logistic regression for all questions over the sentences of their contracts: does an annotation
cover most of the sentence? Where a concept is asked for (`known`), all signals count; the other
(`unknown`) is fitted as if none were known. Only contracts that the encoder has not learned from
count: on the others its vectors know more than they will. The run file holds out-of-fold answers,
the contract of each question given: five folds by `group`, so that no contract nor its like is in
both; what the encoder has learned from is answered with the weights that ship, and is no figure.

    python -m training.retrieval.train --data DIR/legalbench-rag --groups
    DIR/cuad/annotations.jsonl \
        --library contracts.db --run-out oof
    fourcorners bench score oof-cuad.jsonl --data DIR/legalbench-rag --unseen-by fourcorners-encoder

The library holds the contracts under the names of their files, with vectors. Takes some minutes.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.models.registry import DEFAULT_ENCODER
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.search.concepts import recognise_concepts
from fourcorners.search.scope import QuestionScope
from fourcorners.search.sentences.retrieve import SentenceRanking, retrieve_snippets
from fourcorners.search.sentences.signals import ASKED, KNOWN, signals
from fourcorners.search.sentences.units import ExampleVectors, sentence_index
from fourcorners.search.sentences.weights import FILE, LinearWeights, SignalWeights
from fourcorners.text.span import Span, merge_spans
from fourcorners_bench.retrieval.unseen import unseen_by

SETS = ("cuad", "contractnli")
FOLDS = 5
PENALTY = 1e-3  # L2, on standardised signals
STEPS = 30
COLUMNS = {
    # With concepts, the plain words of the question in the sentence count nothing of their own.
    "known": [at for at, name in enumerate((*ASKED, *KNOWN)) if name != "words"],
    "unknown": list(range(len(ASKED))),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the document that answers it, and what speaks for each sentence of that."""

    benchmark: str
    query: str
    asked: str
    file: str
    document: str
    fold: int
    unseen: bool
    signals: NDArray[np.float32]
    answers: NDArray[np.bool_]


def regress(
    signals: NDArray[np.float64], answers: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return weights and bias of a logistic regression, by Newton's method."""
    mean, spread = signals.mean(axis=0), signals.std(axis=0) + 1e-6
    rows = np.c_[(signals - mean) / spread, np.ones(len(signals))]
    penalty = np.r_[np.full(rows.shape[1] - 1, PENALTY), 1e-9]
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (chances - answers) / len(rows) + penalty * found
        bend = (rows * (chances * (1 - chances))[:, None]).T @ rows / len(rows)
        found -= np.linalg.solve(bend + np.diag(penalty), slope)
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)


def fit(cases: list[Case]) -> dict[str, LinearWeights]:
    """Fit both weighings."""
    answers = np.concatenate([case.answers for case in cases]).astype(float)
    fitted = {}
    for name, columns in COLUMNS.items():
        rows = np.concatenate([case.signals[:, columns] for case in cases]).astype(float)
        weights, bias = regress(rows, answers)
        names = [(*ASKED, *KNOWN)[at] for at in columns]
        rounded = [round(float(weight), 3) for weight in weights]
        fitted[name] = LinearWeights(
            bias=round(bias, 3), weights=dict(zip(names, rounded, strict=True))
        )
    return fitted


def read(data: Path, groups: dict[str, str], library: Library) -> list[Case]:
    """Return every question of the sets with the signals of its document's sentences."""
    encoder, concepts, ready = default_encoder(), default_concepts(), ExampleVectors()
    is_unseen = unseen_by(DEFAULT_ENCODER)
    paths = library.execute(
        "SELECT s.path, d.id FROM sources s JOIN documents d ON d.row=s.document"
    )
    documents = {Path(str(path)).name: str(document) for path, document in paths}
    meant, vectors, cases = {}, {}, []
    for benchmark in SETS:
        tests = json.loads((data / f"benchmarks/{benchmark}.json").read_text("utf-8"))["tests"]
        placed = []
        for at in sorted(range(len(tests)), key=lambda at: tests[at]["snippets"][0]["file_path"]):
            test = tests[at]
            file, asked = test["snippets"][0]["file_path"], test["query"].split(";", 1)[1].strip()
            if asked not in meant:
                known = recognise_concepts(asked, concepts)
                meant[asked] = [(ready.add_to(one, encoder), w) for one, w in known]
                vectors[asked] = encoder.encode([asked])[0]
            name = Path(file).name
            units = sentence_index(read_contract(library, documents[name]))
            gold = merge_spans(Span(*snippet["span"]) for snippet in test["snippets"])
            covered = [
                sum(min(unit.span.end, one.end) - max(unit.span.start, one.start)
                    for one in gold if one.overlaps(unit.span)) / len(unit.span)
                for unit in units.units
            ]  # fmt: skip
            group = sha256(groups.get(name, name).encode()).hexdigest()
            case = Case(
                benchmark,
                test["query"],
                asked,
                file,
                documents[name],
                int(group, 16) % FOLDS,
                is_unseen(library.text(documents[name])),
                signals(units, asked, vectors[asked], meant[asked]),
                np.array(covered) > 0.5,
            )
            placed.append((at, case))
        cases += [case for _, case in sorted(placed, key=lambda each: each[0])]
    return cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--groups", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--run-out", type=str, help="start of the names of the run files")
    options = parser.parse_args()
    lines = options.groups.read_text("utf-8").splitlines()
    groups = {line["name"]: line["group"] for line in map(json.loads, lines)}
    library = Library.open(options.library, create=False)
    cases = read(options.data, groups, library)
    learned_cases = [case for case in cases if case.unseen]
    whole = fit(learned_cases)
    content = {
        "provenance": f"training.retrieval.train over {len(learned_cases):,} questions of "
        "LegalBench-RAG's CUAD and ContractNLI sets, their contracts given, none of which the "
        f"encoder learned from; L2 {PENALTY}; out of fold, {FOLDS} folds by contract group.",
        **{name: {"bias": w.bias, "weights": dict(w.weights)} for name, w in whole.items()},
    }
    options.out.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    if not options.run_out:
        return
    encoder, concepts = default_encoder(), default_concepts()
    shipped = SignalWeights(provenance="", **whole)
    folds = [
        SignalWeights(provenance="", **fit([c for c in learned_cases if c.fold != fold]))
        for fold in range(FOLDS)
    ]
    for benchmark in SETS:
        with Path(f"{options.run_out}-{benchmark}.jsonl").open("w", encoding="utf-8") as run:
            for case in (case for case in cases if case.benchmark == benchmark):
                scope = QuestionScope(case.asked, "", ((case.document, 1.0),), is_certain=True)
                found = retrieve_snippets(
                    library,
                    scope,
                    encoder=encoder,
                    concepts=concepts,
                    ranking=SentenceRanking(folds[case.fold] if case.unseen else shipped),
                )
                snippets = [
                    {
                        "file_path": case.file,
                        "span": [one.span.start, one.span.end],
                        "score": one.score,
                    }
                    for one in found.snippets
                ]
                run.write(json.dumps({"query": case.query, "snippets": snippets}) + "\n")


if __name__ == "__main__":
    main()
