"""Teach the clause reader: `src/fourcorners/models/weights/clause-reader/`.

First step: for each of CUAD's 41 categories a logistic regression over the words of a sentence
(`models.clause_reader.features`), and one over the vector of its passage. Second step: a small
logistic regression over what the first says of the sentence, its neighbours and its contract, and
over the signs of the playbook's query. The second step learns from first-step answers that are out
of fold: five folds by `group`. What is quoted is chosen by `clause_reader.thresholds`: thresholds,
and how sure the playbook's query must be to count with the reader. The run file holds out-of-fold
answers of what ships, the query included; all that is chosen is chosen on the other four folds. Of
the query alone the curve is the shipped one (`calibration.json`, 13 weights over all contracts).

    fourcorners bench extraction --data DIR/cuad --library cuad.db     # reads and encodes, once
    python -m training.clause_reader.train --data DIR/cuad --library cuad.db --run-out oof.jsonl
    fourcorners bench score oof.jsonl --data DIR/cuad

Needs `pip install './bench[training]'`. Some five CPU-minutes and 3 GB; the seed is fixed. What is
done is kept in `--cache`: a stopped run continues where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_dir

from fourcorners.models.card import save_card
from fourcorners.models.clause_reader.features import PARTS, SCALES
from fourcorners.models.clause_reader.reader import (
    FILE,
    MEANING_FEATURES,
    MEANING_SCALE,
    QUERY_FEATURES,
    score_vectors,
    second_step_features,
)
from fourcorners.models.registry import DEFAULT_ENCODER, load_encoder
from fourcorners.review.extract.cells import (
    MAX_READER_CHARACTERS,
    add_introductions,
    choose_candidates,
    join_quotes,
)
from fourcorners.review.extract.reader import (
    date_quote,
    match_candidates,
    merge_candidates,
    narrow_candidates,
    query_hash,
    rescale_probability,
)
from fourcorners.review.extract.scoring import FEATURES, Curve, default_calibration, top_positions
from fourcorners.text.span import Span
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import (
    CATEGORIES,
    CATEGORY_PROVISIONS,
    MAX_CANDIDATES,
    NINE_PROVISIONS,
    AnnotatedContract,
    Extraction,
)
from fourcorners_bench.extraction.precision_recall import contract_tallies, pooled_curve
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.extraction.score import macro_means, score_run
from fourcorners_bench.run_files import write_lines
from training.clause_reader import match
from training.clause_reader.data import (
    FEWEST,
    Counted,
    Read,
    count_words,
    labels,
    provisions,
    read_all,
)
from training.clause_reader.export import Masks, pack, packed_first, quantised
from training.clause_reader.thresholds import (
    DEEPEST,
    MARGINS,
    MISLEADING,
    MISLED,
    Limits,
    Prefixes,
    choose_margin,
    prefixes,
)
from training.common.logistic import fit_many, fit_one

OUT = Path(__file__).parents[3] / "src/fourcorners/models/weights/clause-reader"
CACHE = Path(user_cache_dir("fourcorners")) / "clause-reader"
FOLDS = 5
FIRST, MEANING, SECOND = 8.0, 3.0, 0.002  # inverses of the L2 penalties
HARD, EASY = 18_000, 14_000  # sentences without a label that are learned from
DEEP = 40  # sentences a contract and category that the second step learns from
Array = NDArray[np.float32]
Candidates = list[list[tuple[Span, float]]]
# The signs of the second step that say nothing for a document without vectors.
OF_MEANING = [
    *MEANING_FEATURES,
    *(QUERY_FEATURES + FEATURES.index(name) for name in ("meaning", "meaning_of_best")),
]


@dataclass(frozen=True)
class Course:
    """All that is learned from, sentence by sentence over all contracts."""

    contracts: list[AnnotatedContract]
    reads: list[Read]
    fold: NDArray[np.int64]
    document: NDArray[np.int64]
    labels: NDArray[np.float32]
    weight: NDArray[np.float32]

    @cached_property
    def counted(self) -> Counted:
        """Return the words of all sentences."""
        return count_words(self.contracts, self.reads)

    @cached_property
    def digest(self) -> str:
        """Return a hash of all sentences and vectors."""
        digest = hashlib.sha256()
        for each in self.reads:
            for array in (each.spans, each.vectors, each.query):
                digest.update(array.tobytes())
        return digest.hexdigest()

    @cached_property
    def spans(self) -> list[list[Span]]:
        """Return the sentences of each contract."""
        return [[Span(start, end) for start, end in each.spans.tolist()] for each in self.reads]

    def of(self, at: int) -> slice:
        """Return the rows of a contract."""
        low, high = np.searchsorted(self.document, [at, at + 1])
        return slice(int(low), int(high))


def gather(data: Path, library: Path, cache: Path, seed: int) -> Course:
    """Read everything."""
    contracts = cuad.load_cuad(data)
    reads = read_all(contracts, library, cache)
    document = np.repeat(np.arange(len(reads)), [len(each.spans) for each in reads])
    marked = np.concatenate(
        [labels(contract, each.spans) for contract, each in zip(contracts, reads, strict=True)]
    )
    asked = np.concatenate([each.query[:, :, 0].max(0) for each in reads]).astype(np.float32)
    return Course(
        contracts,
        reads,
        np.array(cuad.assign_folds(contracts, k=FOLDS, seed=seed)),
        document,
        marked,
        sample(marked, asked, seed),
    )


def sample(marked: NDArray[np.float32], asked: NDArray[np.float32], seed: int) -> Array:
    """Weigh the sentences: all with a label, those that queries match best, a share of the rest."""
    weight = np.zeros(len(marked), np.float32)
    weight[marked.max(1) > 0] = 1.0
    rest = np.flatnonzero(marked.max(1) == 0)
    rest = rest[np.argsort(-asked[rest], kind="stable")]
    easy = np.random.default_rng(seed).choice(rest[HARD:], EASY, replace=False)
    weight[rest[:HARD]] = 1.0
    weight[easy] = (len(rest) - HARD) / EASY
    return weight


def learn_first(course: Course, learned: NDArray[np.int64]) -> tuple[Array, Array, Array, Masks]:
    """Fit the first step's words; return rows' log-odds, weights, rarity and what is kept."""
    rows, cache_file, rarity = course.counted.weighed(learned, course.document)
    used = learned[course.weight[learned] > 0]
    heads = fit_many(rows[used], course.labels[used], FIRST, course.weight[used])
    sizes = [int(cache_file[part].sum()) for part in PARTS]
    stored, scale = quantised(heads[:-1], sizes)
    heads[:-1] = stored * np.repeat(scale, sizes, axis=0)
    return rows @ heads, heads, rarity, cache_file


def learn_meaning(course: Course, contracts: Sequence[int]) -> Array:
    """Fit the heads on the vectors of passages."""
    rows, targets = [], []
    for at in contracts:
        each = course.reads[at]
        marked = np.zeros((len(each.vectors), len(CATEGORIES)), np.float32)
        np.maximum.at(marked, each.where.passages, course.labels[course.of(at)])
        constant = np.ones((len(each.vectors), 1), np.float32)
        rows.append(np.concatenate([MEANING_SCALE * each.vectors, constant], axis=1))
        targets.append(marked)
    heads = fit_many(np.concatenate(rows), np.concatenate(targets), MEANING)
    return heads.astype(np.float16).astype(np.float32)


def out_of_fold(course: Course, cache: Path, only: Sequence[int]) -> tuple[Array, Array]:
    """Return the first step's log-odds of every sentence, by words and by meaning."""
    words = np.zeros_like(course.labels)
    meaning = np.zeros_like(course.labels)
    for held in only:
        cache_file = cache / f"first-{held}.npy"
        inside = np.flatnonzero(course.fold != held)
        outside = np.flatnonzero(course.fold == held)
        rows = np.flatnonzero(np.isin(course.document, outside))
        if not cache_file.exists():
            started = time.monotonic()
            learned = np.flatnonzero(np.isin(course.document, inside))
            found = learn_first(course, learned)[0][rows]
            heads = learn_meaning(course, inside)
            meant = np.concatenate(
                [
                    score_vectors(course.reads[at].vectors, heads)[course.reads[at].where.passages]
                    for at in outside
                ]
            )
            np.save(cache_file.with_suffix(".part.npy"), np.stack([found, meant]))
            cache_file.with_suffix(".part.npy").rename(cache_file)
            print(f"fold {held}: {time.monotonic() - started:.0f} s", flush=True)
        words[rows], meaning[rows] = np.load(cache_file)
    return words, meaning


