"""The entailment model: what a document says of hypotheses, and the spans that show it.

For the hypotheses that it was trained on, it has heads of their own; any other is judged by what
its words and its meaning share with the spans, and by what a playbook tells of its place
(`unseen`). All is numpy, but for the vectors of the spans, which come from the encoder that
the model was trained with.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from fourcorners.errors import ModelError
from fourcorners.models.card import CARD_FILE, REMEDY, ModelInfo, load_card
from fourcorners.models.encoder.cached import CachedEncoder
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.entailment.features import (
    SpanPositions,
    content_stems,
    context_scores,
    modality_features,
    span_positions,
)
from fourcorners.models.entailment.heads import TreeEnsemble, WordWeights, sigmoid, softmax
from fourcorners.models.entailment.unseen import (
    CLASH,
    HypothesisGuide,
    SpanSet,
    UnseenHypotheses,
    contradiction_score,
    is_clash,
    span_features,
)
from fourcorners.models.entailment.verdict import LABELS, Verdict
from fourcorners.models.registry import DEFAULT_ENCODER, WEIGHTS, load_encoder
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

NAME = "entailment"
FILE = "heads.npz"
FIRST_SPANS = 4
"""So many spans are read for the label, the best first."""
_FAINT = 0.3  # the length that a document's evidence has at least, when it is scaled to one
_TOP = 3  # best spans that a label reads, as trained
_SAME = 0.8  # of the words of two hypotheses, for them to be the same
MAX_BY_MEANING = 8
"""So many spans are given vectors for each known hypothesis: those whose words say most."""
MIN_SCORE = 1e-3  # a head's probability counts as no less


def likely_spans(scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Tell which spans are among the first `MAX_BY_MEANING` of any hypothesis by their words.

    Args:
        scores: An array (spans, known hypotheses): what the words say.
    """
    import numpy as np

    found = np.zeros(len(scores), np.bool_)
    found[np.argsort(-scores, axis=0, kind="stable")[:MAX_BY_MEANING]] = True
    return found


