r"""Judge a reranker on what it has not learned from, alone and averaged with the search's scores.

    python training/judge_reranker.py --data DIR --library contracts.db --cache CACHE \
        --encoder ENCODER --model RUN/int8 --out scores.json

Measured: questions on the held-out CUAD contracts, the fifty best snippets of a search that knows
no kinds of clauses (and the sixteen best of one that does) put in a new order; ACORD's held-out
queries and its valid split, the hundred clauses that cosine and BM25 put first; what sixteen pairs
cost; and how well chances are calibrated (fitted on half of the contracts, measured on the other).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from math import log
from pathlib import Path

import numpy as np
from encoder_data import HELD_FOLD, Array, read_contracts, read_precedents
from judge_encoder import (
    Kept,
    Rows,
    Swapped,
    by_measure,
    coverage,
    encoder_in,
    model_in,
    questions_of,
    told,
)
from numpy.typing import NDArray

from fourcorners.evaluation.extraction.run import document_id
from fourcorners.evaluation.precedents.loader import AcordQuery, Format, rank_by_score
from fourcorners.evaluation.precedents.score import score_run
from fourcorners.library.entries import EncoderRecord
from fourcorners.models.registry import DEFAULT_ENCODER, load_encoder
from fourcorners.models.reranker.onnx import OnnxReranker
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.precedents.scoring.bm25 import Bm25
from fourcorners.search.scope import Scope
from fourcorners.search.sentences.retrieve import Snippet, retrieve_snippets
from fourcorners.text.span import Span

DEEP, WITH_CONCEPTS, CLAUSES = 50, 16, 100
EVERY = 5  # which of the questions are asked
OF_WORDS = 0.3  # what BM25 counts beside cosine
COVERED = 0.5  # of a snippet: then it answers


def standard(scores: Array) -> Array:
    """Return scores with mean 0 and spread 1."""
    return (scores - scores.mean()) / (scores.std() + 1e-9)


def precedents(
    queries: Sequence[AcordQuery], clauses: dict[str, str], encode: Kept, model: OnnxReranker
) -> dict[str, Rows]:
    """Rank each query's judged clauses; the reranker reads those that come first."""
    ids = sorted({clause for query in queries for clause in query.judged})
    vectors = dict(zip(ids, encode([clauses[each] for each in ids]), strict=True))
    corpus = sorted(clauses)
    words = Bm25([clauses[each] for each in corpus])
    found: dict[str, Rows] = {}
    runs: dict[str, list[object]] = {"found": [], "reranked": [], "averaged": []}
    for query in queries:
        asked = query.wording(Format.SHORT)
        lexical = dict(zip(corpus, words.scores(asked), strict=True))
        own = sorted(query.judged)
        meaning = np.array([vectors[each] for each in own]) @ encode([asked])[0]
        plain = np.array([lexical[each] for each in own])
        base = meaning + OF_WORDS * plain / max(1e-9, plain.max())
        first = np.argsort(-base, kind="stable")[:CLAUSES]
        read = model.stars(asked, [clauses[own[at]] for at in first.tolist()]).mean(axis=1)
        alone, both = base - base.max() - 100.0, base - base.max() - 100.0
        alone[first] = standard(read)
        both[first] = standard(read) + standard(base[first])
        for name, scores in (("found", base), ("reranked", alone), ("averaged", both)):
            runs[name].append(rank_by_score(query.id, dict(zip(own, scores.tolist(), strict=True))))
    for name, run in runs.items():
        for one in score_run(queries, run):
            for measure, value in zip(("ndcg@5", "ndcg@10", "3-star"), one.values, strict=False):
                if value is not None:
                    found.setdefault(f"{name} {measure}", []).append((one.query, value))
    return found


def log_odds(chance: float) -> float:
    """Return the logarithm of the odds of a chance."""
    sure = min(max(chance, 1e-6), 1 - 1e-6)
    return log(sure / (1 - sure))