def all_signs(course: Course, words: Array, meaning: Array, kind: int) -> Array:
    """Return what the second step weighs, for all sentences."""
    return np.concatenate(
        [
            second_step_features(
                words[course.of(at)],
                meaning[course.of(at)],
                each.query[kind].astype(np.float32),
                each.where,
                kind,
            ).rows()
            for at, each in enumerate(course.reads)
        ]
    )


def deep(course: Course, words: Array, kind: int) -> NDArray[np.bool_]:
    """Tell which sentences are among the first of their contract."""
    found = np.zeros(len(words), np.bool_)
    for at in range(len(course.reads)):
        rows = course.of(at)
        first = np.argsort(-words[rows, kind], kind="stable")[:DEEP]
        found[rows.start + first] = True
    return found


def fit_second(rows: Array, target: Array) -> NDArray[np.float64]:
    """Fit a head of the second step; its last weight is the constant."""
    mean, spread = rows.mean(0, dtype=np.float64), rows.std(0, dtype=np.float64) + 1e-3
    scaled = np.concatenate([(rows - mean) / spread, np.ones((len(rows), 1))], axis=1)
    head = fit_one(scaled, target.astype(np.float64), SECOND)
    head[:-1] /= spread
    head[-1] -= head[:-1] @ mean
    return head