def bag_vector(rows: NDArray[np.float32], logits: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the words of a document's likely evidence: the less likely, the fainter."""
    import numpy as np

    order = np.argsort(-logits, kind="stable")[:FIRST_SPANS]
    mixed = sigmoid(logits[order]).astype(np.float32) @ rows[order]
    return np.asarray(mixed / max(float(np.linalg.norm(mixed)), _FAINT), np.float32)


def highest_scores(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the highest log odds of an array (spans, hypotheses), the best first."""
    import numpy as np

    padded = np.concatenate([logits, np.full((_TOP, logits.shape[1]), -8.0)])
    return np.sort(padded, axis=0)[::-1][:_TOP]


def label_features(
    probabilities: NDArray[np.float64],
    against: NDArray[np.float64],
    best: NDArray[np.float64],
    mass: NDArray[np.float64],
    first: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what the label of each known hypothesis is read from.

    Args:
        probabilities: An array (hypotheses, labels) of the heads of three.
        against: For each, the log odds of the head of two that it is contradicted.
        best: The highest log odds that a span is evidence, as of `highest_scores`.
        mass: How much evidence there is in all.
        first: The highest score of a span by its words alone.
    """
    import numpy as np

    entailed, contradicted, neither = np.log(np.clip(probabilities, MIN_SCORE, 1)).T
    return np.stack(
        [
            *(entailed - neither, contradicted - entailed, contradicted - neither, against),
            *(best[0], best[1], np.log1p(mass), first),
        ],
        axis=1,
    )


@dataclass(frozen=True, slots=True)
class EntailmentModel:
    """The model, read.

    Attributes:
        training_source: The identity of the encoder that it was trained with.
        guided: For hypotheses that were not learned, where a playbook knows of their place.
        alone: The same, by the sentence alone.
        margin: As in `Verdict`, of the known hypotheses.
    """

    info: ModelInfo
    hypotheses: tuple[str, ...]
    words: WordWeights
    trees: TreeEnsemble
    arrays: Mapping[str, NDArray[np.float64]]
    guided: UnseenHypotheses
    alone: UnseenHypotheses
    margin: float
    training_source: str
    encoder: Encoder

    def judge(
        self,
        text: str,
        spans: Sequence[Span],
        hypotheses: Sequence[str],
        guides: Sequence[HypothesisGuide | None] | None = None,
    ) -> list[Verdict]:
        """Return what a document says of each hypothesis; those that were learned are recognised.

        The spans are what may be evidence, in order of position; the guides tell what a playbook
        knows of the place of each hypothesis.
        """
        if not spans:
            return [Verdict(LABELS[2], (0.0, 0.0, 1.0), ()) for _ in hypotheses]
        texts = [span.text_in(text) for span in spans]
        place = span_positions(texts)
        found = [self.known_hypothesis(hypothesis) for hypothesis in hypotheses]
        vectors = self.encoder.encode(texts) if None in found else None
        verdicts: dict[int, Verdict] = {}
        if any(each is not None for each in found):
            verdicts = dict(enumerate(self._of_known(texts, place, vectors)))
        answers = []
        for at, (hypothesis, column) in enumerate(zip(hypotheses, found, strict=True)):
            if column is not None:
                answers.append(verdicts[column])
            elif vectors is not None:
                guide = guides[at] if guides else None
                answers.append(self._of_unseen(SpanSet(texts, place, vectors), hypothesis, guide))
        return answers

    def learned_from(self) -> frozenset[str]:
        """Return the digests of the whole documents that the model has learned from."""
        from fourcorners.text.patterns import load_yaml

        card = load_yaml((self.info.folder / CARD_FILE).read_text("utf-8"))
        return frozenset(card.get("documents_learned_from", ()))

    def known_hypothesis(self, hypothesis: str) -> int | None:
        """Return which of the known hypotheses a sentence is, None if none.

        It must use nearly the same words, and deny and permit in the same way.
        """
        asked = frozenset(content_stems(hypothesis))
        best: tuple[float, int] | None = None
        for place, known in enumerate(self.hypotheses):
            words = frozenset(content_stems(known))
            share = len(asked & words) / max(1, len(asked | words))
            alike = modality_features(known)[:3] == modality_features(hypothesis)[:3]
            if alike and share >= _SAME and (best is None or share > best[0]):
                best = (share, place)
        return best[1] if best else None

    def _meant(
        self,
        texts: Sequence[str],
        scores: NDArray[np.float32],
        vectors: NDArray[np.float32] | None,
    ) -> NDArray[np.float32]:
        """Return what the meaning says; of spans that are not `likely`, the middle of the others.

        Those are never encoded: that they are no evidence their words tell well enough.
        """
        import numpy as np

        read = likely_spans(scores)
        if vectors is None:
            made = self.encoder.encode([texts[at] for at in np.flatnonzero(read).tolist()])
        else:
            made = vectors[read]
        meant = np.asarray(made @ self.arrays["meant"] + self.arrays["meant_bias"], np.float32)
        found = np.tile(np.median(meant, axis=0), (len(texts), 1)).astype(np.float32)
        found[read] = meant
        return found

    def _of_known(
        self, texts: Sequence[str], place: SpanPositions, vectors: NDArray[np.float32] | None
    ) -> list[Verdict]:
        import numpy as np

        count = len(self.hypotheses)
        used, rows = self.words.rows(texts)
        heads = [slice(at * count, (at + 1) * count) for at in range(5)]
        weights, bias = self.words.select(used, slice(0, 5 * count)), self.words.bias
        scores = rows @ weights[:, heads[0]] + bias[heads[0]]
        meant = self._meant(texts, scores, vectors)
        logits = np.stack(
            [self.trees(context_scores(scores, column, place, meant)) for column in range(count)],
            axis=1,
        )
        bags = np.stack([bag_vector(rows, logits[:, column]) for column in range(count)])
        three = np.stack(
            [(bags * weights[:, heads[at]].T).sum(axis=1) + bias[heads[at]] for at in (2, 3, 4)],
            axis=1,
        )
        best = highest_scores(logits)
        extra = np.concatenate([best.T / 4, np.broadcast_to(best[0] / 12, (count, count))], axis=1)
        three = three + np.einsum("hf,hfl->hl", extra, self.arrays["extra"])
        against = (bags * weights[:, heads[1]].T).sum(axis=1) + bias[heads[1]]
        of_label = label_features(
            softmax(three), against, best, sigmoid(logits).sum(axis=0), scores.max(axis=0)
        )
        scaled = (of_label - self.arrays["mean"]) / self.arrays["spread"]
        labels = softmax(scaled @ self.arrays["signs"] + self.arrays["each"])
        turns = sigmoid((rows @ weights[:, heads[1]] + bias[heads[1]]).astype(np.float64))
        for at, hypothesis in enumerate(self.hypotheses):
            surest = int(np.argmax(logits[:, at]))
            if logits[surest, at] > 0 and is_clash(hypothesis, texts[surest]):
                turns[surest, at] = max(turns[surest, at], CLASH)
                labels[at] = swap_labels(labels[at])
        return [
            _verdict(labels[at], logits[:, at], turns[:, at], self.margin) for at in range(count)
        ]

    def _of_unseen(self, spans: SpanSet, hypothesis: str, guide: HypothesisGuide | None) -> Verdict:
        import numpy as np

        model = self.alone if guide is None else self.guided
        mentioned, logits = model.judge(
            span_features(spans, hypothesis, guide, self.encoder), spans.place
        )
        turns = np.array([contradiction_score(hypothesis, text) for text in spans.texts])
        against = mentioned * float(turns[int(np.argmax(logits))])
        labels = np.array([mentioned - against, against, 1 - mentioned])
        return _verdict(labels, logits, turns, model.margin)


def swap_labels(labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities of labels where the evidence clashes with the hypothesis."""
    import numpy as np

    entailed, contradicted, neither = labels
    mention_scores = entailed + contradicted
    against = max(contradicted, CLASH * mention_scores)
    return np.array([mention_scores - against, against, neither])


def document_digest(text: str) -> str:
    """Return what a card calls a document that was learned from."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def _verdict(
    labels: NDArray[np.float64],
    logits: NDArray[np.float64],
    turns: NDArray[np.float64],
    margin: float,
) -> Verdict:
    import numpy as np

    order = np.argsort(-logits, kind="stable")
    entailed, contradicted, neither = (float(each) for each in labels)
    return Verdict(
        LABELS[int(np.argmax(labels))],
        (entailed, contradicted, neither),
        tuple(zip(order.tolist(), sigmoid(logits[order]).tolist(), strict=True)),
        tuple(turns[order].tolist()),
        margin,
    )


@cache
def load_entailment() -> EntailmentModel:
    """Return the model that comes with the package; its file is read once, and verified.

    Raises:
        ModelError: If its card or file is missing or damaged, or if it was trained with another
            encoder than the one that comes with the package.
    """
    import numpy as np

    info = load_card(WEIGHTS / NAME)
    encoder = CachedEncoder(load_encoder(DEFAULT_ENCODER))
    with np.load(io.BytesIO(info.read(FILE)), allow_pickle=False) as file:
        model = assemble(info, {name: file[name] for name in file.files}, encoder)
    if model.training_source != encoder.name:
        raise ModelError(
            f"model {NAME} was trained with the encoder "
            f"{model.training_source}, not {encoder.name}.",
            remedy="Train it again: python -m training.entailment.train --data DIR --weights.",
        )
    return model


def assemble(
    info: ModelInfo, arrays: Mapping[str, NDArray[np.generic]], encoder: Encoder
) -> EntailmentModel:
    """Return the model of the arrays of its file.

    Raises:
        ModelError: If one is missing.
    """
    import numpy as np

    try:
        dense = {
            name.removeprefix("dense_"): array.astype(np.float64)
            for name, array in arrays.items()
            if name.startswith("dense_")
        }
        return EntailmentModel(
            info,
            tuple(str(each) for each in arrays["hypotheses"]),
            WordWeights(
                np.cumsum(arrays["steps"].astype(np.int64)),
                arrays["rarity"].astype(np.float32),
                arrays["weights"].astype(np.int8),
                arrays["scales"].astype(np.float32),
                arrays["bias"].astype(np.float32),
            ),
            TreeEnsemble(
                arrays["roots"].astype(np.int32),
                arrays["feature"].astype(np.int16),
                arrays["threshold"].astype(np.float32),
                arrays["left"].astype(np.int32),
                arrays["right"].astype(np.int32),
                arrays["value"].astype(np.float32),
                float(arrays["base"].astype(np.float64)),
                int(arrays["depth"].astype(np.int64)),
            ),
            dense,
            _unseen(dense, "guided"),
            _unseen(dense, "alone"),
            float(dense["margin"]),
            str(arrays["encoder"]),
            encoder,
        )
    except (KeyError, ValueError) as error:
        raise ModelError(
            f"model {info.name}: {FILE} is not of the form that is read ({error!r}).",
            remedy=REMEDY,
        ) from error


def _unseen(dense: Mapping[str, NDArray[np.float64]], name: str) -> UnseenHypotheses:
    first, ranked, mentioned = (
        (dense[f"{name}_{part}"][:-1], float(dense[f"{name}_{part}"][-1]))
        for part in ("first", "ranked", "mentioned")
    )
    return UnseenHypotheses(first, ranked, mentioned, float(dense[f"{name}_margin"]))
