"""Lines as the parser sees them: where they start, what precedes and follows a place."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator

from fourcorners.documents.document import Document, MarkKind
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span, merge_spans

MAX_LINE = 300  # a line longer than this many characters holds several lines of the paper
_PATTERNS = load_patterns("fourcorners.outline.parser", "lines")
_NEW_BLOCK = re.compile(r"\n\s*\n|\n\s*(?:\(?[\dA-Za-z]{1,4}[.)]|\d)|\s*$")
COLUMN_GAP = _PATTERNS["column_gap"]
_BLANKS = "\xa0\u2002\u2003\u2007\u2009\u202f\u3000"  # what some files put between words

_PAGES = 3  # minimum pages with a running header
_LEGEND = 80  # minimum characters of one that is on less than half of the pages

_SMALL = frozenset(
    "a an and as at by for from if in into its no not of off on or per than that the to under "  # noqa: SIM905
    "upon via vs with within without".split()
)
_VERBS = frozenset(
    "means mean shall is are was were will may must has have had agrees agree hereby been".split()  # noqa: SIM905
)
_ENDED = frozenset('.;:!?”")]*_-–—•|>}')


def _blank_running_headers(text: str) -> str:
    """Return the text with the words that many pages start with replaced by line breaks.

    These are the running header of a text that has lost its lines. Offsets do not change.
    """
    tops = [match.span("line") for match in _PATTERNS["page_top"].finditer(text)]
    if len(tops) < _PAGES:
        return text
    led = Counter(" ".join(text[start:end].split(" ", 3)[:3]) for start, end in tops)
    words, count = led.most_common(1)[0]
    if count < _PAGES or not _PATTERNS["running"].match(words):
        return text
    pages = [(start, end) for start, end in tops if text.startswith(f"{words} ", start)]
    if len({text[start:end] for start, end in pages}) < _PAGES:
        return text
    header = _shared_beginning([text[start:end] for start, end in pages])
    if count < len(tops) / 2 and len(header) < _LEGEND:
        return text
    pieces, done = [], 0
    for start, _ in pages:
        pieces += [text[done:start], "\n" * len(header)]
        done = start + len(header)
    return "".join([*pieces, text[done:]])


def _shared_beginning(beginnings: list[str]) -> str:
    """Return the whole words that all of the lines begin with."""
    first, last = min(beginnings), max(beginnings)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[: same or len(first)].rpartition(" ")[0]


def _normalise_blanks(text: str) -> str:
    """Return the text with a plain blank for each typographic one; offsets do not change."""
    for blank in _BLANKS:
        text = text.replace(blank, " ")
    return text


class TextLines:
    """A document's text with its lines, pages' tops and ignored stretches at hand.

    The text has plain blanks in place of all others and of running headers, so that words are found
    however they are separated; `written` is the original text.
    """

    def __init__(self, document: Document) -> None:
        self.written = document.text
        self.text = _blank_running_headers(_normalise_blanks(document.text))
        self.ignored = merge_spans(
            mark.span for mark in document.marks if mark.kind in (MarkKind.HEADER, MarkKind.FOOTER)
        )
        self._ignored_starts = [span.start for span in self.ignored]
        self._tops = [page.span.start for page in document.pages]
        self.length = len(self.text)
        self._breaks = [match.start() for match in _PATTERNS["break"].finditer(self.text)]

    def is_ignored(self, offset: int) -> bool:
        at = bisect_right(self._ignored_starts, offset) - 1
        return at >= 0 and offset < self.ignored[at].end

    def end_of_line(self, offset: int) -> int:
        """Return where the line that holds the offset ends, the line break excluded."""
        at = bisect_left(self._breaks, offset)
        return self._breaks[at] if at < len(self._breaks) else self.length

    def start_of_line(self, offset: int) -> int:
        at = bisect_left(self._breaks, offset)
        return self._breaks[at - 1] + 1 if at else 0

    def rest_of_line(self, offset: int, limit: int = 200) -> Span:
        """Return what follows on the line, up to a gap of three blanks where lines are long."""
        end = min(self.end_of_line(offset), offset + limit)
        start = offset
        while start < end and self.text[start].isspace():
            start += 1
        gap = COLUMN_GAP.search(self.text, start, end)
        return Span(start, gap.start() if gap else end).strip(self.text)

    def start_of_words(self, offset: int) -> int:
        """Return where the next words start at or after the offset."""
        while offset < self.length and self.text[offset].isspace():
            offset += 1
        return offset

    def words_before(self, offset: int) -> tuple[str, int]:
        """Return the last words before the offset (on any line) and the line breaks since."""
        piece = self.text[max(0, offset - 120) : offset]
        words = piece.rstrip()
        breaks = piece.count("\n", len(words))
        if breaks and (page := _PATTERNS["page_number"].search(words)):
            words = words[: page.start()].rstrip()
            breaks = piece.count("\n", len(words))
        while words and self.is_ignored(offset - len(piece) + len(words) - 1):
            at = bisect_right(self._ignored_starts, offset - len(piece) + len(words) - 1) - 1
            cut = self.ignored[at].start
            start = max(0, cut - 120)
            piece, offset = self.text[start:cut], cut
            words, breaks = piece.rstrip(), breaks + 1
        return words[-40:], breaks

    def is_break_after(self, offset: int) -> bool:
        """Tell whether a blank line, or a line that starts a clause, follows the offset's line."""
        return bool(_NEW_BLOCK.match(self.text, self.end_of_line(offset)))

    def is_page_top(self, offset: int) -> bool:
        """Return whether only white space and running headers are above on the page."""
        at = bisect_right(self._tops, offset) - 1
        if at >= 0:
            start = self._tops[at]
            if offset - start > 400:
                return False
            above = Span(start, offset)
            inside = sum(len(both) for s in self.ignored if (both := s.intersection(above)))
            return inside >= len(above.strip(self.text))
        above_text = self.text[max(0, offset - 40) : offset]
        return "\f" in above_text or above_text.endswith("\n\n\n\n") or not above_text.strip()


def offsets_of(text: str, words: str) -> Iterator[int]:
    offset = text.find(words)
    while offset >= 0:
        yield offset
        offset = text.find(words, offset + len(words))


def is_sentence_end(words: str) -> bool:
    """Tell whether text before a line break ends as a sentence, list item or heading does."""
    last = words.rstrip()[-1:]
    return not last or last in _ENDED


def is_title_like(words: str, *, limit: int = 90) -> bool:
    """Tell whether words look like a heading: short, its main words capitalised."""
    if not words or len(words) > limit:
        return False
    found = [match.group() for match in _PATTERNS["words"].finditer(words)]
    main = [word for word in found if word.lower() not in _SMALL]
    if not main or not main[0][0].isupper() or not _VERBS.isdisjoint(found):
        return False
    return sum(word[0].isupper() for word in main) >= 0.75 * len(main)


def has_verb(words: str) -> bool:
    return not _VERBS.isdisjoint(words.split())


def is_all_capitals(words: str) -> bool:
    """Tell whether every letter is a capital, and there are at least four."""
    return words.isupper() and sum(char.isalpha() for char in words) >= 4
