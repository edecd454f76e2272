r"""Train the entailment model: `src/fourcorners/models/weights/entailment`.

It learns from ContractNLI: the evidence of its training split (`train_spans.csv`: of each document,
what was marked for any hypothesis, and some spans that were not) and the whole documents of its
development split. Each stage learns from what the stage before says of documents that it has not
learned from: five folds by document.

1. Evidence, one head a hypothesis: logistic regression on runs and pairs of words.
2. Evidence again, by trees over the first scores of a span, its neighbours and its list's lead-in.
3. Labels by the words of the likely evidence: a head of three, and one of two on marked evidence.
4. The label, from both heads and the evidence's scores.
5. For other hypotheses: evidence and label by shared words, meaning and denials.

    python training/train_entailment.py --data DIR/contractnli --run-out oof.jsonl [--weights]

The run file holds the development documents out of fold, as they are after pruning and rounding;
with `--left-out FILE` also the answers to each hypothesis by a model that has seen neither it nor
the document. Some minutes on one core; needs scikit-learn.
"""

from __future__ import annotations

import argparse
import csv
import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import sklearn
import yaml
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from fourcorners.evaluation.entailment import Judged, Quote, Split, load, matched, write_run
from fourcorners.evaluation.entailment_scores import measured, measures
from fourcorners.models import default_encoder
from fourcorners.models import entailment as runtime
from fourcorners.models.card import CARD
from fourcorners.models.entailment_features import (
    BUCKETS,
    codes,
    context,
    placed,
    shared,
)
from fourcorners.models.entailment_verdict import LABELS, Label, Verdict
from fourcorners.models.registry import WEIGHTS

FOLDS = 5
SEEDS = (0, 1)
RAREST = 3  # spans that must say something for it to count
KEPT = {"evidence": 20_000, "against": 6_000, "three": 6_000}  # weights of a head
EVIDENCE = {"C": 20.0, "solver": "liblinear", "tol": 1e-3}
AGAINST = {"C": 30.0, "solver": "liblinear"}
THREE = {"C": 3.0, "max_iter": 120, "tol": 1e-3}
LAST = {"C": 0.1, "max_iter": 500}
TREES = {
    "max_iter": 150,
    "learning_rate": 0.05,
    "max_leaf_nodes": 10,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "max_features": 0.5,
}
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Document:
    """Spans, with the label and the evidence of each hypothesis; `whole` if it has them all."""

    spans: tuple[str, ...]
    labels: NDArray[np.intp]
    evidence: NDArray[np.bool_]
    whole: bool


def read(data: Path) -> tuple[list[Document], Split]:
    """Read both splits; the rows of the training split are grouped by document."""
    split = load(data / "dev.json")
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
        spans = tuple(span.of(one.text) for span in one.spans)
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


def counted(texts: Sequence[str]) -> sp.csr_matrix:
    """Return which runs of words each text holds."""
    found = [codes(text) for text in texts]
    ends = np.cumsum([0, *(len(each) for each in found)])
    columns = np.concatenate(found)
    return sp.csr_matrix((np.ones(len(columns), np.float32), columns, ends), (len(texts), BUCKETS))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The runs of words that count, and their weights."""

    buckets: NDArray[np.int64]
    rarity: NDArray[np.float32]

    @classmethod
    def of(cls, counts: sp.csr_matrix) -> Vocabulary:
        """Return that of the spans to learn from."""
        often = np.bincount(counts.indices, minlength=BUCKETS)
        buckets = np.flatnonzero(often >= RAREST)
        rarity = np.log((1 + counts.shape[0]) / (1 + often[buckets])) + 1
        return cls(buckets, rarity.astype(np.float16).astype(np.float32))

    def rows(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        """Return rows of length one."""
        weighed = counts[:, self.buckets] @ sp.diags(self.rarity)
        return scaled(weighed.tocsr(), 1e-9)


def scaled(rows: sp.csr_matrix, least: float) -> sp.csr_matrix:
    """Return rows divided by their length, or by `least` if they are shorter."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return (sp.diags(1 / np.maximum(lengths, least)) @ rows).tocsr()


