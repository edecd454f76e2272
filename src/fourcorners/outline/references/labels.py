"""Resolve citations: from a number as cited to its node."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from fourcorners.outline.parser.lines import offsets_of
from fourcorners.outline.parser.numbering import CARDINALS, INSERTED, number_value, roman_value
from fourcorners.outline.tree import Node, NodeKind
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

Tokens = tuple[str, ...]

_PATTERNS = load_patterns("fourcorners.outline.references", "labels")
LINKED = _PATTERNS["links"]
_JOINT, _LOOSE_JOINT = re.compile(r"\.(?:0(?=\w))?"), re.compile(r"[-. ]?")
_PART = rf"(?:\d+{INSERTED}?|[A-Za-z]+)"  # of a number: in 2A.1(b), they are 2A, 1 and b
_PARTS = re.compile(rf"\d+-\d+|{_PART}")
_DECIMAL = re.compile(rf"({_PART})\.(?:0(?=\w))?({_PART})")
_LINE_ENDS = re.compile(r"[\"”]?[.:]?[^\S\n]*$", re.MULTILINE)
_ITEMS = 150_000  # characters of a clause that are searched for its items
# Characters that are searched for items: the references of a contract take a fraction of it.
_FREE, _TIMES_THE_TEXT = 5_000_000, 20
_MOST_SOUGHT = 500  # numbers without a node that are searched for in the text
_LEAD = 200  # characters looked at of the line before a heading
_MOST_MARKS = 3  # quotation marks and stars before a heading
_SECTIONS = frozenset({"section", "clause", "paragraph", "subsection", "subclause", "subparagraph"})
_TIMES = 3  # longer text is the clause, and not its entry in a list; by hand
_CAPTION = 400  # characters at the top that hold a filing's caption
_HIGHEST = 60  # no contract has so many sections; a higher number is a statute's
_FRONT = 20_000  # maximum characters of a cover and a table of contents
_TOP = 1_500  # characters at the top that say whether a document amends another
_ATTACHMENT_WORDS = ("exhibit", "schedule", "annex", "annexure", "appendix", "attachment")


@lru_cache(maxsize=20_000)
def label_parts(mark: str) -> Tokens:
    """Return a number's parts: `7.02(a)(ii)` is 7, 2, a, ii; `9.0` is 9, and `2A.1` is 2A, 1."""
    parts = _PARTS.findall(_PATTERNS["point_nought"].sub(r"\1", mark))
    return tuple([str(int(part)) if part.isdigit() else "".join(part.split()) for part in parts])


@lru_cache(maxsize=20_000)
def _fold_tokens(tokens: Tokens) -> Tokens:
    return tuple([part.casefold() for part in tokens])


@dataclass(frozen=True, slots=True)
class LabelCitation:
    word: str
    mark: str
    span: Span


