"""The clause reader in a review: which provisions it judges, and what it lets them quote.

The reader was taught beside the queries of the built-in playbooks: what a query says is one of its
signs. A provision whose id it knows is judged by it as long as query and look-alikes are those; a
playbook that words them anew, and a provision of any other id, is judged by the query's curve.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.models.clause_features import Sentences
from fourcorners.models.clause_reader import ClauseReader, Heard
from fourcorners.outline.dates import find_dates
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.calibration import Curve
from fourcorners.review.reading import Reading
from fourcorners.review.scoring import FEATURES, Prepared, best_first, has_meaning, score
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DATED = "effective-date"  # the provision that a contract's first sentence answers by its date alone
OPENING = 6_000  # characters within which a contract's first sentence stands
MARGIN = 0.0
_LONG = 120  # characters from which a sentence says more than its date
_PARTIES = re.compile(r"\b(between|among|amongst|by and|made|entered|dated)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:\b(?:is|are|was|made|and|effective|entered|into|dated|as|of|on|from|with|effect|the|this)"
    r"\b[\s,]*)+$",
    re.IGNORECASE,
)


_OF_MEANING = [FEATURES.index("meaning"), FEATURES.index("meaning_of_best")]


@dataclass(frozen=True, slots=True)
class Judge:
    """The clause reader, and whether the library's vectors are of the encoder it knows."""

    reader: ClauseReader
    vectors: bool

    def knows(self, provision: Provision) -> bool:
        """Tell whether a provision is the reader's: by its id, and by its query's words."""
        return self.reader.knows(provision.id, taught_query(provision))

    def listen(self, reading: Reading) -> Heard:
        """Read a document, once for all its provisions."""
        import numpy as np

        segments = reading.segments
        sentences = Sentences(
            reading.document.text,
            reading.index,
            [segment.span for segment in segments],
            [reading.headings[segment.passage] for segment in segments],
        )
        passages = np.array([segment.passage for segment in segments], np.int64)
        return self.reader.listen(sentences, passages, reading.vectors if self.vectors else None)

    def candidates(
        self, reading: Reading, prepared: Prepared, heard: Heard, curve: Curve, most: int
    ) -> list[tuple[Span, float]]:
        """Return what was considered of a provision with its probability, best first.

        A sentence that the query's curve is sure of counts though the reader is not: the reader
        learned from American filings, and does not know every way to draft.
        """
        import numpy as np

        query = score(reading, prepared)
        by_query = curve.probability(query)
        if heard.meaning is None or not has_meaning(reading, prepared):
            query[:, _OF_MEANING] = 0.0
        provision = prepared.provision.id
        probability = self.reader.probability(heard, query, provision)
        found, _ = self.reader.limits(provision)
        probability = np.maximum(probability, on_scale(by_query, curve, found))
        spans = [segment.span for segment in reading.segments]
        return considered(reading.document.text, spans, probability, provision, most)


def on_scale(probability: NDArray[np.float32], curve: Curve, limit: float) -> NDArray[np.float32]:
    """Return a curve's probabilities on the reader's scale, 0 where the curve is not sure.

    It is sure from its threshold and `MARGIN` of the way to certainty on: that is as much as the
    probability from which the reader would have found the provision.
    """
    import numpy as np

    sure = curve.threshold + MARGIN * (1 - curve.threshold)
    scaled = np.interp(probability, [sure, 1.0], [limit, 1.0])
    return np.where(probability >= sure, scaled, 0.0).astype(np.float32)


def taught_query(provision: Provision) -> str:
    """Return a short hash of what a provision's query says and avoids."""
    said = f"{provision.query}\n{provision.avoid or ''}"
    return hashlib.sha256(said.encode("utf-8")).hexdigest()[:12]


def considered(
    text: str,
    spans: Sequence[Span],
    probability: NDArray[np.float32],
    provision: str,
    most: int,
) -> list[tuple[Span, float]]:
    """Return the likeliest sentences, best first, with the words of each to quote."""
    found = [(spans[at], round(float(probability[at]), 5)) for at in best_first(probability, most)]
    if provision != DATED:
        return found
    return [(narrowed(text, span), score) for span, score in found]


def narrowed(text: str, span: Span) -> Span:
    """Return the date in a sentence that opens a contract, with the words that lead to it."""
    if span.start > OPENING or len(span) < _LONG or not _PARTIES.search(span.of(text)):
        return span
    first = next(iter(find_dates(text, span)), None)
    if first is None:
        return span
    lead = _LEAD.search(text, span.start, first.span.start)
    return Span(lead.start() if lead else first.span.start, first.span.end)
