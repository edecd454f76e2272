"""The entailment model: what a document says of hypotheses, and the spans that show it.

For the hypotheses that it was trained on, it has a head each; any other is judged by what its
words, its meaning and its denials share with the spans. All is numpy, but for the meaning, which
needs an encoder, and is left out where there is none.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from fourcorners.errors import ModelError
from fourcorners.models.card import CARD, REMEDY, ModelInfo, read_card
from fourcorners.models.encoder import Encoder
from fourcorners.models.entailment_features import (
    Place,
    codes,
    context,
    placed,
    shared,
    speech,
    telling,
)
from fourcorners.models.entailment_verdict import LABELS, Verdict
from fourcorners.models.registry import WEIGHTS
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

NAME = "entailment"
FILE = "heads.npz"
FIRST = 4
"""So many spans are read for the label, the best first."""
_FAINT = 0.3  # the length that a document's evidence has at least, when it is scaled to one
_TOP = 3
_SAME = 0.8  # of the words of two hypotheses, for them to be the same
KINDS = 5  # numbers of `speech`
LEAST = 1e-3  # a head's probability counts as no less


def sigmoid(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log odds."""
    import numpy as np

    return 1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30)))


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of each row."""
    import numpy as np

    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True)
class Trees:
    """Regression trees whose leaves add up; a leaf's children are the leaf itself.

    Attributes:
        roots: The place of each tree's first node.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]
    base: float
    depth: int

    def __call__(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum for each row."""
        import numpy as np

        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            seen = np.take_along_axis(rows, self.feature[at].astype(np.intp), axis=1)
            at = np.where(seen <= self.threshold[at], self.left[at], self.right[at])
        return np.asarray(self.base + self.value[at].sum(axis=1, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class Words:
    """Runs of words that count, and what they say for each head.

    Attributes:
        buckets: Their hashes, in order.
        rarity: The weight of each.
        weights: An array (buckets, heads) of small integers, times `scales` for each head.
    """

    buckets: NDArray[np.int64]
    rarity: NDArray[np.float32]
    weights: NDArray[np.int8]
    scales: NDArray[np.float32]
    bias: NDArray[np.float32]

    def rows(self, texts: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return which buckets the texts hold, and an array (texts, these): rows of length one."""
        import numpy as np

        found = [self._known(codes(text)) for text in texts]
        used = np.unique(np.concatenate([np.zeros(0, np.intp), *found]))
        values = np.zeros((len(texts), len(used)), np.float32)
        for row, columns in enumerate(found):
            values[row, np.searchsorted(used, columns)] = self.rarity[columns]
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        return np.asarray(used, np.intp), np.asarray(
            values / np.where(lengths > 0, lengths, 1), np.float32
        )

    def _known(self, wanted: NDArray[np.int64]) -> NDArray[np.intp]:
        import numpy as np

        at = np.minimum(np.searchsorted(self.buckets, wanted), len(self.buckets) - 1)
        return np.asarray(at[self.buckets[at] == wanted], np.intp)

    def of(self, used: NDArray[np.intp], heads: slice) -> NDArray[np.float32]:
        """Return the weights of some buckets for some heads."""
        import numpy as np

        return self.weights[used, heads].astype(np.float32) * self.scales[heads]


def bag(rows: NDArray[np.float32], logits: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the words of a document's likely evidence: the less likely, the fainter."""
    import numpy as np

    order = np.argsort(-logits, kind="stable")[:FIRST]
    mixed = sigmoid(logits[order]).astype(np.float32) @ rows[order]
    return np.asarray(mixed / max(float(np.linalg.norm(mixed)), _FAINT), np.float32)


def tops(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the highest log odds of an array (spans, hypotheses), the best first."""
    import numpy as np

    padded = np.concatenate([logits, np.full((_TOP, logits.shape[1]), -8.0)])
    return np.sort(padded, axis=0)[::-1][:_TOP]


def label_signs(
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
        best: The highest log odds that a span is evidence, as of `tops`.
        mass: How much evidence there is in all.
        first: The highest score of a span by its words alone.
    """
    import numpy as np

    entailed, contradicted, neither = np.log(np.clip(probabilities, LEAST, 1)).T
    return np.stack(
        [
            *(entailed - neither, contradicted - entailed, contradicted - neither, against),
            *(best[0], best[1], np.log1p(mass), first),
        ],
        axis=1,
    )


def general_signs(
    texts: Sequence[str], hypothesis: str, scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what the label of an unknown hypothesis is read from, given its evidence's scores."""
    import numpy as np

    order = np.argsort(-scores, kind="stable")[:2]
    best = tops(scores[:, None])[:, 0]
    asked = np.array(speech(hypothesis))
    said = np.array([speech(texts[at]) for at in order] or [[0.0] * KINDS]).mean(axis=0)
    crossed = np.outer(asked[:3], said[:4]).ravel()
    return np.concatenate(
        [best, [np.log1p(sigmoid(scores).sum())], asked, said, crossed, best[0] * asked[:3]]
    )


@dataclass(frozen=True, slots=True)
class Entailment:
    """The model, read."""

    info: ModelInfo
    hypotheses: tuple[str, ...]
    words: Words
    trees: Trees
    arrays: Mapping[str, NDArray[np.float64]]
    encoder: Encoder | None = None

    def judge(self, text: str, spans: Sequence[Span], hypotheses: Sequence[str]) -> list[Verdict]:
        """Return what a document says of each hypothesis.

        Args:
            text: The document.
            spans: What may be evidence, in order of position: its sentences, say.
            hypotheses: Sentences. Those that the model was trained on are recognised.
        """
        if not spans:
            return [Verdict(LABELS[2], (0.0, 0.0, 1.0), ()) for _ in hypotheses]
        texts = [span.of(text) for span in spans]
        place = placed(texts)
        found = [self.known(hypothesis) for hypothesis in hypotheses]
        verdicts: dict[int, Verdict] = {}
        if any(each is not None for each in found):
            verdicts = dict(enumerate(self._of_known(texts, place)))
        vectors = None
        if self.encoder is not None and any(each is None for each in found):
            vectors = self.encoder.encode(texts)
        return [
            verdicts[column]
            if column is not None
            else self._of_unknown(texts, place, hypothesis, vectors)
            for hypothesis, column in zip(hypotheses, found, strict=True)
        ]

    def learned_from(self) -> frozenset[str]:
        """Return the digests of the whole documents that the model has learned from."""
        import yaml

        card = yaml.safe_load((self.info.folder / CARD).read_text("utf-8"))
        return frozenset(card.get("documents_learned_from", ()))

    def known(self, hypothesis: str) -> int | None:
        """Return which of the known hypotheses a sentence is, None if none.

        It must use nearly the same words, and deny and permit in the same way.
        """
        asked = frozenset(telling(hypothesis))
        best: tuple[float, int] | None = None
        for place, known in enumerate(self.hypotheses):
            words = frozenset(telling(known))
            share = len(asked & words) / max(1, len(asked | words))
            alike = speech(known)[:3] == speech(hypothesis)[:3]
            if alike and share >= _SAME and (best is None or share > best[0]):
                best = (share, place)
        return best[1] if best else None

    def _of_known(self, texts: Sequence[str], place: Place) -> list[Verdict]:
        import numpy as np

        count = len(self.hypotheses)
        used, rows = self.words.rows(texts)
        heads = [slice(at * count, (at + 1) * count) for at in range(5)]
        weights, bias = self.words.of(used, slice(0, 5 * count)), self.words.bias
        scores = rows @ weights[:, heads[0]] + bias[heads[0]]
        logits = np.stack(
            [self.trees(context(scores, column, place)) for column in range(count)], axis=1
        )
        bags = np.stack([bag(rows, logits[:, column]) for column in range(count)])
        three = np.stack(
            [(bags * weights[:, heads[at]].T).sum(axis=1) + bias[heads[at]] for at in (2, 3, 4)],
            axis=1,
        )
        best = tops(logits)
        extra = np.concatenate([best.T / 4, np.broadcast_to(best[0] / 12, (count, count))], axis=1)
        three = three + np.einsum("hf,hfl->hl", extra, self.arrays["extra"])
        against = (bags * weights[:, heads[1]].T).sum(axis=1) + bias[heads[1]]
        signs = label_signs(
            softmax(three), against, best, sigmoid(logits).sum(axis=0), scores.max(axis=0)
        )
        scaled = (signs - self.arrays["mean"]) / self.arrays["spread"]
        labels = softmax(scaled @ self.arrays["signs"] + self.arrays["each"])
        return [_verdict(labels[at], logits[:, at]) for at in range(count)]

    def _of_unknown(
        self,
        texts: Sequence[str],
        place: Place,
        hypothesis: str,
        vectors: NDArray[np.float32] | None,
    ) -> Verdict:
        cosines = None
        if vectors is not None and self.encoder is not None:
            cosines = vectors @ self.encoder.encode([hypothesis])[0]
        which = "words" if cosines is None else "meaning"
        signs = shared(texts, hypothesis, place, cosines)
        logits = signs @ self.arrays[f"{which}_evidence"] + self.arrays[f"{which}_evidence_bias"]
        of_label = general_signs(texts, hypothesis, logits)
        scores = of_label @ self.arrays[f"{which}_label"] + self.arrays[f"{which}_label_bias"]
        return _verdict(softmax(scores), logits)


def digest(text: str) -> str:
    """Return what a card calls a document that was learned from."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def _verdict(labels: NDArray[np.float64], logits: NDArray[np.float64]) -> Verdict:
    import numpy as np

    chances = sigmoid(logits)
    order = np.argsort(-logits, kind="stable").tolist()
    entailed, contradicted, neither = (float(each) for each in labels)
    return Verdict(
        LABELS[int(np.argmax(labels))],
        (entailed, contradicted, neither),
        tuple((at, float(chances[at])) for at in order),
    )


def load(encoder: Encoder | None = None) -> Entailment:
    """Return the model that comes with the package; its file is read once, and verified.

    Raises:
        ModelError: If its card or file is missing or damaged.
    """
    from dataclasses import replace

    model = _read()
    return replace(model, encoder=encoder) if encoder is not None else model


@cache
def _read() -> Entailment:
    import numpy as np

    info = read_card(WEIGHTS / NAME)
    with np.load(io.BytesIO(info.read(FILE)), allow_pickle=False) as file:
        return assembled(info, {name: file[name] for name in file.files})


def assembled(info: ModelInfo, arrays: Mapping[str, NDArray[np.generic]]) -> Entailment:
    """Return the model of the arrays of its file.

    Raises:
        ModelError: If one is missing.
    """
    import numpy as np

    try:
        return Entailment(
            info,
            tuple(str(each) for each in arrays["hypotheses"]),
            Words(
                np.cumsum(arrays["steps"].astype(np.int64)),
                arrays["rarity"].astype(np.float32),
                arrays["weights"].astype(np.int8),
                arrays["scales"].astype(np.float32),
                arrays["bias"].astype(np.float32),
            ),
            Trees(
                arrays["roots"].astype(np.int32),
                arrays["feature"].astype(np.int16),
                arrays["threshold"].astype(np.float32),
                arrays["left"].astype(np.int32),
                arrays["right"].astype(np.int32),
                arrays["value"].astype(np.float32),
                float(arrays["base"].astype(np.float64)),
                int(arrays["depth"].astype(np.int64)),
            ),
            {
                name.removeprefix("dense_"): array.astype(np.float64)
                for name, array in arrays.items()
                if name.startswith("dense_")
            },
        )
    except (KeyError, ValueError) as error:
        raise ModelError(
            f"model {info.name}: {FILE} is not of the form that is read ({error!r}).",
            remedy=REMEDY,
        ) from error