def answer(rows: Array, head: NDArray[np.float64]) -> Array:
    """Return the probabilities of a head of the second step."""
    odds = rows.astype(np.float64) @ head[:-1] + head[-1]
    return (1 / (1 + np.exp(-odds))).astype(np.float32)


def ranked(course: Course, probability: Array, kind: int, most: int) -> Candidates:
    """Return for each contract what a review would consider, best first."""
    _, provision = CATEGORY_PROVISIONS[CATEGORIES[kind]]
    return [
        merge_candidates(
            contract.text, course.spans[at], probability[course.of(at)], provision, most
        )
        for at, contract in enumerate(course.contracts)
    ]


def said_by_query(course: Course, kind: int) -> tuple[Array, Curve]:
    """Return what the playbook's query says of all sentences by its curve, and the curve."""
    curve = default_calibration().curve(CATEGORY_PROVISIONS[CATEGORIES[kind]][1], meaning=True)
    rows = np.concatenate([each.query[kind].astype(np.float32) for each in course.reads])
    return curve.probability(rows), curve


def judged_at(
    course: Course, probability: Array, query_says: tuple[Array, Curve], kind: int
) -> list[Prefixes]:
    """Judge what would be quoted at each margin of the query, before thresholds are known."""
    query, curve = query_says
    category, provision = CATEGORIES[kind], CATEGORY_PROVISIONS[CATEGORIES[kind]][1]
    judged = []
    for margin in MARGINS:
        sure = rescale_probability(query, curve, 1.0, margin) > 0
        blended = np.where(sure, 1.0 + np.maximum(query, 1e-3), probability)
        found = [
            [
                (date_quote(contract.text, span, provision), score)
                for span, score in narrow_candidates(contract.text, each, provision)
            ]
            for contract, each in zip(
                course.contracts, ranked(course, blended, kind, DEEPEST), strict=True
            )
        ]
        judged.append(prefixes(course.contracts, found, category))
    return judged


def facts_of(course: Course, kind: int, at: int) -> list[tuple[Span, float]]:
    """Return the facts of the contract card that answer a category, the surest first."""
    return sorted(course.reads[at].facts[kind], key=lambda each: -each[1])


