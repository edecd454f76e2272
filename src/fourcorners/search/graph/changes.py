"""Find which clauses of another document an amendment changes, and with which words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from string import ascii_letters

from fourcorners.library.contract import Contract
from fourcorners.outline.parser.numbering import LATIN
from fourcorners.outline.references.labels import LabelIndex, label_parts
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

MAX_LENGTH = 3_000
"""Maximum characters of a change, including the new wording that follows it."""
_BRACKETS = r"(?:\s?\((?:[a-zA-Z]{1,4}|\d{1,2})\))*"
_NUMBER = rf"\d{{1,3}}(?:(?:{'|'.join(LATIN)})\b|[A-Z]{{0,3}})"
_MARK = (
    rf"(?:{_NUMBER}(?:\.{_NUMBER})*{_BRACKETS}|[IVXL]{{1,6}}(?![a-zA-Z]){_BRACKETS}|"
    rf"[A-Z](?:-?\d{{1,2}})?(?![a-zA-Z]){_BRACKETS})"
)
_PART = r"(?:[Pp]aragraph|PARAGRAPH|[Pp]art|PART)"
_ATTACHMENT = (
    r"(?:[Ee]xhibit|EXHIBIT|[Ss]chedule|SCHEDULE|[Aa]nnex(?:ure)?|ANNEX|[Aa]ppendix|APPENDIX|"
    r"[Aa]ttachment|ATTACHMENT)"
)
_WORDS = (
    r"(?:[Ss]ub-?)?(?:[Ss]ection|SECTION|[Cc]lause|CLAUSE|[Aa]rticle|ARTICLE|"
    rf"{_PART}|{_ATTACHMENT})"
)
CITED = re.compile(
    rf"(?<![\w-])(?:(?P<whole>{_ATTACHMENT})\s+(?P<at>{_MARK}),?\s+(?={_PART}\s))?"
    rf"(?P<word>{_WORDS})(?:s|S)?\s+(?P<marks>{_MARK}"
    rf"(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|or|to|through)\s+){_MARK})*)(?![\w])"
    rf"(?:\s+(?:of|to|in)\s+(?:the\s+)?(?P<within>{_WORDS})\s+(?P<mark>{_MARK})(?![\w]))?"
)
_PATTERNS = load_patterns("fourcorners.search.graph", "changes")
DELETES = _PATTERNS["deletes"]
PARTLY = _PATTERNS["partly"]
"""What leaves a clause in force in other cases."""
CONDITION = _PATTERNS["condition"]
"""What says before a clause that something is so in some case only."""
_HERE = _PATTERNS["here"]
_CHANGE = (
    ("replaces", _PATTERNS["replaces"]),
    ("deletes", DELETES),
    ("adds", _PATTERNS["adds"]),
    ("changes", _PATTERNS["changes"]),
)
UNCHANGED = _PATTERNS["unchanged"]
OVERRIDES = _PATTERNS["overrides"]
"""What says before a clause that other words prevail over it."""
_EARLIER = _PATTERNS["earlier"]
_REPORTED = _PATTERNS["reported"]
_UNAFFECTED = _PATTERNS["unaffected"]
_FOLLOWS = _PATTERNS["follows"]
QUOTED = _PATTERNS["quoted"]
_NEW = _PATTERNS["new"]
_ITEM = _PATTERNS["item"]
_SHORT = 80  # characters of a quotation that may be a clause's old words or its name
_start, _end = attrgetter("start"), attrgetter("end")
_ATTACHED = frozenset(["exhibit", "schedule", "annex", "annexure", "appendix", "attachment"])


@dataclass(frozen=True, slots=True)
class CitedChange:
    """Words that change a clause of another document.

    Attributes:
        verb: `replaces`, `deletes`, `adds` or `changes`.
        raw: The clause as it is cited: `Section 7.2`.
        span: The words that change it, with the new wording if that follows.
        within: Word and number of the part that contains the clause: Part 2 *of Schedule 1*.
    """

    verb: str
    raw: str
    word: str
    mark: str
    span: Span
    cited: Span
    within: tuple[str, str] | None = None

    def find(self, labels: LabelIndex) -> int | None:
        """Return the changed node, by the labels of the changed document.

        If a clause is added, it is the node to which it is added.
        """
        if self.word in _ATTACHED and self.within is None:
            return labels.attachment(self.word, label_parts(self.mark))
        marks = [self.mark]
        if self.verb == "adds":  # 4.1A after 4.1, 4.3 within 4, 5 after 4
            before = int(self.mark) - 1 if self.mark.isdigit() else 0
            above = re.sub(r"(?:\.\w+|\([^()]*\))$", "", self.mark)
            marks += [self.mark.rstrip(ascii_letters), above, str(before or "")]
        found = (labels.find_number(0, self.word, m, self.within) for m in marks if m)
        return next((each for each in found if each is not None), None)


def clause_changes(contract: Contract) -> tuple[CitedChange, ...]:
    """Return the changes that a contract makes to clauses of others, found once."""
    return contract.compute("clause changes", lambda: parse_changes(contract.text))


def parse_changes(text: str) -> tuple[CitedChange, ...]:
    """Return the changes that an amendment makes to clauses of another document, in order.

    New wording in quotation marks is not searched for changes; it is part of the preceding change.
    """
    parts = [part for sentence in split_sentences(text) for part in _items(text, sentence)]
    quotes = [Span(*match.span()) for match in QUOTED.finditer(text)]
    long = [quote for quote in quotes if len(quote) > _SHORT]
    starts = [part.start for part in parts]
    part_changes: dict[int, tuple[str, Span] | None] = {}  # of a part: its verb, and all its words
    found: dict[tuple[str, Span], CitedChange] = {}  # the first citation of each clause
    for match in CITED.finditer(text):
        before = bisect_left(long, match.start(), key=_start) - 1
        is_quoted = before >= 0 and match.start() < long[before].end
        if is_quoted or _HERE.match(text, match.end()):
            continue
        at = bisect_right(starts, match.start()) - 1
        if at < 0:
            continue
        if at not in part_changes:
            verb = change_verb(_text_without(text, parts[at], long))
            if verb is None and OVERRIDES.search(text, parts[at].start, match.start()):
                verb = "changes"
            part_changes[at] = (verb, _with_wording(text, parts, at)) if verb else None
        if change := part_changes[at]:
            for one in _changes(match, *change):
                found.setdefault((one.raw, one.span), one)
    return tuple(found.values())


def _items(text: str, sentence: Span) -> Iterator[Span]:
    """Split a sentence that is a list into its items, each of which may change another clause."""
    start = sentence.start
    for item in _ITEM.finditer(text, sentence.start, sentence.end):
        yield Span(start, item.start()).strip(text)
        start = item.end()
    yield Span(start, sentence.end)


def _changes(match: re.Match[str], verb: str, span: Span) -> Iterator[CitedChange]:
    word = _singular(match["word"])
    container = (match["whole"] or match["within"], match["at"] or match["mark"])
    within = (_singular(container[0]), container[1]) if container[0] else None
    tail = f" of {container[0].capitalize()} {container[1]}" if within else ""
    for mark in re.finditer(_MARK, match["marks"]):
        number = "".join(mark[0].split())
        yield CitedChange(
            verb=verb,
            raw=f"{word.capitalize()} {number}{tail}",
            word=word,
            mark=number,
            span=span,
            cited=Span(*match.span()),
            within=within,
        )


def _singular(word: str) -> str:
    return word.casefold().replace("-", "")


def change_verb(sentence: str) -> str | None:
    """Return what a sentence does to a contract; None if it changes nothing."""
    for changes_nothing in (_EARLIER, _REPORTED, _UNAFFECTED):
        sentence = changes_nothing.sub("", sentence)
    if UNCHANGED.search(sentence) and "hereby" not in sentence.split():
        return None
    found = {name for name, pattern in _CHANGE if pattern.search(sentence)}
    return next((name for name, _ in _CHANGE if name in found), None)


def _text_without(text: str, sentence: Span, quotes: Sequence[Span]) -> str:
    words, at = [], sentence.start
    for quote in quotes[bisect_right(quotes, sentence.start, key=_end) :]:
        if quote.start >= sentence.end:
            break
        if quote.end > at:
            words.append(text[at : max(at, quote.start)])
            at = max(at, quote.end)
    words.append(text[at : max(at, sentence.end)])
    return " ".join(words)


def _with_wording(text: str, parts: Sequence[Span], at: int) -> Span:
    """Return a sentence with the preceding heading and the new wording that it announces."""
    start, end = parts[at].start, parts[at].end
    rest = QUOTED.sub("", text[start:end])
    cut_short = rest.count("“") > rest.count("”")
    if cut_short or len(re.findall(r'(?<!\d)"', rest)) % 2:  # after a digit it means inches
        closed = text.find("”" if cut_short else '"', end, start + MAX_LENGTH)
        return Span(start, closed + 1 if closed >= 0 else end)
    if not _FOLLOWS.search(text, max(start, end - 120), end):
        return Span(start, end)
    if new := _NEW.match(text, end):
        return Span(start, min(new.end(), start + MAX_LENGTH))
    for part in islice(parts, at + 1, None):
        following = text[part.start : part.end]
        if part.end - start > MAX_LENGTH // 2 or (
            CITED.search(following) and change_verb(following)
        ):
            break
        end = part.end
    return Span(start, end).strip(text)