@dataclass(frozen=True, slots=True)
class Head:
    """Weights of runs of words, pruned and rounded to what one byte holds."""

    weights: NDArray[np.int8]
    scale: float
    bias: float

    @classmethod
    def of(cls, weights: Floats, bias: float, kept: int) -> Head:
        """Prune and round."""
        if np.count_nonzero(weights) > kept:
            least = np.partition(np.abs(weights), -kept)[-kept]
            weights = np.where(np.abs(weights) >= least, weights, 0.0)
        scale = float(np.abs(weights).max(initial=1e-9)) / 127
        return cls(np.rint(weights / scale).astype(np.int8), scale, bias)

    def __call__(self, rows: sp.csr_matrix) -> Floats:
        """Return the score of each row."""
        return np.asarray(rows @ (self.weights * self.scale) + self.bias, np.float64)


@dataclass(frozen=True, slots=True)
class Words:
    """What stages 1 and 3 have learned; `extra` are the weights beside the words."""

    vocabulary: Vocabulary
    evidence: list[Head]
    against: list[Head]
    three: list[list[Head]]
    extra: Floats


class Trainer:
    """All stages, in order; what a stage says out of fold is kept for the next."""

    def __init__(self, documents: list[Document], split: Split) -> None:
        self.documents, self.split = documents, split
        self.count = len(split.hypotheses)
        self.fold = folds_of(documents)
        self.starts = np.cumsum([0, *(len(each.spans) for each in documents)])
        self.of_span = np.repeat(np.arange(len(documents)), np.diff(self.starts))
        self.texts = [span for each in documents for span in each.spans]
        self.evidence = np.concatenate([each.evidence for each in documents])
        self.labels = np.stack([each.labels for each in documents])
        self.counts = counted(self.texts)
        self.whole = np.array([each.whole for each in documents])
        self.marked, self.marked_of = self._marked()
        self.began = time.time()

    def told(self, what: str) -> None:
        """Say how far it is."""
        print(f"{time.time() - self.began:6.0f} s  {what}", flush=True)

    def _marked(self) -> tuple[sp.csr_matrix, NDArray[np.intp]]:
        texts, of = [], []
        for at, each in enumerate(self.documents):
            for column in range(self.count):
                spans = np.flatnonzero(each.evidence[:, column])
                if len(spans):
                    texts.append(" ".join(each.spans[span] for span in spans))
                    of.append((at, column))
        return counted(texts), np.array(of, np.intp)

    def parts(self) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        """Yield which documents are learned from, and which are answered."""
        for fold in range(FOLDS):
            yield self.fold != fold, self.fold == fold

    def spans_of(self, at: int) -> slice:
        """Return the places of a document's spans."""
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    # Stage 1

    def first(self, learned: NDArray[np.bool_]) -> tuple[Vocabulary, sp.csr_matrix, list[Head]]:
        """Learn the heads of evidence."""
        of_learned = learned[self.of_span]
        vocabulary = Vocabulary.of(self.counts[of_learned])
        rows = vocabulary.rows(self.counts)
        heads = []
        for column in range(self.count):
            fit = LogisticRegression(**EVIDENCE)
            fit.fit(rows[of_learned], self.evidence[of_learned, column])
            heads.append(Head.of(fit.coef_[0], float(fit.intercept_[0]), KEPT["evidence"]))
        return vocabulary, rows, heads

    # Stage 2

    def signs(
        self, scores: Floats
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.intp]]:
        """Return for the whole documents what the trees see, the truth and the document."""
        rows, truth, of = [], [], []
        for at in np.flatnonzero(self.whole):
            spans = self.spans_of(at)
            place = placed(self.texts[spans])
            for column in range(self.count):
                rows.append(context(scores[spans].astype(np.float32), column, place))
                truth.append(self.evidence[spans, column])
                of.append(np.full(spans.stop - spans.start, at))
        return np.concatenate(rows), np.concatenate(truth), np.concatenate(of)

    def second(self, rows: NDArray[np.float32], truth: NDArray[np.bool_]) -> runtime.Trees:
        """Learn the trees."""
        fits = [
            HistGradientBoostingClassifier(**TREES, random_state=seed).fit(rows, truth)
            for seed in SEEDS
        ]
        return planted(fits)

    def logits(self, scores: Floats, predicted: Floats) -> Floats:
        """Return the best log odds there are: of the trees, where a document is whole."""
        found = scores.copy()
        begin = 0
        for at in np.flatnonzero(self.whole):
            spans = self.spans_of(at)
            size = (spans.stop - spans.start) * self.count
            found[spans] = predicted[begin : begin + size].reshape(self.count, -1).T
            begin += size
        return found

    # Stage 3

    def bags(self, rows: sp.csr_matrix, logits: Floats, column: int) -> sp.csr_matrix:
        """Return the words of each document's likely evidence."""
        places, weights, ends = [], [], [0]
        for at in range(len(self.documents)):
            spans = self.spans_of(at)
            own = logits[spans, column]
            order = np.argsort(-own, kind="stable")[: runtime.FIRST]
            places.extend((spans.start + order).tolist())
            weights.extend(runtime.sigmoid(own[order]).tolist())
            ends.append(len(places))
        mixing = sp.csr_matrix(
            (weights, places, ends), (len(self.documents), len(self.texts)), dtype=np.float32
        )
        return scaled((mixing @ rows).tocsr(), runtime._FAINT)

    def beside(self, logits: Floats) -> Floats:
        """Return an array (documents, hypotheses, numbers) of the evidence's scores."""
        found = []
        for at in range(len(self.documents)):
            best = runtime.tops(logits[self.spans_of(at)])
            spread = np.broadcast_to(best[0] / 12, (self.count, self.count))
            found.append(np.concatenate([best.T / 4, spread], axis=1))
        return np.stack(found)

    def third(
        self,
        learned: NDArray[np.bool_],
        vocabulary: Vocabulary,
        bags: list[sp.csr_matrix],
        extra: Floats,
    ) -> tuple[list[Head], list[list[Head]], Floats]:
        """Learn the heads of labels."""
        marked = vocabulary.rows(self.marked)
        against, three, beside = [], [], []
        for column in range(self.count):
            own = (self.marked_of[:, 1] == column) & learned[self.marked_of[:, 0]]
            denied = self.labels[self.marked_of[own, 0], column] == 1
            size = len(vocabulary.buckets)
            if denied.sum() >= 3:
                fit = LogisticRegression(**AGAINST).fit(marked[own], denied)
                head = Head.of(fit.coef_[0], float(fit.intercept_[0]), KEPT["against"])
            else:
                head = Head(np.zeros(size, np.int8), 1.0, -4.0)
            against.append(head)
            words = bags[column][learned]
            live = np.flatnonzero(np.bincount(words.indices, minlength=size) >= RAREST)
            rows = sp.hstack([1.5 * words[:, live], sp.csr_matrix(extra[learned, column])]).tocsr()
            fit = LogisticRegression(**THREE).fit(rows, self.labels[learned, column])
            weights = np.zeros((len(LABELS), size))
            bias = np.full(len(LABELS), -9.0)
            wide = np.zeros((extra.shape[2], len(LABELS)))
            coefficients, intercepts = _all_classes(fit)
            for label, coefficient, intercept in zip(
                fit.classes_, coefficients, intercepts, strict=True
            ):
                weights[label, live] = 1.5 * coefficient[: len(live)]
                wide[:, label] = coefficient[len(live) :]
                bias[label] = intercept
            three.append(
                [Head.of(weights[at], float(bias[at]), KEPT["three"]) for at in range(len(LABELS))]
            )
            beside.append(wide)
        return against, three, np.stack(beside)

    def spoken(
        self, words: Words, bags: list[sp.csr_matrix], extra: Floats, at: NDArray[np.intp]
    ) -> tuple[Floats, Floats]:
        """Return what the heads of labels say of some documents."""
        against = np.stack(
            [head(bags[column][at]) for column, head in enumerate(words.against)], axis=1
        )
        three = np.stack(
            [
                np.stack([head(bags[column][at]) for head in heads], axis=1)
                + extra[at, column] @ words.extra[column]
                for column, heads in enumerate(words.three)
            ],
            axis=1,
        )
        return against, runtime.softmax(three)