@dataclass(frozen=True, slots=True)
class Second:
    """The second step of one category: its heads, out-of-fold answers, and what they would quote.

    `judged` has an entry for each of `MARGINS`.
    """

    heads: NDArray[np.float32]
    probability: Array
    judged: list[Prefixes]


def learn_second(course: Course, words: Array, meaning: Array, kind: int) -> Second:
    """Fit the second step of one category in folds and whole."""
    rows = all_signs(course, words, meaning, kind)
    target = course.labels[:, kind]
    learnable = deep(course, words, kind) | (target > 0)
    fold = course.fold[course.document]
    probability = np.zeros(len(rows), np.float32)
    for held in range(FOLDS):
        head = fit_second(rows[learnable & (fold != held)], target[learnable & (fold != held)])
        probability[fold == held] = answer(rows[fold == held], head)
    silent = rows.copy()
    silent[:, OF_MEANING] = 0.0
    heads = [fit_second(each[learnable], target[learnable]) for each in (rows, silent)]
    judged = judged_at(course, probability, said_by_query(course, kind), kind)
    return Second(np.array(heads, np.float32), probability, judged)


@dataclass(frozen=True, slots=True)
class Quoting:
    """What one category quotes: two thresholds, a margin, and the out-of-fold answers."""

    limits: tuple[float, float, float]
    run: list[Extraction]
    found: list[match.Candidates]


def choose_quotes(course: Course, second: Second, kind: int) -> Quoting:
    """Choose what one category quotes, and answer each fold as chosen on the others."""
    run: list[Extraction] = []
    seen: list[match.Candidates] = []
    query_says = said_by_query(course, kind)
    least = MISLED if CATEGORIES[kind] in MISLEADING else 0.0
    for held in range(FOLDS):
        at, limits = choose_margin(second.judged, course.fold != held, least)
        sure = rescale_probability(*query_says, limits.found, MARGINS[at])
        blended = np.maximum(second.probability, sure)
        found = ranked(course, blended, kind, MAX_CANDIDATES)
        for contract in np.flatnonzero(course.fold == held):
            run.append(quoted(course, int(contract), kind, found[contract], limits))
            rows = course.of(contract)
            read = (
                *(second.probability[rows], query_says[0][rows]),
                *(course.reads[contract].where, course.spans[contract]),
            )
            shown = [span for span, _ in found[contract]]
            best = top_positions(blended[rows], len(shown))
            place = (int(contract), kind)
            seen.append(match.candidates(course.contracts[contract], place, read, best, shown))
    at, limits = choose_margin(second.judged, np.ones(len(course.contracts), np.bool_), least)
    return Quoting((limits.found, limits.also, MARGINS[at]), run, seen)


def quoted(
    course: Course, at: int, kind: int, found: Sequence[tuple[Span, float]], limits: Limits
) -> Extraction:
    """Return the answer for one contract, as a review would give it, but for candidates."""
    category, provision = CATEGORIES[kind], CATEGORY_PROVISIONS[CATEGORIES[kind]][1]
    contract, known = course.contracts[at], facts_of(course, kind, at)
    least = (0.0, 0.0) if known else (limits.found, limits.also)
    likely = known or narrow_candidates(contract.text, found[:DEEPEST], provision)
    chosen = choose_candidates(likely, *least, MAX_READER_CHARACTERS)
    if not known:
        chosen = add_introductions(chosen, course.spans[at], contract.text)
    chosen = [(date_quote(contract.text, span, provision), score) for span, score in chosen]
    return Extraction(
        contract.name,
        category,
        tuple(span for span, _ in join_quotes(chosen, contract.text)),
        (known or found or [(Span(0, 0), 0.0)])[0][1],
    )


def ordered(course: Course, quotings: Sequence[Quoting]) -> tuple[list[Extraction], Array]:
    """Return the answers with their candidates in order, and the weights of all contracts."""
    seen = [each for quoting in quotings for each in quoting.found]
    folded = [match.learn_matches(seen, list(course.fold != held)) for held in range(FOLDS)]
    run = []
    for line, each in zip((x for q in quotings for x in q.run), seen, strict=True):
        weights = folded[course.fold[each.contract]][each.kind]
        known = facts_of(course, each.kind, each.contract)
        best = match_candidates(each.spans, each.signs, weights)
        run.append(replace(line, candidates=tuple([*known, *best][:MAX_CANDIDATES])))
    everywhere = [True] * len(course.contracts)
    return run, match.learn_matches(seen, everywhere)


