"""The figures of a statement for which the words quoted have a different one.

Figures are compared that measure the same, by the words around them, at the same time: "the Fee is
£9" and "the Fee is £5", but not "after the first year" and "in the first year".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fourcorners.research.agents.figures import Figure, blank_spans, find_figures
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.stems import FRAME, IDLE, stem_tokens
from fourcorners.text.tokenization import tokenize
from fourcorners.text.values.quantities import PERCENT

_PATTERNS = load_patterns("fourcorners.research.agents", "contradictions")
_TIMES = _PATTERNS["times"]
# Where the words of one figure end and those of the next begin.
_BOUNDARY = re.compile(r"[,;:.]\s|\s(?:and|or|but)\b")
_SENTENCE_END = re.compile(r"[.;]\s")
_NEAR = 8  # words before and after a figure that say what it measures
_ALIKE = 0.5  # share of the words of two figures above which they measure the same
_IN_A_YEAR = {"year": 1, "quarter": 4, "month": 12, "fortnight": 26, "week": 52, "day": 365}
# Words of rates, which are compared by themselves.
_UNITS = "annual annum day daily week weekly fortnight month monthly quarter quarterly year yearly"
_SHARED = frozenset(stem_tokens(_UNITS.split()))


@dataclass(frozen=True, slots=True)
class _Mention:
    """A figure with the stems of the words that say what it measures.

    Attributes:
        time: When it applies: "after first year"; empty where that is not said.
        following: The figure after it in its sentence.
    """

    figure: Figure
    role: frozenset[str]
    time: str
    following: Figure | None

    def may_differ(self, other: _Mention, own: float) -> bool:
        """Return whether it differs from a figure for another time.

        "€48 a year" and "€4 a month" are the same. Others tell only where the statement's own
        figure is alike, too: "2% a month on rent and 5% a year on charges".
        """
        one, two = self.figure, other.figure
        if not (one.rate and two.rate) or one.rate == two.rate:
            return True
        times = _IN_A_YEAR.get(one.rate, 0), _IN_A_YEAR.get(two.rate, 0)
        return own >= _ALIKE and one.value * times[0] != two.value * times[1]

    def likeness(self, others: Iterable[_Mention]) -> float:
        """Return the largest share of words that it has in common with one of some others."""
        sizes = ((len(self.role & e.role), len(self.role) + len(e.role)) for e in others)
        return max((2 * common / (both or 1) for common, both in sizes), default=0.0)


def contradicting_figures(
    statement: str, quotes: Iterable[str], known: Collection[Figure] = ()
) -> list[str]:
    """Return the figures of a statement for which the quotes have a different one, in its words.

    Figures that measure the same, by the words around them, are compared: "The Fee is £9" and "The
    Fee is £5". A figure of the quotes that has the same value, or from which the statement's own is
    computed (it is `known`), may be meant as well.
    """
    written = [each for text in quotes for each in _mentions(text)]
    stated = _mentions(statement)
    named = [each.figure for each in stated]
    shares = [each.figure for each in written if each.figure.unit == PERCENT]
    is_raised = any(each.is_share(shares) for each in known)
    found = []
    for each in stated:
        peers = _peers(each, written)
        is_written = any(each.figure.is_known([peer.figure]) for peer in peers)
        meant = _meant(each.figure, peers, known, is_raised=is_raised)
        own = each.likeness(meant)
        rivals = [
            peer
            for peer in peers
            if peer not in meant
            and (is_written or not peer.figure.is_known(named))
            and each.may_differ(peer, own if is_written else 0.0)
        ]
        if each.likeness(rivals) > max(own, _ALIKE):
            found.append(each.figure.name)
    return list(dict.fromkeys(found))


def _peers(stated: _Mention, written: Sequence[_Mention]) -> list[_Mention]:
    """Return the figures with which one of a statement is compared.

    They count the same at the same time. One is not compared that another sentence names before
    the statement's: "“£5” is replaced by “£9”".
    """
    figure = stated.figure
    replaced = [each for each in written if each.following and figure.is_known([each.following])]
    peers = [
        each
        for each in written
        if each.figure.dimension == figure.dimension
        and not any(
            other is not each and each.figure.is_known([other.figure]) for other in replaced
        )
    ]
    if not stated.time:
        return peers
    at_that_time = [each for each in peers if each.time == stated.time]
    is_at_another = any(each.time and figure.is_known([each.figure]) for each in peers)
    return at_that_time or [each for each in peers if not (each.time or is_at_another)]


def _meant(
    figure: Figure, peers: Iterable[_Mention], known: Collection[Figure], *, is_raised: bool
) -> list[_Mention]:
    """Return the figures that a statement may mean: of the same value, or what it is computed from.

    A multiple of a single one is not for the same time, and is no period: three notices of 90 days
    are no notice of 270.
    """
    same = [each for each in peers if figure.is_known([each.figure])]
    if same:
        return same
    sources = [each for each in peers if each.figure.is_known(known)]
    if is_raised or len({each.figure.value for each in sources}) > 1:
        return sources
    is_period = figure.dimension == "time"
    return [
        each
        for each in sources
        if not is_period and not (figure.rate and figure.rate == each.figure.rate)
    ]


def _mentions(text: str) -> list[_Mention]:
    """Return the figures of a text with the words that say what each measures, and when.

    A figure that has no words before it shares those of the last of its kind in the sentence: "£5
    for loss and £9 for death".
    """
    figures = find_figures(text)
    times = _find_times(text, figures)
    figures = [each for each in figures if not any(time.overlaps(each.span) for time in times)]
    spans = sorted({each.span for each in figures})
    bare = blank_spans(text, [*spans, *times])
    starts = [0, *(_boundary(bare, *pair) for pair in pairwise(spans)), len(text)]
    found: list[_Mention] = []
    before: dict[tuple[str, Span], list[str]] = {}
    for at, span in enumerate(spans):
        own_figures = [each for each in figures if each.span == span]
        sentence = _sentence(text, span)
        kind = own_figures[0].dimension, sentence
        own = _content(bare[max(starts[at], sentence.start) : span.start])[-_NEAR:]
        before[kind] = own or before.get(kind, [])
        end = _BOUNDARY.search(bare, span.end, starts[at + 1])
        rest = bare[span.end : end.start() if end else starts[at + 1]]
        words = frozenset((*before[kind], *_content(rest)[:_NEAR]))
        if "respectively" in sentence.text_in(text).casefold():
            words = frozenset()
        nexts = (each for each in figures if span.end < each.span.start < sentence.end)
        context = (words, _nearest_time(text, span, sentence, times), next(nexts, None))
        found += [_Mention(each, *context) for each in own_figures]
    return found


def _sentence(text: str, span: Span) -> Span:
    starts = [each.end() for each in _SENTENCE_END.finditer(text, 0, span.start)]
    end = _SENTENCE_END.search(text, span.end)
    return Span(starts[-1] if starts else 0, end.start() if end else len(text))


def _find_times(text: str, figures: Iterable[Figure]) -> dict[Span, str]:
    """Return the words for a time; not those of a period such as "30 days after delivery"."""
    periods = [each.span.end for each in figures if each.dimension == "time"]
    return {
        Span(*each.span()): f"{each['side'] or ''} {each['when']}".casefold().strip()
        for each in _TIMES.finditer(text)
        if each["nth"] or not any(text[end : each.start()].isspace() for end in periods)
    }


def _nearest_time(text: str, span: Span, sentence: Span, times: Mapping[Span, str]) -> str:
    """Return the words for a time that are nearest to a figure in its sentence."""
    found = []
    for time, words in times.items():
        if time.start >= sentence.start and time.end <= sentence.end:
            is_after = time.start > span.start
            between = text[span.end : time.start] if is_after else text[time.end : span.start]
            found.append((len(_BOUNDARY.findall(between)), is_after, len(between), words))
    return min(found)[-1] if found else ""


def _boundary(text: str, one: Span, other: Span) -> int:
    """Return where the words of the second of two figures begin."""
    found = _BOUNDARY.search(text, one.end, other.start)
    return found.start() if found else one.end


def _content(text: str) -> list[str]:
    tokens = [each for each in tokenize(text).tokens if each not in IDLE and each not in FRAME]
    return [each for each in stem_tokens(tokens) if each not in _SHARED and not each.isdigit()]