def _all_classes(fit: LogisticRegression) -> tuple[Floats, Floats]:
    if len(fit.classes_) == 2:
        half, bias = fit.coef_[0] / 2, fit.intercept_[0] / 2
        return np.stack([-half, half]), np.array([-bias, bias])
    return fit.coef_, fit.intercept_


def planted(fits: Sequence[HistGradientBoostingClassifier]) -> runtime.Trees:
    """Return the trees of several models as one, whose sum is their mean."""
    roots: list[int] = []
    columns: dict[str, list[float]] = {
        name: [] for name in ("feature", "threshold", "left", "right", "value")
    }
    deepest, base = 0, 0.0
    for fit in fits:
        base += float(np.ravel(fit._baseline_prediction)[0]) / len(fits)
        for (tree,) in fit._predictors:
            start = len(columns["value"])
            roots.append(start)
            for at, node in enumerate(tree.nodes):
                leaf = bool(node["is_leaf"])
                columns["feature"].append(0 if leaf else int(node["feature_idx"]))
                columns["threshold"].append(0.0 if leaf else float(node["num_threshold"]))
                columns["left"].append(start + (at if leaf else int(node["left"])))
                columns["right"].append(start + (at if leaf else int(node["right"])))
                columns["value"].append(float(node["value"]) / len(fits) if leaf else 0.0)
                deepest = max(deepest, int(node["depth"]))
    return runtime.Trees(
        np.array(roots, np.int32),
        np.array(columns["feature"], np.int16),
        np.array(columns["threshold"], np.float32),
        np.array(columns["left"], np.int32),
        np.array(columns["right"], np.int32),
        np.array(columns["value"], np.float32),
        base,
        deepest,
    )