def card(course: Course, content: bytes, run: Sequence[Extraction], seed: int) -> dict[str, object]:
    """Return the model's card."""
    scores = score_run(course.contracts, run)
    curve = pooled_curve(contract_tallies(course.contracts, run).values())
    asked = provisions()
    return {
        "name": "clause-reader",
        "version": "1",
        "kind": "clause-reader",
        "description": "Logistic regressions over words, passage vectors and query signs: how "
        "likely a sentence belongs to each of 41 kinds of clause.",
        "dimension": len(CATEGORIES),
        "max_tokens": 0,
        "licence": "Apache-2.0",
        "source": "trained on CUAD v1 (The Atticus Project, CC BY 4.0): annotations of the "
        f"{len(course.contracts)} contracts listed below",
        "command": "python -m training.clause_reader.train",
        "seed": seed,
        "encoder": load_encoder(DEFAULT_ENCODER).name,
        "kinds": [each.provision.id for each in asked],
        "queries": [query_hash(each.provision) for each in asked],
        "out_of_fold": {
            "nine": {
                key: round(value, 4)
                for key, value in macro_means(scores.provisions, NINE_PROVISIONS).items()
            },
            "all": {
                key: round(value, 4)
                for key, value in macro_means(scores.provisions, CATEGORIES).items()
            },
            "area_under_precision_recall": round(curve.area, 4),
            "precision_at_80_recall": round(curve.at_80, 4),
        },
        "limits": "American commercial contracts filed with the SEC, in English. Other drafting "
        "styles score lower; probabilities are of CUAD's labels.",
        "learned_from": " ".join(sorted(document_id(each.text) for each in course.contracts)),
        "files": {FILE: hashlib.sha256(content).hexdigest()},
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True, help="with the contracts' vectors")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--run-out", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    course = gather(arguments.data, arguments.library, arguments.cache, arguments.seed)
    settings = [SCALES, FEWEST, FIRST, MEANING, HARD, EASY, arguments.seed, course.digest]
    digest = hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:12]
    cache = arguments.cache / digest
    cache.mkdir(parents=True, exist_ok=True)
    words, meaning = out_of_fold(course, cache, range(FOLDS))
    seconds, quotings = [], []
    settings = [
        *(digest, DEEP, SECOND, OF_MEANING, DEEPEST, MARGINS, MAX_READER_CHARACTERS),
        default_calibration().version,
    ]
    cache_file = cache / hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:12]
    cache_file.mkdir(exist_ok=True)
    for kind, category in enumerate(CATEGORIES):
        path = cache_file / f"{kind}.pickle"
        if not path.exists():
            second = learn_second(course, words, meaning, kind)
            path.with_suffix(".part").write_bytes(pickle.dumps(second))
            path.with_suffix(".part").rename(path)
        seconds.append(pickle.loads(path.read_bytes()))  # noqa: S301 - our own cache
        quotings.append(choose_quotes(course, seconds[-1], kind))
        found, also, margin = quotings[-1].limits
        print(f"{category}: found from {found}, quoted from {also}, query {margin}", flush=True)
    run, match = ordered(course, quotings)
    if arguments.run_out:
        write_lines(arguments.run_out, run)
    path = cache / "first.pickle"
    if not path.exists():
        first = learn_first(course, np.arange(len(course.labels)))[1:]
        everything = learn_meaning(course, range(len(course.reads)))
        path.write_bytes(pickle.dumps(packed_first(course.counted, first, everything)))
    packed = pickle.loads(path.read_bytes())  # noqa: S301 - our own cache
    content = pack(
        packed, [each.heads for each in seconds], [each.limits for each in quotings], match
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / FILE).write_bytes(content)
    save_card(arguments.out, card(course, content, run, arguments.seed))
    print(f"{arguments.out}: {len(content) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
