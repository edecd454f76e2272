"""The stages of the entailment model for the hypotheses that it is trained on."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from fourcorners.models.entailment import heads as heads_of
from fourcorners.models.entailment import model as runtime
from fourcorners.models.entailment.features import (
    BUCKETS,
    context_scores,
    hash_ngrams,
    span_positions,
)
from fourcorners.models.entailment.verdict import LABELS
from training.entailment.data import FOLDS, Document, Floats, Vectors, folds_of

SEEDS = (0, 1)
RAREST = 3  # spans that must say something for it to count
MAX_WEIGHTS = {"evidence": 20_000, "against": 6_000, "three": 6_000}  # weights of a head
EVIDENCE = {"C": 20.0, "solver": "liblinear", "tol": 1e-3}
MEANT = {"C": 30.0, "max_iter": 60}
AGAINST = {"C": 30.0, "solver": "liblinear"}
THREE = {"C": 3.0, "max_iter": 120, "tol": 1e-3}
LAST = {"C": 0.1, "max_iter": 400}
PARTIAL = 0.3  # what a partial document counts in the last stage, relative to a whole one
MIXED = 0.5  # share of the meaning, and the rest of the words, where there are no trees
TREES = {
    "max_iter": 150,
    "learning_rate": 0.05,
    "max_leaf_nodes": 10,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "max_features": 0.5,
}
Arrays = dict[str, NDArray[np.generic]]


def counted(texts: Sequence[str]) -> sp.csr_matrix:
    """Return which runs of words each text holds."""
    found = [hash_ngrams(text) for text in texts]
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
    def of(cls, weights: Floats, bias: float, most: int) -> Head:
        """Prune and round."""
        if np.count_nonzero(weights) > most:
            least = np.partition(np.abs(weights), -most)[-most]
            weights = np.where(np.abs(weights) >= least, weights, 0.0)
        scale = float(np.abs(weights).max(initial=1e-9)) / 127
        return cls(np.rint(weights / scale).astype(np.int8), scale, bias)

    def __call__(self, rows: sp.csr_matrix) -> Floats:
        """Return the score of each row."""
        return np.asarray(rows @ (self.weights * self.scale) + self.bias, np.float64)


@dataclass(frozen=True, slots=True)
class Read:
    """What stage 1 has learned, with the rows of all spans."""

    vocabulary: Vocabulary
    rows: sp.csr_matrix
    evidence: list[Head]
    meant: Floats
    meant_bias: Floats


@dataclass(frozen=True, slots=True)
class Spoken:
    """What stage 3 has learned; `extra` are the weights of all else than the words."""

    against: list[Head]
    three: list[list[Head]]
    extra: Floats


class Trainer:
    """All stages, in order; what a stage says out of fold is kept for the next."""

    def __init__(self, documents: Sequence[Document], vectors: Vectors) -> None:
        self.documents, self.vectors = documents, vectors
        self.count = documents[0].evidence.shape[1]
        self.fold = folds_of(documents)
        self.starts = np.cumsum([0, *(len(each.spans) for each in documents)])
        self.of_span = np.repeat(np.arange(len(documents)), np.diff(self.starts))
        self.texts = [span for each in documents for span in each.spans]
        self.evidence = np.concatenate([each.evidence for each in documents])
        self.labels = np.stack([each.labels for each in documents])
        self.counts = counted(self.texts)
        self.whole = np.array([each.whole for each in documents])
        self.marked, self.marked_of = self._marked_rows()
        self.began = time.time()

    def report(self, what: str) -> None:
        """Say how far it is."""
        print(f"{time.time() - self.began:6.0f} s  {what}", flush=True)

    def _marked_rows(self) -> tuple[sp.csr_matrix, NDArray[np.intp]]:
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

    def first(self, learned: NDArray[np.bool_]) -> Read:
        """Learn the heads of evidence, of words and of meaning."""
        of_learned = learned[self.of_span]
        vocabulary = Vocabulary.of(self.counts[of_learned])
        rows = vocabulary.rows(self.counts)
        heads, meant, bias = [], [], []
        for column in range(self.count):
            truth = self.evidence[of_learned, column]
            fit = LogisticRegression(**EVIDENCE).fit(rows[of_learned], truth)
            heads.append(Head.of(fit.coef_[0], float(fit.intercept_[0]), MAX_WEIGHTS["evidence"]))
            fit = LogisticRegression(**MEANT).fit(self.vectors[of_learned], truth)
            meant.append(fit.coef_[0].astype(np.float16))
            bias.append(float(fit.intercept_[0]))
        return Read(vocabulary, rows, heads, np.stack(meant, axis=1).astype(float), np.array(bias))

    # Stage 2

    def signs(
        self, scores: Floats, meant: Floats
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.intp]]:
        """Return for the whole documents what the trees see, the truth and the document."""
        rows, truth, of = [], [], []
        for at in np.flatnonzero(self.whole):
            spans = self.spans_of(at)
            place = span_positions(self.texts[spans])
            for column in range(self.count):
                rows.append(
                    context_scores(
                        scores[spans].astype(np.float32),
                        column,
                        place,
                        meant[spans].astype(np.float32),
                    )
                )
                truth.append(self.evidence[spans, column])
                of.append(np.full(spans.stop - spans.start, at))
        return np.concatenate(rows), np.concatenate(truth), np.concatenate(of)

    def second(self, rows: NDArray[np.float32], truth: NDArray[np.bool_]) -> heads_of.TreeEnsemble:
        """Learn the trees."""
        fits = [
            HistGradientBoostingClassifier(**TREES, random_state=seed).fit(rows, truth)
            for seed in SEEDS
        ]
        return planted(fits)

    def logits(self, scores: Floats, meant: Floats, predicted: Floats) -> Floats:
        """Return the best log odds there are: of the trees, where a document is whole."""
        mixed = scores + MIXED * meant
        partial = ~self.whole[self.of_span]
        fit = LogisticRegression(C=100.0)
        fit.fit(mixed[partial].reshape(-1, 1), self.evidence[partial].ravel())
        found = mixed * fit.coef_[0, 0] + fit.intercept_[0]
        begin = 0
        for at in np.flatnonzero(self.whole):
            spans = self.spans_of(at)
            size = (spans.stop - spans.start) * self.count
            found[spans] = predicted[begin : begin + size].reshape(self.count, -1).T
            begin += size
        return np.asarray(found)

    # Stage 3

    def bags(self, rows: sp.csr_matrix, logits: Floats, column: int) -> sp.csr_matrix:
        """Return the words of each document's likely evidence."""
        places, weights, ends = [], [], [0]
        for at in range(len(self.documents)):
            spans = self.spans_of(at)
            own = logits[spans, column]
            order = np.argsort(-own, kind="stable")[: runtime.FIRST_SPANS]
            places.extend((spans.start + order).tolist())
            weights.extend(heads_of.sigmoid(own[order]).tolist())
            ends.append(len(places))
        mixing = sp.csr_matrix(
            (weights, places, ends), (len(self.documents), len(self.texts)), dtype=np.float32
        )
        return scaled((mixing @ rows).tocsr(), runtime._FAINT)

    def beside(self, logits: Floats) -> Floats:
        """Return an array (documents, hypotheses, numbers) of the evidence's scores."""
        found = []
        for at in range(len(self.documents)):
            best = runtime.highest_scores(logits[self.spans_of(at)])
            spread = np.broadcast_to(best[0] / 12, (self.count, self.count))
            found.append(np.concatenate([best.T / 4, spread], axis=1))
        return np.stack(found)

    def third(
        self,
        learned: NDArray[np.bool_],
        vocabulary: Vocabulary,
        bags: list[sp.csr_matrix],
        extra: Floats,
    ) -> Spoken:
        """Learn the heads of labels."""
        marked = vocabulary.rows(self.marked)
        against, three, beside = [], [], []
        for column in range(self.count):
            own = (self.marked_of[:, 1] == column) & learned[self.marked_of[:, 0]]
            denied = self.labels[self.marked_of[own, 0], column] == 1
            size = len(vocabulary.buckets)
            if denied.sum() >= 3:
                fit = LogisticRegression(**AGAINST).fit(marked[own], denied)
                head = Head.of(fit.coef_[0], float(fit.intercept_[0]), MAX_WEIGHTS["against"])
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
                [
                    Head.of(weights[at], float(bias[at]), MAX_WEIGHTS["three"])
                    for at in range(len(LABELS))
                ]
            )
            beside.append(wide)
        return Spoken(against, three, np.stack(beside))

    def label_answers(
        self, words: Spoken, bags: list[sp.csr_matrix], extra: Floats, at: NDArray[np.intp]
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
        return against, heads_of.softmax(three)


def _all_classes(fit: LogisticRegression) -> tuple[Floats, Floats]:
    if len(fit.classes_) == 2:
        half, bias = fit.coef_[0] / 2, fit.intercept_[0] / 2
        return np.stack([-half, half]), np.array([-bias, bias])
    return fit.coef_, fit.intercept_


def planted(fits: Sequence[HistGradientBoostingClassifier]) -> heads_of.TreeEnsemble:
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
    return heads_of.TreeEnsemble(
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
    def of(cls, signs: Floats, labels: NDArray[np.intp], whole: NDArray[np.bool_]) -> Last:
        """Learn from arrays (documents, hypotheses, signs) and (documents, hypotheses).

        Partial documents mention what they mention more plainly: they have biases of their own.
        """
        documents, count, width = signs.shape
        flat = signs.reshape(-1, width)
        mean, spread = flat.mean(axis=0), flat.std(axis=0) + 1e-6
        which = np.tile(np.eye(count), (documents, 1))
        full = np.repeat(whole, count)
        rows = np.concatenate([(flat - mean) / spread, which, which * full[:, None]], axis=1)
        fit = LogisticRegression(**LAST)
        fit.fit(rows, labels.ravel(), sample_weight=np.where(full, 1.0, PARTIAL))
        each = fit.coef_[:, width : width + count].T + fit.coef_[:, width + count :].T
        return cls(mean, spread, fit.coef_[:, :width].T, each + fit.intercept_)


def label_signs(
    trainer: Trainer, logits: Floats, scores: Floats, against: Floats, three: Floats
) -> Floats:
    """Return what the last stage sees of each document."""
    nothing = np.full((1, trainer.count), -8.0)
    return np.stack(
        [
            runtime.label_features(
                three[at],
                against[at],
                runtime.highest_scores(logits[trainer.spans_of(at)]),
                heads_of.sigmoid(logits[trainer.spans_of(at)]).sum(axis=0),
                np.concatenate([scores[trainer.spans_of(at)], nothing]).max(axis=0),
            )
            for at in range(len(trainer.documents))
        ]
    )


def train(trainer: Trainer) -> tuple[list[Arrays], Arrays]:
    """Learn all stages: one model for each fold, without its documents, and one from everything."""
    size = len(trainer.documents)
    everything = np.ones(size, np.bool_)
    scores = np.zeros((len(trainer.texts), trainer.count))
    meant = np.zeros_like(scores)
    stages = []
    for learned, answered in trainer.parts():
        read = trainer.first(learned)
        own = answered[trainer.of_span]
        for column, head in enumerate(read.evidence):
            scores[own, column] = head(read.rows[own])
        meant[own] = trainer.vectors[own] @ read.meant + read.meant_bias
        stages.append(read)
        trainer.report("evidence heads of a fold")
    signs, truth, of = trainer.signs(scores, meant)
    predicted = np.zeros(len(truth))
    planted_of = []
    for learned, answered in trainer.parts():
        trees = trainer.second(signs[learned[of]], truth[learned[of]])
        predicted[answered[of]] = trees(signs[answered[of]])
        planted_of.append(trees)
    trainer.report("trees")
    logits = trainer.logits(scores, meant, predicted)
    extra = trainer.beside(logits)
    against, three = np.zeros((size, trainer.count)), np.zeros((size, trainer.count, len(LABELS)))
    label_answers = []
    for (learned, answered), read in zip(trainer.parts(), stages, strict=True):
        bags = [trainer.bags(read.rows, logits, column) for column in range(trainer.count)]
        label_answers.append(trainer.third(learned, read.vocabulary, bags, extra))
        at = np.flatnonzero(answered)
        against[at], three[at] = trainer.label_answers(label_answers[-1], bags, extra, at)
        trainer.report("label heads of a fold")
    of_label = label_signs(trainer, logits, scores, against, three)
    folds = [
        arrays_of(
            read, words, trees, Last.of(of_label[learned], trainer.labels[learned], whole[learned])
        )
        for (learned, _), read, words, trees, whole in zip(
            trainer.parts(), stages, label_answers, planted_of, [trainer.whole] * FOLDS, strict=True
        )
    ]
    read = trainer.first(everything)
    bags = [trainer.bags(read.rows, logits, column) for column in range(trainer.count)]
    words = trainer.third(everything, read.vocabulary, bags, extra)
    trees = trainer.second(signs, truth)
    last = Last.of(of_label, trainer.labels, trainer.whole)
    trainer.report("all, from everything")
    return folds, arrays_of(read, words, trees, last)


def arrays_of(read: Read, words: Spoken, trees: heads_of.TreeEnsemble, last: Last) -> Arrays:
    """Return what the model's file holds of the known hypotheses."""
    heads = [*read.evidence, *words.against]
    heads += [of[label] for label in range(len(LABELS)) for of in words.three]
    return {
        "steps": np.diff(read.vocabulary.buckets, prepend=0).astype(np.uint32),
        "rarity": read.vocabulary.rarity.astype(np.float16),
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
        "dense_meant": read.meant.astype(np.float16),
        "dense_meant_bias": read.meant_bias.astype(np.float32),
        "dense_extra": words.extra.astype(np.float32),
        "dense_mean": last.mean,
        "dense_spread": last.spread,
        "dense_signs": last.signs,
        "dense_each": last.each,
    }