@dataclass(frozen=True, slots=True)
class Last:
    """Stage 4: the label from all signs; `each` is the bias of each hypothesis."""

    mean: Floats
    spread: Floats
    signs: Floats
    each: Floats

    @classmethod
    def of(cls, signs: Floats, labels: NDArray[np.intp]) -> Last:
        """Learn from arrays (documents, hypotheses, signs) and (documents, hypotheses)."""
        documents, count, width = signs.shape
        flat = signs.reshape(-1, width)
        mean, spread = flat.mean(axis=0), flat.std(axis=0) + 1e-6
        which = np.tile(np.eye(count), (documents, 1))
        fit = LogisticRegression(**LAST)
        fit.fit(np.concatenate([(flat - mean) / spread, which], axis=1), labels.ravel())
        each = fit.coef_[:, width:].T + fit.intercept_
        return cls(mean, spread, fit.coef_[:, :width].T, each)

    def __call__(self, signs: Floats) -> Floats:
        """Return the probability of each label."""
        return runtime.softmax((signs - self.mean) / self.spread @ self.signs + self.each)


@dataclass(frozen=True, slots=True)
class General:
    """Stage 5: evidence and label of hypotheses that were not seen."""

    evidence: Floats
    evidence_bias: Floats
    label: Floats
    label_bias: Floats


def general(
    signs: Sequence[Floats],
    truths: Sequence[NDArray[np.bool_]],
    texts: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    labels: NDArray[np.intp],
) -> General:
    """Learn from questions: the signs of their spans, which are evidence, and the label."""
    weights, bias = _plain(np.concatenate(signs), np.concatenate(truths), 1.0)
    weights, bias = weights[:, 0], bias[0]
    rows = [
        runtime.general_signs(spans, hypothesis, sign @ weights + bias)
        for sign, spans, hypothesis in zip(signs, texts, hypotheses, strict=True)
    ]
    label, label_bias = _plain(np.stack(rows), labels, 0.05)
    return General(weights, np.array(bias), label, label_bias)


