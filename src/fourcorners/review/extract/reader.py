"""The clause reader in a review: which provisions it judges, and what it lets them quote.

The reader was trained with the queries of the built-in playbooks: what a query says is one of its
signs. A provision whose id it knows is judged by it as long as query and look-alikes are those; a
playbook that rewords them, and a provision of any other id, is judged by the query's curve.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.library.contract import Contract
from fourcorners.models.clause_reader.features import Sentences
from fourcorners.models.clause_reader.match import match_features, match_probability
from fourcorners.models.clause_reader.reader import ClauseReader, SentenceScores
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.registry import default_clause_reader
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.extract.scoring import (
    FEATURES,
    Curve,
    PreparedProvision,
    has_meaning,
    score_segments,
    top_positions,
)
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import MONTHS, find_dates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EFFECTIVE = "effective-date"
DATE_PROVISIONS = (
    EFFECTIVE,
    "agreement-date",
)  # whose answer in a contract's first sentence is its date
OPENING = 6_000  # characters within which a contract's first sentence begins
UNREACHABLE = 1.0  # the margin with which a query's curve is never sure enough
_LONG = 30  # characters from which a sentence says more than its date
_PATTERNS = load_patterns("fourcorners.review.extract", "reader")
_PARTIES = _PATTERNS["parties"]
_LEAD = _PATTERNS["lead"]
_LEADING = 80  # characters that the words which lead to a date take at most
_GAP = r"[\s_\[\]●•·*]"
_MONTH = rf"(?:{'|'.join(MONTHS)})"
# A date that is left to be filled in, wholly or in part.
_BLANK = re.compile(
    rf"(?:\b(?:this|the)\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s?|{_GAP}{{2,20}})?\bday\s+of\b"
    rf"(?=\s*(?:{_MONTH}|[_,\[]))(?:\s*{_MONTH}|{_GAP}{{0,20}})(?:,?{_GAP}*(?:19|20)[\d_]{{0,4}})?"
    rf"|\b{_MONTH}{_GAP}{{2,20}},?\s*(?:19|20)[\d_]{{0,4}}"
    r"|\[[\s_●•·*]*\](?:,?\s*(?:19|20)[\d_]{0,4})?"
    r"|(?<=\bof) *, ?(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_TAKES_EFFECT = _PATTERNS["takes_effect"]
# What says when a contract takes effect without a date.
_OF_EFFECT = _PATTERNS["of_effect"]


_OF_MEANING = [FEATURES.index("meaning"), FEATURES.index("meaning_of_best")]


@dataclass(frozen=True, slots=True)
class ProvisionReader:
    """The clause reader, and whether the library's vectors are of the encoder it knows."""

    reader: ClauseReader
    vectors: bool

    @classmethod
    def default(cls, encoder: Encoder | None) -> ProvisionReader:
        """Return the reader that comes with the package, for a library of this encoder."""
        reader = default_clause_reader()
        return cls(reader, encoder is not None and encoder.name == reader.encoder)

    def is_known(self, provision: Provision) -> bool:
        return self.reader.is_known(provision.id, query_hash(provision))

    def read(self, reading: Contract) -> SentenceScores:
        import numpy as np

        segments = reading.sentences
        sentences = Sentences(
            reading.text,
            reading.index,
            [segment.span for segment in segments],
            [reading.headings[segment.passage] for segment in segments],
            reading.unseen,
        )
        passages = np.array([segment.passage for segment in segments], np.int64)
        return self.reader.read(sentences, passages, reading.vectors if self.vectors else None)

    def probability(
        self,
        reading: Contract,
        prepared: PreparedProvision,
        sentence_scores: SentenceScores,
        query: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Return how likely each sentence belongs to a provision; `query` is its `score`."""
        if sentence_scores.meaning is None or not has_meaning(reading, prepared):
            query = query.copy()
            query[:, _OF_MEANING] = 0.0
        return self.reader.probability(sentence_scores, query, prepared.provision.id)

    def candidates(
        self,
        reading: Contract,
        prepared: PreparedProvision,
        sentence_scores: SentenceScores,
        curve: Curve,
        most: int,
    ) -> tuple[list[tuple[Span, float]], list[tuple[Span, float]]]:
        """Return what was considered of a provision, twice, each time the best first.

        First to quote from, by the probability that a sentence belongs to the provision; then as
        an expert would mark it, by the probability that the sentence does so by itself.

        A sentence that the query's curve is sure of counts though the reader is not: the reader
        learned from American filings, and does not know every way to draft.
        """
        import numpy as np

        query = score_segments(reading, prepared)
        by_query = curve.probability(query)
        provision = prepared.provision.id
        probability = self.probability(reading, prepared, sentence_scores, query)
        found, _ = self.reader.limits(provision)
        margin = self.reader.margin(provision)
        blended = np.maximum(probability, rescale_probability(by_query, curve, found, margin))
        spans = [segment.span for segment in reading.sentences]
        found_first = merge_candidates(reading.text, spans, blended, provision, most)
        rows = top_positions(blended, most)
        shown = [span for span, _ in found_first]
        shortened = [spans[row] != left for row, left in zip(rows, shown, strict=True)]
        return found_first, match_candidates(
            shown,
            match_features(probability, sentence_scores.layout, by_query, rows, shortened),
            self.reader.match_weights(provision),
        )


def match_candidates(
    shown: Sequence[Span], signs: NDArray[np.float64], weights: NDArray[np.float32]
) -> list[tuple[Span, float]]:
    """Return candidates with the probability that each is marked by itself, best first."""
    scores = match_probability(signs, weights)
    return [(shown[at], round(float(scores[at]), 5)) for at in top_positions(scores, len(shown))]


def rescale_probability(
    probability: NDArray[np.float32], curve: Curve, limit: float, margin: float
) -> NDArray[np.float32]:
    """Return a curve's probabilities on the reader's scale, 0 where the curve is not sure.

    It is sure from its threshold and `margin` of the way to certainty on: that is as much as the
    probability from which the reader would have found the provision.
    """
    import numpy as np

    if margin >= UNREACHABLE:
        return np.zeros(len(probability), np.float32)
    sure = curve.threshold + margin * (1 - curve.threshold)
    scaled = np.interp(probability, [sure, 1.0], [limit, 1.0])
    return np.where(probability >= sure, scaled, 0.0).astype(np.float32)


def query_hash(provision: Provision) -> str:
    content = f"{provision.query}\n{provision.avoid or ''}"
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]


def merge_candidates(
    text: str,
    spans: Sequence[Span],
    probability: NDArray[np.float32],
    provision: str,
    most: int,
) -> list[tuple[Span, float]]:
    rows = top_positions(probability, most)
    scores = probability[rows].astype(float).round(5).tolist()
    found = [(spans[at], score) for at, score in zip(rows, scores, strict=True)]
    if provision not in DATE_PROVISIONS:
        return found
    return [(narrow_to_date(text, span, provision), score) for span, score in found]


def narrow_candidates(
    text: str, candidates: Sequence[tuple[Span, float]], provision: str
) -> list[tuple[Span, float]]:
    """Return the candidates that can answer; of a date of effect, those that say when it is."""
    if provision != EFFECTIVE:
        return list(candidates)
    return [
        (span, probability)
        for span, probability in candidates
        if _OF_EFFECT.search(text, span.start, span.end)
        or _BLANK.search(text, span.start, span.end)
        or any(True for _ in find_dates(text, span))
    ]


def narrow_to_date(text: str, span: Span, provision: str) -> Span:
    """Return the date in a sentence that opens a contract, be it written or left blank.

    Of several it is the one of taking effect, or of the agreement, as the provision asks.
    """
    if span.start > OPENING or len(span) < _LONG or not _PARTIES.search(span.text_in(text)):
        return span
    dates = [written.span for written in find_dates(text, span)]
    for date in dates:
        before = text[max(span.start, date.start - _LEADING) : date.start]
        if bool(_TAKES_EFFECT.search(before)) == (provision == EFFECTIVE):
            return date
    if dates:
        return dates[0]
    blank = _BLANK.search(text, span.start, span.end)
    return Span(blank.start(), blank.end()).strip(text) if blank else span


def date_quote(text: str, span: Span, provision: str) -> Span:
    """Return what to quote: before a date of effect, the words that lead to it as well."""
    if provision != EFFECTIVE or len(span) > _LEADING:
        return span
    lead = _LEAD.search(text, max(0, span.start - _LEADING), span.start)
    return Span(lead.start(), span.end) if lead else span