class LabelIndex:
    """The outline's labels, for looking up citations."""

    def __init__(self, text: str, nodes: tuple[Node, ...]) -> None:
        self._text, self._nodes = text, nodes
        self._starts = [node.span.start for node in nodes]
        self._exact: dict[Tokens, list[int]] = {}
        self._children: dict[int | None, list[int]] = {None: []}
        for node in nodes:
            self._children.setdefault(node.parent, []).append(node.id)
            for key in _keys(node.label, node.parent is None) if node.label else ():
                self._exact.setdefault(key, []).append(node.id)
        self._sought: dict[Tokens, int | None] = {}
        self._named: dict[str, dict[str, list[tuple[int, int]]]] = {}
        self._left = _FREE + _TIMES_THE_TEXT * len(text)
        self._longest: dict[Tokens, int] = {}
        self._items: dict[tuple[int, Tokens], bool] = {}
        self._tops = self._children[None]
        tops = (nodes[at] for at in self._tops)
        self._roots = [node for node in tops if node.kind is NodeKind.SCHEDULE]
        self._root_starts = [node.span.start for node in self._roots]

    @cached_property
    def amends_another(self) -> bool:
        """Whether the document says at its top that it amends another."""
        return bool(_PATTERNS["amendment"].search(self._text, 0, _TOP))

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The short names that the contract gives itself at its top."""
        return frozenset(
            " ".join(found["name"].split())
            for found in _PATTERNS["own_name"].finditer(self._text, 0, _FRONT)
        )

    def node_at(self, offset: int) -> Node | None:
        at = bisect_right(self._starts, offset) - 1
        while at >= 0:
            node: Node | None = self._nodes[at]
            while node is not None and node.span.end <= offset:
                node = self._nodes[node.parent] if node.parent is not None else None
            return node
        return None

    def _chain(self, offset: int) -> list[Node]:
        chain, node = [], self.node_at(offset)
        while node is not None:
            chain.append(node)
            node = self._nodes[node.parent] if node.parent is not None else None
        return chain

    def _container(self, offset: int) -> Tokens:
        """Return the label of the attachment that contains the offset, if any."""
        at = bisect_right(self._root_starts, offset) - 1
        if at >= 0 and offset < self._roots[at].span.end:
            return _fold_tokens(label_parts(self._roots[at].label))
        return ()

    def _first_node(self, key: Tokens, near: int) -> int | None:
        """Return the node of a label; if several, the one under the same top node, or the first."""
        found = self._exact.get(key)
        if not found:
            return None
        if len(found) > 1:
            below = self._below_top(found, [node.id for node in self._chain(near)])
            if below is not None:
                return below
            if key not in self._longest:
                self._longest[key] = max(found, key=lambda each: len(self._nodes[each].span))
            longest = self._longest[key]
            if len(self._nodes[found[0]].span) * _TIMES < len(self._nodes[longest].span):
                return longest  # the first is an entry of a table of contents
        return found[0]

    def _below_top(self, found: list[int], chain: list[int]) -> int | None:
        """Return the first of some nodes below the top one of a chain, and not in the chain."""
        if not chain:
            return None
        after = bisect_right(self._tops, chain[-1])
        end = self._tops[after] if after < len(self._tops) else len(self._nodes)
        for at in range(bisect_right(found, chain[-1]), bisect_left(found, end)):
            if found[at] not in chain:
                return found[at]
        return None

    def attachment(self, word: str, mark: Tokens) -> int | None:
        """Return the attachment of a name, such as Exhibit C."""
        folded = _fold_tokens(mark)
        for key in ((word, *folded), (word, *_arabic(folded)), (word, *folded[:1])):
            found = self._exact.get(key)
            if found and (len(key) == len(folded) + 1 or self._holds(found[0], mark[1:])):
                return found[0]
        return self._headed(word, mark)

    def _headed(self, word: str, mark: Tokens) -> int | None:
        """Return the node whose text has the heading of an attachment without a node."""
        if (word, *mark) in self._sought or len(self._sought) >= _MOST_SOUGHT:
            return self._sought.get((word, *mark))
        ends = [*self._heads(word.upper(), mark)] or [*self._titles(word.title(), mark)]
        node = self.node_at(ends[-1]) if ends else None
        self._sought[word, *mark] = node.id if node else None
        return self._sought[word, *mark]

    def _heads(self, word: str, mark: Tokens) -> Iterator[int]:
        """Yield where a heading in capitals ends: on a separate line, or after a sentence."""
        for start, end in self._named_nodes(word, mark):
            lead = self._before(start)
            after = lead[-1:].isspace() and re.match(r"[a-z\])]", lead[-2:-1])
            if (not lead.strip() or after) and not _PATTERNS["goes_on"].match(self._text, end):
                yield end

    def _titles(self, word: str, mark: Tokens) -> Iterator[int]:
        """Yield where a heading ends that is a line by itself."""
        for start, end in self._named_nodes(word, mark):
            closed = _LINE_ENDS.match(self._text, end)
            if closed and not self._before(start).strip():
                yield closed.end()

    def _named_nodes(self, word: str, mark: Tokens) -> Iterator[tuple[int, int]]:
        """Yield start and end of a word with a number, unless a sentence leads to it."""
        for start, place in self._numbered(word).get(mark[0], ()):
            end = _end_of(self._text, place, mark, _LOOSE_JOINT)
            if end is not None and not LINKED.search(self._text, max(0, start - _LEAD), start):
                yield start, end

    def _numbered(self, word: str) -> dict[str, list[tuple[int, int]]]:
        """Return the places of words before numbers and of the numbers, by their first part."""
        if word not in self._named:
            found: dict[str, list[tuple[int, int]]] = {}
            for start in offsets_of(self._text, word):
                gap = _PATTERNS["gap"].match(self._text, start + len(word))
                part = _PARTS.match(self._text, gap.end()) if gap else None
                if part is not None:
                    found.setdefault(part.group(), []).append((start, part.start()))
            self._named[word] = found
        return self._named[word]

    def _before(self, offset: int) -> str:
        """Return the line before an offset, without the marks of a heading."""
        lead = self._text[max(0, offset - _LEAD) : offset].rpartition("\n")[2]
        bare = lead.rstrip('"“*')
        return bare if len(lead) - len(bare) <= _MOST_MARKS else lead

    def find_number(
        self, offset: int, word: str, raw: str, scope: tuple[str, str] | None = None
    ) -> int | None:
        """Return the node cited by a word and a number, seen from the offset."""
        mark = label_parts(raw)
        containers = [self._container(offset), ()]
        if scope is not None and scope[0] in _ATTACHMENT_WORDS:
            containers = [(scope[0], *_fold_tokens(label_parts(scope[1])))]
        elif scope is not None:  # "paragraph (b) of Section 7.2"
            inside = self.find_number(offset, scope[0], scope[1] + raw)
            return self.find_number(offset, word, raw) if inside is None else inside
        fewest = _fixed(raw)
        for size in range(len(mark), fewest - 1, -1):
            for container in dict.fromkeys(containers):
                for name in _names(word, _fold_tokens(mark[:size])):
                    found = self._first_node((*container, *name), offset)
                    if found is not None and self._holds(found, mark[size:]):
                        return found
        return self._written_node(mark[:fewest]) if fewest > 1 else None

    def _written_node(self, mark: Tokens) -> int | None:
        """Return the node whose text has a decimal number without a node."""
        if mark in self._sought or len(self._sought) >= _MOST_SOUGHT:
            return self._sought.get(mark)
        node = None
        for start in self._decimals.get(mark[:2], ()):
            if self._text[start - 1 : start].replace(".", "0").isdigit():  # within a number
                continue
            end = _end_of(self._text, start, mark, _JOINT)
            opened = _PATTERNS["clause_after"].match(self._text, end) if end is not None else None
            if opened is None:
                continue
            before = self._text[max(0, start - 40) : start]
            if not _PATTERNS["leads"].search(_PATTERNS["word_before"].sub("", before)):
                node = self.node_at(opened.end())
                break
        self._sought[mark] = node.id if node else None
        return self._sought[mark]

    @cached_property
    def _decimals(self) -> dict[Tokens, list[int]]:
        """Where numbers with a point start in the text, by their first two parts."""
        found: dict[Tokens, list[int]] = {}
        for match in _DECIMAL.finditer(self._text):
            found.setdefault(match.groups(), []).append(match.start())
        return found

    def find_nearby(self, span: Span, mark: Tokens) -> int | None:
        """Return the node that a letter names at its place: "clause (ii)", "paragraph (b)"."""
        folded = _fold_tokens(mark)
        chain = self._chain(span.start)
        for node in chain:
            found = self._first_node((*_fold_tokens(label_parts(node.label)), *folded), span.start)
            if found is not None and node.label:
                return found
        for node in chain:
            if self._holds(node.id, mark, beside=span):
                return node.id
        return None

    def find_relative(self, offset: int, word: str, way: str) -> int | None:
        """Return the part around the offset that a word such as "this Article" means."""
        chain = self._chain(offset)
        if word in _ATTACHMENT_WORDS:
            if way:
                return None
            around = [node for node in chain if node.kind is NodeKind.SCHEDULE]
        elif word == "article":
            around = [n for n in chain if n.kind is NodeKind.ARTICLE] or [
                node for node in chain if node.parent is None and node.label
            ]
        elif word == "section":
            around = [node for node in chain if node.kind is NodeKind.SECTION and node.label]
        else:
            around = chain[:1]
        if not around:
            return None
        node = around[0]
        if not way:
            return node.id
        beside = self._children[node.parent]
        at = bisect_left(beside, node.id) + (1 if way in ("following", "next") else -1)
        return beside[at] if 0 <= at < len(beside) else None

    def has_label(self, word: str, mark: str) -> bool:
        return any(name in self._exact for name in _names(word, _fold_tokens(label_parts(mark))))

    def _holds(self, node: int, rest: Tokens, *, beside: Span | None = None) -> bool:
        if beside is not None:
            return self._has_items(node, rest, beside)
        if (node, rest) not in self._items:
            self._items[node, rest] = self._has_items(node, rest, None)
        return self._items[node, rest]

    def _has_items(self, node: int, rest: Tokens, beside: Span | None) -> bool:
        span = self._nodes[node].span
        offset, end = span.start, min(span.end, span.start + _ITEMS)
        for part in rest:
            if self.is_over_limit:
                return False
            pattern = _item(part)
            found = pattern.search(self._text, offset, end)
            while found and beside and beside.start <= found.start() < beside.end:
                found = pattern.search(self._text, found.end(), end)
            self._left -= (found.end() if found else end) - offset
            if found is None:
                return False
            offset = found.end()
        return True

    @property
    def is_over_limit(self) -> bool:
        """Whether the limit of text to be searched for items is reached."""
        return self._left < 0

    def is_unlikely(self, cited: LabelCitation) -> bool:
        """Return whether a number that is not found probably belongs to another document.

        That is a statute or a form ("Section 409A"), or the contract that this one amends. Once the
        search limit is reached, none is reported as missing.
        """
        if self.amends_another or self.is_over_limit:
            return True
        word, mark = cited.word, cited.mark
        if cited.span.start < _CAPTION and word in _ATTACHMENT_WORDS and "." in mark:
            return True  # the caption of a filing
        after = self._text[cited.span.end : cited.span.end + 2]
        if word not in _ATTACHMENT_WORDS and (after[:1] == "-" and after[1:].isdigit()):
            return True  # "Article 27-2" of a statute
        if word not in (*_ATTACHMENT_WORDS, "article") and mark[:1].isalpha():
            return roman_value(mark) is None  # "this Paragraph A", where letters restart
        if mark.isdigit() and _PATTERNS["page_ends"].match(self._text, cited.span.end):
            return True  # the number of a page
        parts = label_parts(mark)
        if not parts or word in ("part", "item", "recital", "addendum"):
            return True
        counted = parts[0][0].isdigit()  # as in "409A"
        joined = counted and any(map(str.isalpha, mark.partition("(")[0]))
        known = word in ("exhibit", "clause") or _fold_tokens(parts[:1]) in self._exact
        return (counted and number_value(parts[0]) >= _HIGHEST + 1) or (joined and not known)


@lru_cache(maxsize=20_000)
def _keys(label: str, on_top: bool) -> tuple[Tokens, ...]:
    """Return the ways to cite a label, of a node on top of the tree or below."""
    tokens = _fold_tokens(label_parts(label))
    keys = [tokens]
    if tokens and tokens[0] in ("article", "part", "section", "recital"):
        keys = [(tokens[0], *_arabic(tokens[1:]))]
        if tokens[0] == "section":
            keys.append(_arabic(tokens[1:]))
    elif on_top and tokens:
        keys.append(_arabic(tokens))
    elif tokens and tokens[0] in _ATTACHMENT_WORDS and len(tokens) > 2:
        keys.append((*tokens[:2], *_arabic(tokens[2:])))
    return tuple(dict.fromkeys(keys))


def _end_of(text: str, offset: int, mark: Tokens, joint: re.Pattern[str]) -> int | None:
    """Return where the mark at an offset ends, with the separators between its parts."""
    for index, part in enumerate(mark):
        if index:
            joined = joint.match(text, offset)
            if joined is None:
                return None
            offset = joined.end()
        if not text.startswith(part, offset):
            return None
        offset += len(part)
    return offset


@lru_cache(maxsize=1_000)
def _item(part: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)\(?\s?{re.escape(part)}\s?[).]")


def _fixed(mark: str) -> int:
    """Count the parts before the brackets: a missing one of these is not a matter of depth."""
    return max(1, len(label_parts(mark.partition("(")[0])))


def _arabic(tokens: Tokens) -> Tokens:
    """Return a label with its leading roman numeral, or number in words, as a number."""
    if tokens and tokens[0] in CARDINALS:
        return (str(CARDINALS.index(tokens[0]) + 1), *tokens[1:])
    if tokens and (value := roman_value(tokens[0])) is not None:
        return (str(value), *tokens[1:])
    return tokens


def _names(word: str, mark: Tokens) -> list[Tokens]:
    arabic = _arabic(mark)
    if word in ("article", "part", "recital"):
        return [(word, *arabic), mark, arabic]
    if word in _SECTIONS:
        return [mark, arabic, ("section", *arabic), ("article", *arabic)]
    return [mark]
