"""Find clauses of a provision that differ from the others of the data room.

The similarity of two clauses is half that of their words (TF-IDF over the room's clauses of the
provision) and half that of their passages' vectors. A clause is an outlier if its mean similarity
to its three nearest clauses is far below what is usual in the room, measured by the median absolute
deviation, so that a few odd clauses do not hide each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Extent, Playbook
from fourcorners.review.finding import CellState, Finding, Outlier
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_CLAUSES = 5  # clauses from which one can be an outlier
MAX_NEIGHBOURS = 3  # nearest clauses used for comparison
MIN_DEVIATION = 2.0
"""Robust deviations below the usual similarity from which a clause is flagged.

Chosen by eye on findings in CUAD's contracts, by no command: it flagged 17 of 2,753 clauses of a
room of 455 contracts (9 were no such clause at all, 6 oddly drafted, 2 ordinary), and about 2% of
the clauses of rooms of 5 to 40 drawn from them at random.
"""
MIN_SPREAD = 0.06  # minimum deviation: in a room of one template a comma is not an outlier
MAX_LENGTH = 3_000  # characters of a clause beyond which only its quote is compared
_VOCABULARY = 4_096  # most common words that are compared; rarer ones count as different


@dataclass(frozen=True, slots=True)
class ComparedClause:
    """A clause to compare, with its document, place and words."""

    document: str
    span: Span
    text: str


def flag_outliers(
    library: Library, playbook: Playbook, findings: Sequence[Finding], texts: Mapping[str, str]
) -> list[Finding]:
    """Return the findings of a room, in order, with outliers marked."""
    readings: dict[int, ComparedClause] = {}
    of_provision: dict[str, list[int]] = {}
    facts = {each.id for each in playbook.provisions if each.extent is Extent.FACT}
    for at, finding in enumerate(findings):
        is_counted = finding.state is CellState.FOUND
        best = finding.best
        if is_counted and best is not None and finding.provision not in facts:
            of_provision.setdefault(finding.provision, []).append(at)
            long = len(best.clause) > MAX_LENGTH
            span = best.quote.span if long and best.quote.span is not None else best.clause
            text = span.text_in(texts[finding.document])
            readings[at] = ComparedClause(finding.document, span, text)
    compared = {name: places for name, places in of_provision.items() if len(places) >= MIN_CLAUSES}
    marked = list(findings)
    if not compared:
        return marked
    wanted = {at: readings[at] for places in compared.values() for at in places}
    vectors = _vectors(library, wanted)
    for places in compared.values():
        clauses = [readings[at] for at in places]
        meaning = [vectors.get(at) for at in places]
        for number, outlier in find_outliers(clauses, meaning).items():
            at = places[number]
            marked[at] = replace(marked[at], outlier=outlier)
    return marked


def find_outliers(
    clauses: Sequence[ComparedClause], vectors: Sequence[NDArray[np.float32] | None]
) -> dict[int, Outlier]:
    """Return the outliers among the clauses, by their positions."""
    import numpy as np

    if len(clauses) < MIN_CLAUSES:
        return {}
    likeness = _by_words([each.text for each in clauses])
    known = [vector for vector in vectors if vector is not None]
    if len(known) == len(clauses):
        matrix = np.stack(known)
        likeness = (likeness + (matrix @ matrix.T).astype(np.float32)) / np.float32(2)
    np.fill_diagonal(likeness, -1.0)
    count = min(MAX_NEIGHBOURS, len(clauses) - 1)
    near = np.partition(likeness, -count, axis=1)[:, -count:].mean(axis=1)
    usual = float(np.median(near))
    spread = max(MIN_SPREAD, 1.4826 * float(np.median(np.abs(near - usual))))
    far = (usual - near) / spread
    found = {}
    for at in np.flatnonzero(far >= MIN_DEVIATION):
        nearest = clauses[int(likeness[at].argmax())]
        score = float(far[at] / (far[at] + MIN_DEVIATION))  # a half at the cut
        found[int(at)] = Outlier(round(score, 4), nearest.document, nearest.span)
    return found


def _by_words(texts: Iterable[str]) -> NDArray[np.float32]:
    """Return the similarity of texts by shared words, 0 to 1, shape (n, n)."""
    import numpy as np

    counts = [
        Counter(word for word in tokenize(text).tokens if len(word) > 1 and not word.isdigit())
        for text in texts
    ]
    bearing = Counter(word for each in counts for word in each)
    common = sorted(bearing, key=lambda word: (-bearing[word], word))[:_VOCABULARY]
    place = {word: at for at, word in enumerate(common)}
    matrix = np.zeros((len(counts), len(place)), np.float32)
    for row, each in enumerate(counts):
        size = 0.0
        for word, count in each.items():
            weight = (1 + math.log(count)) * math.log(1 + len(counts) / max(2, bearing[word]))
            size += weight * weight
            if word in place:
                matrix[row, place[word]] = weight
        matrix[row] /= max(math.sqrt(size), 1e-9)
    likeness: NDArray[np.float32] = matrix @ matrix.T
    return likeness


def _vectors(
    library: Library, readings: Mapping[int, ComparedClause]
) -> dict[int, NDArray[np.float32]]:
    """Return the combined vector of each clause's passages, one for each model.

    A passage is weighted by the share of it in the clause. Without vectors the result is empty.
    """
    import numpy as np

    found: dict[int, NDArray[np.float32]] = {}
    if library.encoder is None:
        return found
    by_document: dict[str, list[int]] = {}
    for at, reading in readings.items():
        by_document.setdefault(reading.document, []).append(at)
    for document, places in by_document.items():
        matrix = library.vectors(document=document).matrix
        spans = [passage.span for passage in library.passages(document)]
        if len(spans) != len(matrix):
            continue
        starts = np.array([span.start for span in spans])
        ends = np.array([span.end for span in spans])
        for at in places:
            span = readings[at].span
            inside = np.minimum(ends, span.end) - np.maximum(starts, span.start)
            share = np.maximum(inside, 0) / np.maximum(ends - starts, len(span))
            vector = np.asarray(share @ matrix, np.float32)
            size = float(np.linalg.norm(vector))
            if size:
                found[at] = vector / np.float32(size)
    return found