def _plain(rows: Floats, truth: NDArray[np.generic], strength: float) -> tuple[Floats, Floats]:
    """Return weights for rows as they are, of a regression on rows of unit spread."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 1e-6, spread, np.inf)
    fit = LogisticRegression(C=strength, max_iter=300).fit((rows - mean) / spread, truth)
    weights = (fit.coef_ / spread).T
    return weights, fit.intercept_ - mean @ weights


class Unseen:
    """Answers to hypotheses by models that have learned from neither them nor the document."""

    def __init__(self, trainer: Trainer, cosines: dict[int, NDArray[np.float32]] | None) -> None:
        self.trainer = trainer
        hypotheses = list(trainer.split.hypotheses.values())
        self.asked = [
            (int(at), column)
            for at in np.flatnonzero(trainer.whole)
            for column in range(len(hypotheses))
        ]
        self.texts = [trainer.documents[at].spans for at, _ in self.asked]
        self.hypotheses = [hypotheses[column] for _, column in self.asked]
        places = {at: placed(trainer.documents[at].spans) for at, _ in self.asked}
        self.signs = [
            shared(
                texts, hypothesis, places[at], None if cosines is None else cosines[at][:, column]
            ).astype(np.float64)
            for (at, column), texts, hypothesis in zip(
                self.asked, self.texts, self.hypotheses, strict=True
            )
        ]
        self.truths = [trainer.documents[at].evidence[:, column] for at, column in self.asked]
        self.labels = np.array([trainer.labels[at, column] for at, column in self.asked])

    def learned(self, at: Sequence[int]) -> General:
        """Learn from some questions."""
        return general(
            [self.signs[each] for each in at],
            [self.truths[each] for each in at],
            [self.texts[each] for each in at],
            [self.hypotheses[each] for each in at],
            self.labels[list(at)],
        )

    def verdicts(self) -> dict[tuple[int, int], Verdict]:
        """Return the answers to each hypothesis, by document and hypothesis."""
        trainer, found = self.trainer, {}
        for column in range(trainer.count):
            for half in range(2):
                known, asked = [], []
                for at, (document, of) in enumerate(self.asked):
                    same = trainer.fold[document] % 2 == half
                    if same and of == column:
                        asked.append(at)
                    elif not same and of != column:
                        known.append(at)
                model = self.learned(known)
                for at in asked:
                    logits = self.signs[at] @ model.evidence + model.evidence_bias
                    signs = runtime.general_signs(self.texts[at], self.hypotheses[at], logits)
                    labels = runtime.softmax(signs @ model.label + model.label_bias)
                    found[self.asked[at]] = runtime._verdict(labels, logits)
        return found


def answers(trainer: Trainer, verdicts: dict[tuple[int, int], Verdict]) -> list[Judged]:
    """Return verdicts by document and hypothesis as the lines of a run file."""
    keys = list(trainer.split.hypotheses)
    first = int(np.flatnonzero(trainer.whole)[0])
    return [
        Judged(
            trainer.split.documents[at - first].id,
            keys[column],
            verdict.label,
            verdict.scores,
            tuple(
                Quote(trainer.split.documents[at - first].spans[span], score)
                for span, score in verdict.evidence
                if len(trainer.split.documents[at - first].spans[span])
            ),
        )
        for (at, column), verdict in sorted(verdicts.items())
    ]


def figures(trainer: Trainer, run: Sequence[Judged], what: str) -> dict[str, object]:
    """Score a run, and say its main figures."""
    found = measures([measured(*each) for each in matched(trainer.split, run)])
    names = ("accuracy", "f1_contradiction", "evidence_map", "evidence_recall_600_characters")
    intervals = found["intervals"]
    trainer.told(f"{what}: " + ", ".join(f"{name} {found[name]}" for name in names))
    return {name: [found[name], *intervals[name]] for name in names}  # type: ignore[index, call-overload, misc]


@dataclass(frozen=True, slots=True)
class Trained:
    """All that is shipped, and the out-of-fold answers."""

    words: Words
    trees: runtime.Trees
    last: Last
    verdicts: dict[tuple[int, int], Verdict]


def train(trainer: Trainer) -> Trained:
    """Learn all stages: out of fold, then from everything."""
    size = len(trainer.documents)
    everything = np.ones(size, np.bool_)
    scores = np.zeros((len(trainer.texts), trainer.count))
    stages = []
    for learned, answered in trainer.parts():
        vocabulary, rows, heads = trainer.first(learned)
        for column, head in enumerate(heads):
            scores[answered[trainer.of_span], column] = head(rows[answered[trainer.of_span]])
        stages.append((vocabulary, rows, heads))
        trainer.told("evidence heads of a fold")
    signs, truth, of = trainer.signs(scores)
    predicted = np.zeros(len(truth))
    for learned, answered in trainer.parts():
        trees = trainer.second(signs[learned[of]], truth[learned[of]])
        predicted[answered[of]] = trees(signs[answered[of]])
    trees = trainer.second(signs, truth)
    trainer.told("trees")
    logits = trainer.logits(scores, predicted)
    extra = trainer.beside(logits)
    against, three = np.zeros((size, trainer.count)), np.zeros((size, trainer.count, len(LABELS)))
    for (learned, answered), (vocabulary, rows, heads) in zip(trainer.parts(), stages, strict=True):
        bags = [trainer.bags(rows, logits, column) for column in range(trainer.count)]
        words = Words(vocabulary, heads, *trainer.third(learned, vocabulary, bags, extra))
        at = np.flatnonzero(answered)
        against[at], three[at] = trainer.spoken(words, bags, extra, at)
        trainer.told("label heads of a fold")
    whole = np.flatnonzero(trainer.whole)
    of_label = np.stack(
        [
            runtime.label_signs(
                three[at],
                against[at],
                runtime.tops(logits[trainer.spans_of(at)]),
                runtime.sigmoid(logits[trainer.spans_of(at)]).sum(axis=0),
                scores[trainer.spans_of(at)].max(axis=0),
            )
            for at in whole
        ]
    )
    labels = trainer.labels[whole]
    verdicts = {}
    for learned, answered in trainer.parts():
        last = Last.of(of_label[learned[whole]], labels[learned[whole]])
        for place in np.flatnonzero(answered[whole]):
            given = last(of_label[place])
            for column in range(trainer.count):
                own = logits[trainer.spans_of(whole[place]), column]
                verdicts[int(whole[place]), column] = runtime._verdict(given[column], own)
    vocabulary, rows, heads = trainer.first(everything)
    bags = [trainer.bags(rows, logits, column) for column in range(trainer.count)]
    words = Words(vocabulary, heads, *trainer.third(everything, vocabulary, bags, extra))
    trainer.told("all, from everything")
    return Trained(words, trees, Last.of(of_label, labels), verdicts)


def arrays_of(
    trained: Trained, hypotheses: Sequence[str], generals: dict[str, General]
) -> dict[str, NDArray[np.generic]]:
    """Return what the model's file holds."""
    words, trees, last = trained.words, trained.trees, trained.last
    heads = [*words.evidence, *words.against]
    heads += [of[label] for label in range(len(LABELS)) for of in words.three]
    arrays: dict[str, NDArray[np.generic]] = {
        "hypotheses": np.array(hypotheses),
        "steps": np.diff(words.vocabulary.buckets, prepend=0).astype(np.uint32),
        "rarity": words.vocabulary.rarity.astype(np.float16),
        "weights": np.stack([head.weights for head in heads], axis=1),
        "scales": np.array([head.scale for head in heads], np.float32),
        "bias": np.array([head.bias for head in heads], np.float32),
        "roots": trees.roots,
        "feature": trees.feature,
        "threshold": trees.threshold,
        "left": trees.left,
        "right": trees.right,
        "value": trees.value,
        "base": np.array(trees.base),
        "depth": np.array(trees.depth),
        "dense_extra": words.extra.astype(np.float32),
        "dense_mean": last.mean,
        "dense_spread": last.spread,
        "dense_signs": last.signs,
        "dense_each": last.each,
    }
    for name, model in generals.items():
        arrays[f"dense_{name}_evidence"] = model.evidence
        arrays[f"dense_{name}_evidence_bias"] = model.evidence_bias
        arrays[f"dense_{name}_label"] = model.label
        arrays[f"dense_{name}_label_bias"] = model.label_bias
    return arrays


