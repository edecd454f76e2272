"""What the entailment model looks at: words of spans, their neighbours, and a hypothesis."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUCKETS = 1 << 19
"""Features of a text are hashed into so many buckets."""
_SHORT = 3  # letters of words whose beginnings do not count
_COUNTED = frozenset(("not", "no", "may", "any", "all"))  # although they are short
_APART = (2, 3, 4)
NONE = -8.0
"""The score of a span that is not there."""
_FAR = 12  # spans between an item of a list and its lead-in, at most
_ITEM = re.compile(r"[(\[]?\w{1,4}[)\].]")
_OPEN = (";", ",", "and", "or")
_STEM = 5  # letters that make the beginning of a word
DENIALS = frozenset(["not", "no", "nor", "neither", "never", "without", "none", "nothing"])
PERMISSIONS = frozenset(["may", "can", "permitted", "entitled", "right", "allowed"])
_IDLE_WORDS = (
    "a an the all any some such this that these those and or as at be been are is by for from has "
    "have if in it its of on than to under upon with which who their there can may must shall "
    "should will would agreement party parties receiving disclosing recipient discloser s"
)
_IDLE = frozenset(_IDLE_WORDS.split())


def tokenize_entailment(text: str) -> list[str]:
    """Return the words of a text; numbers of equally many digits are one word."""
    return ["0" * min(len(word), 4) if word.isdigit() else word for word in tokenize(text).tokens]


def hash_ngrams(text: str) -> NDArray[np.int64]:
    """Return the hashes of what a text says, each once, in order.

    They are its runs of one to three words, and of the beginnings of its longer words the single
    ones, the runs of two, and the pairs that are a little apart.
    """
    import numpy as np

    found = tokenize_entailment(text)
    long = [word[:_STEM] for word in found if len(word) > _SHORT or word in _COUNTED]
    stems = set(found)
    stems.update(map(" ".join, pairwise(found)))
    stems.update(map(" ".join, zip(found, found[1:], found[2:], strict=False)))
    stems.update(f"~{stem}" for stem in long)
    stems.update(f"~{first} {second}" for first, second in pairwise(long))
    for apart in _APART:
        stems.update(f"{a}_{b}" for a, b in zip(long, long[apart:], strict=False))
    hashed = {zlib.crc32(each.encode("utf-8", "replace")) % BUCKETS for each in stems}
    return np.array(sorted(hashed), np.int64)


@dataclass(frozen=True, slots=True)
class SpanPositions:
    """How the spans of a document relate to each other.

    Attributes:
        leading: For each span the place of the lead-in of its list, -1 where it is in none.
        appearance: Numbers on the form of each span: length, whether it begins small, ends with a
            colon, begins with a marker, has fewer than four words, and how far down it is.
    """

    leading: NDArray[np.intp]
    appearance: NDArray[np.float32]


def span_positions(texts: Sequence[str]) -> SpanPositions:
    """Return how the spans of a document relate to each other, in order of position."""
    import numpy as np

    lead, looks, opened = [], [], -1
    for at, text in enumerate(texts):
        plain = text.strip()
        item = bool(_ITEM.match(plain))
        small = plain[:1].islower()
        within = (item or small) and opened >= 0 and at - opened < _FAR
        lead.append(opened if within else -1)
        if plain.endswith(":"):
            opened = at
        elif not item and not small and not plain.endswith(_OPEN):
            opened = -1
        count = len(tokenize(text).tokens)
        looks.append(
            (np.log1p(count) / 4, small, plain.endswith(":"), item, count < 4, at / len(texts))
        )
    return SpanPositions(
        np.array(lead, np.intp), np.array(looks, np.float32).reshape(len(texts), 6)
    )


def context_scores(
    scores: NDArray[np.float32], column: int, place: SpanPositions, meant: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return what speaks for each span as evidence of one hypothesis, given all first scores.

    Args:
        scores: An array (spans, known hypotheses): what the words say.
        column: Which hypothesis.
        place: Of the same spans.
        meant: An array like `scores`: what the meaning says.
    """
    import numpy as np

    own, meaning = scores[:, column], meant[:, column]
    others = np.delete(scores, column, axis=1).max(axis=1)
    return np.column_stack(
        [
            *(neighbour_scores(own, place), others, place.appearance),
            *(np.full(len(own), column), meaning, meaning - meaning.max(initial=NONE)),
        ]
    ).astype(np.float32)


def neighbour_scores(own: NDArray[np.floating], place: SpanPositions) -> NDArray[np.float64]:
    """Return the scores of a document's spans relative to each other, one row a span."""
    import numpy as np

    count = len(own)
    best = np.sort(own)[::-1]
    first, second = (float(best[at]) if at < count else NONE for at in (0, 1))
    rank = np.empty(count)
    rank[np.argsort(-own, kind="stable")] = np.arange(count)
    near = [_shifted(own, by) for by in (1, -1, 2, -2)]
    led = place.leading >= 0
    leads = np.where(led, own[np.maximum(place.leading, 0)], NONE)
    items = np.full(count, NONE)
    np.maximum.at(items, place.leading[led], own[led])
    full = np.ones(count)
    return np.stack(
        [
            *(own, own - first, np.log1p(rank), *near, leads, items),
            *(near[0] - first, near[1] - first, first * full, second * full),
        ],
        axis=1,
    ).astype(np.float64)


def _shifted(own: NDArray[np.floating], by: int) -> NDArray[np.float64]:
    import numpy as np

    moved = np.full(len(own), NONE)
    if by > 0:
        moved[by:] = own[:-by]
    else:
        moved[:by] = own[-by:]
    return moved


def content_stems(text: str) -> list[str]:
    """Return the beginnings of the words that tell what a hypothesis says, in order."""
    return [
        word[:_STEM]
        for word in tokenize_entailment(text)
        if word not in _IDLE and word not in DENIALS
    ]


def modality_features(text: str) -> list[float]:
    """Return how a text speaks: whether it denies, permits, obliges, excepts or confines."""
    stems = frozenset(tokenize_entailment(text))
    return [
        float(not stems.isdisjoint(DENIALS)),
        float(not stems.isdisjoint(PERMISSIONS)),
        float(not stems.isdisjoint(("shall", "must", "will", "agrees", "undertakes"))),
        float(not stems.isdisjoint(("except", "unless", "other", "exclude", "excluding"))),
        float(not stems.isdisjoint(("only", "solely", "all", "any"))),
    ]