def calibrated(logits: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[float, float]:
    """Return scale and shift of logits (Platt's), by Newton's method."""
    rows, line = np.c_[logits, np.ones_like(logits)], np.array([1.0, 0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(rows @ line, -30, 30)))
        slope = rows.T @ (chance - right)
        bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + 1e-6 * np.eye(2)
        line -= np.linalg.solve(bend, slope)
    return float(line[0]), float(line[1])


def calibration_error(chance: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over ten bins."""
    at = np.minimum((chance * 10).astype(int), 9)
    return float(
        sum(abs(chance[at == one].mean() - right[at == one].mean()) * (at == one).mean()
            for one in np.unique(at))
    )  # fmt: skip


def main() -> None:
    """Judge one reranker."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("data", "library", "cache", "encoder", "model", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    contracts = read_contracts(given.data / "cuad", given.library)
    held = [each for each in contracts if each.fold == HELD_FOLD]
    acord = read_precedents(given.data / "acord", load_encoder(DEFAULT_ENCODER))
    encode = Kept(encoder_in(given.encoder), given.cache)
    model = OnnxReranker(model_in(given.model, "reranker"), threads=1)
    report: dict[str, object] = {"reranker": model.name, "encoder": encode.encoder.name}

    queries = (*acord.held, *acord.valid)
    report["acord, held out and valid"] = told(
        precedents(queries, dict(acord.clauses), encode, model)
    )
    print(json.dumps(report, indent=1), flush=True)

    asked = questions_of(given.data, held)[::EVERY]
    ids = [document_id(contract.text) for contract in held]
    passages = [encode([c.passage(at) for at in range(len(c.passages))]) for c in held]
    concepts = default_concepts()
    rows: dict[str, list[dict[str, float]]] = {}
    units, logits, right, odd = [], [], [], []
    spent = pairs = 0.0
    with Swapped(given.library, create=False) as store:
        record = EncoderRecord(encode.encoder.name, encode.encoder.dimension)
        store.lend(record, dict(zip(ids, passages, strict=True)))
        for at, question, gold in asked:
            scope = Scope(question, "", ((ids[at], 1.0),), is_certain=True)
            units.append(held[at].name)
            for label, deep, known in (("plain", DEEP, ()), ("known", WITH_CONCEPTS, concepts)):
                snippets = retrieve_snippets(
                    store, question, scope=scope, encoder=encode.encoder, concepts=known
                ).snippets
                began = time.process_time()
                read = model.scores(question, [one.words for one in snippets[:deep]]).tolist()
                spent, pairs = spent + time.process_time() - began, pairs + len(read)
                orders = in_orders(snippets, read)
                for name, order in orders.items():
                    rows.setdefault(f"{label} {name}", []).append(coverage(order, gold))
                if label == "plain":
                    logits += read
                    right += [answers(one.span, gold) for one in snippets[:deep]]
                    odd += [at % 2 == 1] * len(read)
    for name, each in rows.items():
        report[f"cuad, {name}"] = told(by_measure(each, units))
    report["cpu_seconds_for_16_pairs"] = round(16 * spent / pairs, 3)
    values, labels, half = np.array(logits), np.array(right), np.array(odd)
    chance = np.empty(len(values))
    for own in (half, ~half):
        scale, shift = calibrated(values[~own], labels[~own])
        chance[own] = 1 / (1 + np.exp(-(scale * values[own] + shift)))
    scale, shift = calibrated(values, labels)
    report["calibration"] = {
        "scale": scale, "shift": shift, "error": calibration_error(chance, labels),
        "error_as_it_is": calibration_error(1 / (1 + np.exp(-values)), labels),
        "pairs": len(values), "answers": float(labels.mean()),
    }  # fmt: skip
    given.out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    for part, measures in report.items():
        print(part, json.dumps(measures))


def answers(span: Span, gold: Sequence[Span]) -> bool:
    """Tell whether at least half of a snippet is annotated."""
    hit = sum(max(0, min(span.end, one.end) - max(span.start, one.start)) for one in gold)
    return hit >= COVERED * len(span)


def in_orders(snippets: Sequence[Snippet], read: Sequence[float]) -> dict[str, list[Span]]:
    """Return the snippets as found, as reranked, and by the mean of both log-odds."""
    whole = [one.span for one in snippets]
    rest = whole[len(read) :]
    mean = [(log_odds(one.score) + logit) / 2 for one, logit in zip(snippets, read, strict=False)]

    def by(scores: Sequence[float]) -> list[Span]:
        order = sorted(range(len(scores)), key=lambda at: -scores[at])
        return [*(whole[at] for at in order), *rest]

    return {"found": whole, "reranked": by(read), "averaged": by(mean)}


if __name__ == "__main__":
    main()
