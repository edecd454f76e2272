"""The figures of a statement for which the words quoted have a different one.

Figures are compared that measure the same, by the words around them, at the same time: "the Fee is
£9" and "the Fee is £5", but not "after the first year" and "in the first year".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from fourcorners.research.agents.figures import YEAR, Figure, blank_spans, find_figures
from fourcorners.research.agents.named_years import find_years
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.stems import FRAME, IDLE, stem_tokens
from fourcorners.text.tokenization import tokenize
from fourcorners.text.values.quantities import PERCENT

_PATTERNS = load_patterns("fourcorners.research.agents", "contradictions")
_TIMES = _PATTERNS["times"]
_SIDE = _PATTERNS["side"]  # of a year
_ACTS = _PATTERNS["acts"]
_ASIDE = _PATTERNS["aside"]
_LONGEST_ASIDE = 60  # characters before a figure that say whether its phrase is set off
_LONGEST_SIDE = 20  # characters before a year that say on which side of it a time is
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
        near: Those in the same part of the sentence.
        time: When it applies: "after first year", or the years of a list; empty where that is not
            said.
        following: The figure after it in its sentence.
    """

    figure: Figure
    role: frozenset[str]
    near: frozenset[str]
    time: frozenset[str]
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

    def likeness(self, others: Iterable[_Mention], *, near: bool = False) -> float:
        """Return the largest share of words that it has in common with one of some others."""
        own = self.near if near else self.role
        sizes = ((len(own & e.role), len(own) + len(e.role)) for e in others)
        return max((2 * common / (both or 1) for common, both in sizes), default=0.0)

    def is_nearer(self, one: Sequence[_Mention], others: Sequence[_Mention]) -> bool:
        """Tell whether it measures the same as one of some, rather than as one of others."""
        rival = self.likeness(one)
        is_alike = rival > max(self.likeness(others), _ALIKE)
        return is_alike and self.likeness(one, near=True) >= self.likeness(others, near=True)


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
    shares = [each.figure for each in written if each.figure.unit == PERCENT]
    is_raised = any(each.is_share(shares) for each in known)
    found = []
    for each in stated:
        peers = _peers(each, written)
        named = [
            one.figure
            for one in stated
            if not each.time or not one.time or not one.time.isdisjoint(each.time)
        ]
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
        if each.is_nearer(rivals, meant):
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
    at_that_time = [each for each in peers if not each.time.isdisjoint(stated.time)]
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
    acts = [Span(*each.span()) for each in _ACTS.finditer(text)]
    figures = [each for each in find_figures(text) if not any(map(each.span.overlaps, acts))]
    times = _find_times(text, figures)
    figures = [each for each in figures if not any(time.overlaps(each.span) for time in times)]
    spans = sorted({each.span for each in figures})
    bare = blank_spans(text, [*spans, *times])
    asides = {
        each.span: _is_aside(bare, each.span)
        for each in figures
        if each.dimension in ("time", "date")
    }
    starts = [0, *(_boundary(bare, *pair, asides) for pair in pairwise(spans)), len(text)]
    found: list[_Mention] = []
    before: dict[tuple[str, Span], list[str]] = {}
    for at, span in enumerate(spans):
        own_figures = [each for each in figures if each.span == span]
        sentence = _sentence(text, span)
        kind = own_figures[0].dimension, sentence
        lead = bare[max(starts[at], sentence.start) : span.start]
        own = _content(lead)[-_NEAR:]
        before[kind] = own or before.get(kind, [])
        ends = [each.start() for each in _BOUNDARY.finditer(bare, span.end, starts[at + 1])]
        ends = [*ends[asides.get(span, False) :], starts[at + 1]]
        rest = _content(bare[span.end : ends[0]])[:_NEAR]
        words = frozenset((*before[kind], *rest))
        near = frozenset((*_content(_BOUNDARY.split(lead)[-1])[-_NEAR:], *rest))
        if "respectively" in sentence.text_in(text).casefold():
            words = frozenset()
        nexts = (each for each in figures if span.end < each.span.start < sentence.end)
        context = (words, near, _nearest_time(text, span, sentence, times), next(nexts, None))
        found += [_Mention(each, *context) for each in own_figures]
    return found


def _sentence(text: str, span: Span) -> Span:
    starts = [each.end() for each in _SENTENCE_END.finditer(text, 0, span.start)]
    end = _SENTENCE_END.search(text, span.end)
    return Span(starts[-1] if starts else 0, end.start() if end else len(text))


def _find_times(text: str, figures: Sequence[Figure]) -> dict[Span, frozenset[str]]:
    """Return the words for a time; not those of a period such as "30 days after delivery".

    The years of a list are one time; a single year is one for the other figures of its sentence.
    """
    periods = [each.span.end for each in figures if each.dimension == "time"]
    times = {
        Span(*each.span()): frozenset((f"{each['side'] or ''} {each['when']}".casefold().strip(),))
        for each in _TIMES.finditer(text)
        if each["nth"] or not any(text[end : each.start()].isspace() for end in periods)
    }
    others = [each for each in figures if each.unit != YEAR]
    undated = blank_spans(text, {each.span for each in figures if each.unit == "date"})
    for _, listed in groupby(find_years(undated), key=lambda each: each.series):
        years = [*listed]
        span = Span(years[0].span.start, years[-1].span.end)
        sentence = _sentence(text, span)
        if len(years) > 1 or any(each.span.overlaps(sentence) for each in others):
            side = _SIDE.search(text[max(0, span.start - _LONGEST_SIDE) : span.start])
            before = side["side"].casefold() if side else ""
            times[span] = frozenset(f"{before} {e.month} {e.year}" for e in years)
    return times


def _nearest_time(
    text: str, span: Span, sentence: Span, times: Mapping[Span, frozenset[str]]
) -> frozenset[str]:
    """Return the words for a time that are nearest to a figure in its sentence."""
    found = []
    for time in times:
        if time.start >= sentence.start and time.end <= sentence.end:
            is_after = time.start > span.start
            between = text[span.end : time.start] if is_after else text[time.end : span.start]
            found.append((len(_BOUNDARY.findall(between)), is_after, len(between), time))
    return times[min(found)[-1]] if found else frozenset()


def _is_aside(text: str, span: Span) -> bool:
    """Tell whether a figure's phrase is set off: "shall, within ten days, pay"."""
    return bool(_ASIDE.search(text[max(0, span.start - _LONGEST_ASIDE) : span.start]))


def _boundary(text: str, one: Span, other: Span, asides: Mapping[Span, bool]) -> int:
    """Return where the words of the second of two figures begin.

    The commas around a phrase that is set off are no boundary: what follows it belongs to it.
    """
    found = [each.start() for each in _BOUNDARY.finditer(text, one.end, other.start)]
    inner = found[asides.get(one, False) : len(found) - asides.get(other, False)]
    return next(iter(inner or found[-1:]), one.end)


def _content(text: str) -> list[str]:
    tokens = [each for each in tokenize(text).tokens if each not in IDLE and each not in FRAME]
    return [each for each in stem_tokens(tokens) if each not in _SHARED and not each.isdigit()]
