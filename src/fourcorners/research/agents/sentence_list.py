"""The sentences that a model is shown, each with a number by which it points at them.

A sentence keeps its number throughout an inquiry, and new ones follow it: the beginning of a prompt
stays the same, so that a server can cache it. A sentence addressed to a machine is not a source,
and is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fourcorners.documents.running_headers import find_running_lines
from fourcorners.llm import QuotedText
from fourcorners.llm.limits import BYTES_PER_TOKEN, CONTEXT
from fourcorners.llm.prompt import Value
from fourcorners.models.order_reader import default_order_reader
from fourcorners.outline.exclusions import Exclusion, ExclusionKind, blank_text
from fourcorners.research.agents.clause_lookup import has_words_after
from fourcorners.research.context import ResearchContext
from fourcorners.research.tool import EXACT_TOOLS, Material, cut_mark, is_computed
from fourcorners.review.set_apart import unread_by_models
from fourcorners.text.injections import find_injections
from fourcorners.text.span import Span

_LABEL = re.compile(
    r"\W*(?:(?:article|section|exhibit|schedule|annex|appendix)\W*)?(?:\d{0,2}(?:\.\d{1,2})*|[A-Za-z]{1,4})\W*",
    re.IGNORECASE,
)
_SUM = re.compile(r"[$€£¥%]")
_SIGNED = re.compile(
    r"\W*(?:by|name|title|its)\s*:|\W*/s/|[\W_]*signed\s+by\b|[\W_]*signatures?(?:\s+pages?)?\W*$",
    re.I,
)
_UNENDED = re.compile(
    r"(?:,|\b(?:the|an?|of|and|or|to|by|in|for|with|shall|that|this|such))$"
)  # words that do not end a sentence
_JOINED = 400  # characters of short lines, such as rows of a table, that are joined into one


@dataclass(frozen=True, slots=True)
class ReadableText:
    """A text with its sentences in order.

    Attributes:
        running: Running headers and page numbers.
        orders: Words that are addressed to a machine; no sentence contains them.
    """

    text: str
    sentences: tuple[Span, ...]
    running: tuple[Span, ...]
    orders: tuple[Span, ...]

    def show(self, span: Span) -> str:
        """Return words on one line, without running headers and footers."""
        return " ".join(" ".join(part.text_in(self.text) for part in self._parts(span)).split())

    def _parts(self, span: Span) -> Iterator[Span]:
        return without_lines(span, self.running)


def make_readable(
    text: str,
    sentences: Sequence[Span],
    headings: Iterable[Span],
    exclusions: Sequence[Exclusion] = (),
) -> ReadableText:
    """Return a text with its ordered sentences and what is between them.

    `headings` are those of clauses that have words below them; `exclusions` are not evidence.
    """
    running = find_running_lines(text)
    unread = sorted([*running, *(each.span for each in exclusions)])
    passed = sorted([*unread, *headings])
    found: list[Span] = []
    for each in sentences:
        if not _has_words(text, without_lines(each, running)):
            continue
        if found and _runs_on(text, found[-1], each, running):
            found[-1] = Span(found[-1].start, each.end)
        elif not all(_LABEL.fullmatch(part.text_in(text)) for part in without_lines(each, passed)):
            found.append(each)
    edges = [0, *(edge for each in sentences for edge in (each.start, each.end)), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        gap = without_lines(Span(start, max(start, end)), unread)
        found += _join_lines(_short_lines(text, gap, passed), passed)
    orders = tuple(each.span for each in exclusions if each.kind is ExclusionKind.ORDERS)
    return ReadableText(text, tuple(sorted(found)), tuple(running), orders)


def _runs_on(text: str, before: Span, after: Span, running: Sequence[Span]) -> bool:
    """Return whether a sentence continues after the end of a page."""
    between = Span(before.end, max(before.end, after.start))
    if _has_words(text, without_lines(between, running)):
        return False
    words = before.text_in(text).rstrip()
    parts = (part.text_in(text).split() for part in without_lines(after, running))
    first = next((each[0][0] for each in parts if each), "")
    if first.islower():
        return words[-1:] not in ".;:!?"
    return first.isalpha() and bool(_UNENDED.search(words))


def without_lines(span: Span, lines: Sequence[Span]) -> Iterator[Span]:
    """Yield the parts of a span that are outside the ordered lines."""
    start = span.start
    for line in lines:
        if line.end <= start or line.start >= span.end:
            continue
        if line.start > start:
            yield Span(start, line.start)
        start = line.end
    if start < span.end:
        yield Span(start, span.end)


def _has_words(text: str, parts: Iterable[Span]) -> bool:
    return any(each.isalnum() for part in parts for each in part.text_in(text))


def _short_lines(text: str, parts: Iterable[Span], passed: Sequence[Span]) -> Iterator[Span]:
    """Yield the lines that contain more than a heading, label or signature."""
    for part in parts:
        start = part.start
        for line in part.text_in(text).split("\n"):
            span = Span(start, start + len(line)).strip(text)
            rest = " ".join(each.text_in(text) for each in without_lines(span, passed)).strip()
            is_label = _LABEL.fullmatch(rest) and not _SUM.search(rest)
            if not (is_label or _SIGNED.match(rest)) and _has_words(text, [span]):
                yield span
            start += len(line) + 1


def _join_lines(lines: Iterable[Span], passed: Sequence[Span]) -> Iterator[Span]:
    """Join consecutive lines, up to a length."""
    joined: Span | None = None
    for line in lines:
        if joined is not None:
            between = Span(joined.end, line.start)
            whole = Span(joined.start, line.end)
            if len(whole) <= _JOINED and not any(between.overlaps(each) for each in passed):
                joined = whole
                continue
            yield joined
        joined = line
    if joined is not None:
        yield joined


SHORT = 8_000
"""Characters up to which contracts are shown whole at once, about 2,000 tokens."""
_SEARCHED = 2_800  # characters that a turn's searches add: what they find later seldom answers
_LONGEST = 1_200  # characters shown of a sentence that was not asked for exactly
_CONTRACT = "contract"  # the tool by which a contract is shown whole


@dataclass(frozen=True, slots=True)
class EvidenceBudget:
    """How many characters of contracts a model is shown; the last sentence may pass a limit.

    Attributes:
        whole: Of contracts that are shown whole where lookups did not settle a question.
        exact: Of the clauses and definitions that a turn asks for.
        search: Of what a turn finds by search.
        part: Of one clause or definition; what follows are its parts 2, 3, …
    """

    whole: int
    exact: int
    search: int
    part: int

    @classmethod
    def of_context(cls, tokens: int) -> EvidenceBudget:
        """Return the budget of a model that reads so many tokens at once.

        Contracts get a quarter of them, and each of five turns a sixteenth: there is room for the
        prompts, and for what the model writes.
        """
        characters = round(tokens * BYTES_PER_TOKEN)
        exact = characters // 16
        return cls(characters // 4, exact, min(exact, _SEARCHED), exact // 2)


USUAL_BUDGET = EvidenceBudget.of_context(CONTEXT)


@dataclass(frozen=True, slots=True)
class NumberedSentence:
    """A sentence that a model may point at: of a contract, or all of an outside source."""

    number: int
    source: Material


class SentenceList:
    def __init__(self, context: ResearchContext, budget: EvidenceBudget = USUAL_BUDGET) -> None:
        self._context, self._budget = context, budget
        self._known: dict[tuple[str, Span | None, str], NumberedSentence] = {}
        self._by_number: dict[int, NumberedSentence] = {}
        self._blocks: list[Value] = []
        self._texts: dict[str, ReadableText] = {}
        self.left_out: dict[str, None] = {}
        self.is_whole = False

    def __iter__(self) -> Iterator[NumberedSentence]:
        return iter(self._by_number.values())

    def get(self, number: int) -> NumberedSentence | None:
        return self._by_number.get(number)

    @property
    def blocks(self) -> list[Value]:
        """Return all sentences as data, in the order they were added."""
        return list(self._blocks)

    def add_contracts(self, longest: float) -> list[Value]:
        """Add the contracts that were named, whole, if they have at most so many characters.

        Returns what is new, as data; a sentence that was shown before keeps its number.
        """
        documents, before = self._context.documents, len(self._blocks)
        texts = [self._context.read_contract(each).text for each in documents]
        if self.is_whole or not texts or sum(map(len, texts)) > min(longest, self._budget.whole):
            return []
        self.is_whole = True
        for document, text in zip(documents, texts, strict=True):
            whole = self._context.material(document, Span(0, len(text)), tool=_CONTRACT)
            self._add_block(f"the whole of {whole.source}", self._sentences(whole))
        return self._blocks[before:]

    def add(self, *lookups: Iterable[Material]) -> list[Value]:
        """Add what lookups found, and return the new part as data, in the contracts' order.

        What was asked for exactly comes first, and searches share what is left to them. The
        materials of a lookup come in order of importance: the last may not fit.
        """
        new: dict[tuple[str, Span | None, str], Material] = {}
        marks: dict[tuple[str, str], list[str]] = {}
        unseen: dict[tuple[str, str], dict[str, int]] = {}
        before = len(self._blocks)
        for each, has_room in self._divide(lookups):
            source = (each.document, each.source)
            if _key(each) in new or self._was_shown(each):
                if each.more and not self.is_whole:
                    marks.setdefault(source, []).append(f"({each.where}: {each.more})")
            elif has_room or each.by_program:
                new[_key(each)] = each
            else:
                where = _place(each).partition(", page")[0]
                unseen.setdefault(source, {}).setdefault(where, 0)
                unseen[source][where] += len(each.words)
        for source, places in unseen.items():
            mark = cut_mark(sum(places.values()), ", ".join(filter(None, places)))
            marks.setdefault(source, []).append(mark)
        by_source: dict[tuple[str, str], list[Material]] = {}
        for each in new.values():
            by_source.setdefault((each.document, each.source), []).append(each)
        for source in dict.fromkeys((*by_source, *marks)):
            block = sorted(by_source.get(source, ()), key=lambda each: each.span or Span(0, 0))
            self._add_block(source[1], block, marks.get(source, ()))
        return self._blocks[before:]

    def _divide(self, lookups: Iterable[Iterable[Material]]) -> Iterator[tuple[Material, bool]]:
        """Yield the sentences of lookups, exact ones first, and whether there is room for each."""
        found = [[one for each in lookup for one in self._sentences(each)] for lookup in lookups]
        counted: set[tuple[str, Span | None, str]] = set()
        for is_exact, room in ((True, self._budget.exact), (False, self._budget.search)):
            group = [
                lookup
                for lookup in found
                if any(each.tool in EXACT_TOOLS for each in lookup) is is_exact
            ]
            sizes = [
                sum(len(self.line(each)) for each in lookup if not self._was_shown(each))
                for lookup in group
            ]
            for lookup, share in zip(group, share_budget(room, sizes), strict=True):
                size = 0
                for each in lookup:
                    yield each, size < share
                    if not (self._was_shown(each) or _key(each) in counted):
                        size += len(self.line(each))
                        counted.add(_key(each))

    def _was_shown(self, sentence: Material) -> bool:
        """Return whether as much of a sentence was shown as would be now."""
        known = self._known.get(_key(sentence))
        shown = 0 if known is None else self._limit(known.source)
        return known is not None and min(len(sentence.words), self._limit(sentence)) <= shown

    def _add_block(self, source: str, block: Iterable[Material], marks: Iterable[str] = ()) -> None:
        lines: list[str] = []
        place = ""
        for each in block:
            if each.by_program and not is_computed(each):
                lines.append(self.line(each))
                continue
            known = self._known.get(_key(each))
            number = known.number if known else len(self._by_number) + 1
            sentence = NumberedSentence(number, each)
            self._by_number[number] = self._known[_key(each)] = sentence
            line = self.line(each)
            where = "" if _begins_with_number(each.where, line, lines) else _place(each)
            parts = (where, each.because, f"fetched {each.fetched}" if each.fetched else "")
            head = "; ".join(part for part in parts if part)
            if head and head != place:
                lines.append(f"({head})")
            place = head or place
            lines.append(f"[{number}] {line}")
        lines += dict.fromkeys(marks)
        if lines:
            self._blocks.append(QuotedText("\n".join(lines), f"from {source}"))

    def _sentences(self, material: Material) -> list[Material]:
        """Split a contract's material into sentences; leave out what addresses a machine."""
        if material.span is None or not material.document:
            if find_injections(material.words) or default_order_reader().find(material.words):
                self.left_out[material.source] = None
                return []
            return [material]
        within = material.span
        readable = self._readable(material.document)
        spans = [each for each in readable.sentences if each.overlaps(within)]
        found = []
        for order in readable.orders:
            if order.overlaps(within):
                where = self._context.locate(material.document, order)
                self.left_out[f"{material.source}, {where}"] = None
        for span in spans:
            where = self._context.locate(material.document, span)
            words = span.text_in(readable.text)
            found.append(replace(material, words=words, span=span, where=where, more=""))
        if found:  # what is left out follows the last of them
            found[-1] = replace(found[-1], more=material.more)
        return found

    def _readable(self, document: str) -> ReadableText:
        if document not in self._texts:
            prepared, reading = self._context.units(document), self._context.read_contract(document)
            units = [each.span for each in prepared.units]
            headings = [
                each.heading
                for each in prepared.outline.nodes
                if each.heading and has_words_after(reading, each)
            ]
            unread = unread_by_models(reading)
            text = blank_text(reading.full_text, unread)
            self._texts[document] = make_readable(text, units, headings, unread)
        return self._texts[document]

    def line(self, sentence: Material) -> str:
        """Return a sentence as a model is shown it; mark what is left out."""
        if not sentence.document or sentence.span is None:
            return " ".join(sentence.shown.split())
        words = self._readable(sentence.document).show(sentence.span)
        limit = self._limit(sentence)
        if len(words) > limit:
            words = f"{words[:limit]} {cut_mark(len(words) - limit)}"
        return f"{words} {sentence.more}".strip()

    def _limit(self, sentence: Material) -> int:
        is_whole = sentence.tool == _CONTRACT or sentence.tool in EXACT_TOOLS
        return max(_LONGEST, self._budget.part) if is_whole else _LONGEST


def share_budget(room: int, sizes: Sequence[int]) -> list[int]:
    """Return the share of each size in a room: small ones get all they need, the others alike."""
    shares = [0] * len(sizes)
    smallest_first = sorted(range(len(sizes)), key=sizes.__getitem__)
    for left, at in zip(range(len(sizes), 0, -1), smallest_first, strict=True):
        shares[at] = min(sizes[at], room // left)
        room -= shares[at]
    return shares


def _place(sentence: Material) -> str:
    """Return the place of a sentence; empty if the contract has no name for it."""
    return "" if sentence.where.startswith("characters ") else sentence.where


def _begins_with_number(where: str, line: str, before: Sequence[str]) -> bool:
    """Return whether a sentence begins with its own number, which gives its place."""
    label = where.partition(",")[0].removeprefix("clause ")
    holder, bracket, item = label.rpartition("(")
    if bracket and line.startswith(f"({item}"):
        return any(f" {holder.partition('(')[0]}" in each for each in before)
    return bool(label) and line.startswith(label)


def _key(material: Material) -> tuple[str, Span | None, str]:
    if material.document:
        return material.document, material.span, ""
    return material.source, None, material.words