def overlap(documents: Sequence[Document]) -> float:
    """Return the share of the whole documents' runs of eight words that the others hold too."""

    def runs(each: Document) -> set[str]:
        said = " ".join(each.spans).casefold().split()
        return {" ".join(said[at : at + 8]) for at in range(len(said) - 7)}

    others = set().union(*(runs(each) for each in documents if not each.whole))
    shares = [len(own & others) / len(own) for own in map(runs, (d for d in documents if d.whole))]
    return float(np.mean(shares))


def write(
    folder: Path,
    data: Path,
    arrays: dict[str, NDArray[np.generic]],
    scores: dict[str, object],
    trainer: Trainer,
) -> None:
    """Write the file and its card."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    (folder / runtime.FILE).write_bytes(packed.getvalue())
    card = {
        "name": runtime.NAME,
        "version": "1",
        "kind": "entailment",
        "description": "Three-way entailment with evidence: heads on runs and pairs of words "
        "for 17 hypotheses on confidentiality agreements, trees over neighbouring spans, and a "
        "general model of shared words, meaning and denials for any other hypothesis.",
        "dimension": len(LABELS),
        "max_tokens": 0,
        "licence": "CC-BY-4.0",
        "source": "ContractNLI, by Yuta Koreeda and Christopher D. Manning; Stanford NLP and "
        "Hitachi America, CC BY 4.0. Weights are derived from its annotations.",
        "command": "python training/train_entailment.py --data DIR/contractnli --weights",
        "made_with": {"numpy": np.__version__, "scikit-learn": sklearn.__version__},
        "data": {
            name: sha256((data / name).read_bytes()).hexdigest()
            for name in ("dev.json", "train_spans.csv")
        },
        "documents_learned_from": {
            sha256(one.text.encode()).hexdigest(): one.name for one in trainer.split.documents
        },
        "splits": f"Out of {FOLDS} folds by document; training documents are in the folds too. Of "
        "the runs of eight words of a development document, this share stands in a training "
        f"document too: {overlap(trainer.documents):.3f}.",
        "scores": {"note": "figure, then its 95% interval over 61 documents", **scores},
        "limits": "Trained on English confidentiality agreements alone. The figures of the known "
        "hypotheses hold for those 17; some are rarely contradicted (five never in training). "
        "Settings were chosen on the folds that are reported. Other hypotheses get ranked "
        "evidence and a rough label, hardly ever a contradiction: read the evidence.",
        "files": {runtime.FILE: sha256(packed.getvalue()).hexdigest()},
    }
    (folder / CARD).write_text(
        yaml.safe_dump(card, sort_keys=False, allow_unicode=True, width=96), "utf-8"
    )
    trainer.told(f"{folder / runtime.FILE}: {len(packed.getvalue()):,} bytes")


def main() -> None:
    """Train, say the out-of-fold figures, and write what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run-out", type=Path)
    parser.add_argument("--left-out", type=Path)
    parser.add_argument("--weights", action="store_true", help="Write the shipped files.")
    asked = parser.parse_args()
    documents, split = read(asked.data)
    trainer = Trainer(documents, split)
    hypotheses = list(split.hypotheses.values())
    trainer.told(f"read {len(documents)} documents")
    trained = train(trainer)
    run = answers(trainer, trained.verdicts)
    scores: dict[str, object] = {"known_hypotheses_out_of_fold": figures(trainer, run, "known")}
    if asked.run_out:
        write_run(asked.run_out, run)
    encoder = default_encoder(threads=1)
    put = encoder.encode(hypotheses)
    whole = [int(at) for at in np.flatnonzero(trainer.whole)]
    cosines = {at: encoder.encode(documents[at].spans) @ put.T for at in whole}
    trainer.told("vectors")
    generals = {}
    for name, given in (("words", None), ("meaning", cosines)):
        unseen = Unseen(trainer, given)
        run = answers(trainer, unseen.verdicts())
        scores[f"left_out_hypotheses_{name}"] = figures(trainer, run, f"left out, {name}")
        generals[name] = unseen.learned(range(len(unseen.asked)))
    if asked.left_out:
        write_run(asked.left_out, run)
    if asked.weights:
        arrays = arrays_of(trained, hypotheses, generals)
        write(WEIGHTS / runtime.NAME, asked.data, arrays, scores, trainer)


if __name__ == "__main__":
    main()
