"""Find clauses by the words with which a model asks for them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fourcorners.library.contract import Contract
from fourcorners.outline.parser.numbering import number_value, roman_value
from fourcorners.outline.references.labels import label_parts
from fourcorners.outline.tree import Node, NodeKind
from fourcorners.research.tool import MAX_PART, cut_mark
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.stems import stems

_ENTRY = 120  # characters of an entry in a table of contents, at most
MAX_SUGGESTIONS = 5  # headings or terms that are named where the one that was asked for is missing
_ATTACHMENTS = ("exhibit", "schedule", "annex", "annexure", "appendix", "attachment")
_WORD = (
    r"(?:sub-?)?(?:sections?|clauses?|paragraphs?|articles?|parts?|recitals?|items?)|§+|"
    r"exhibits?|schedules?|annex(?:es|ures?)?|appendix|appendices|attachments?"
)
_MARK = (
    r"(?:\d+|\(?[A-Za-z]{1,5}\)|[A-Za-z]{1,4}(?![a-z]))"
    r"(?:[-. ]?\(?[\dA-Za-z]{1,5}\)|[-. ]\d+|\.[A-Za-z]{1,4}(?!\w)|[A-Za-z]{1,2}(?!\w))*"
)
_CITATION = re.compile(
    rf"(?:(?P<word>{_WORD})\s*)?(?P<mark>{_MARK})[.:)]*(?P<rest>(?:\s.*)?)",
    re.IGNORECASE | re.DOTALL,
)
_NO_OUTLINE = "[… the contract goes on; where this clause ends was not recognised]"
_LAST_LETTER = re.compile(r"(?<=\d)[. ]?\(?([A-Za-z])\)?$")
_PART = re.compile(r"(?P<words>.+?), part (?P<number>\d{1,3})", re.IGNORECASE)
SEPARATOR = re.compile(r"\s*(?:,|;|&|\band\b)\s*")
_LISTED = frozenset({NodeKind.ITEM, NodeKind.PARAGRAPH})
OPEN_END = re.compile(r"(?:[:;,]|\bfollow(?:s|ing)\.?)\s*$")
_GOES_ON = re.compile(rf"(?:{OPEN_END.pattern}|[;,]\s*(?:and|or|and/or)\s*$)")


@dataclass(frozen=True, slots=True)
class FoundPart:
    """Words of a contract.

    Attributes:
        more: The mark of what is left out after them.
        is_holder: Whether they are the clause that should contain what was asked for, and does not.
    """

    span: Span
    more: str = ""
    is_holder: bool = False


def outline_line(reading: Contract, node: Node) -> str:
    """Return a heading with its number, as a model is shown it."""
    heading = node.heading.text_in(reading.text) if node.heading else ""
    return " ".join([node.label, *heading.split()]).strip()


def has_words_after(reading: Contract, node: Node) -> bool:
    """Return whether a heading has text below it: "4. Dogs stay at home." is a whole clause."""
    end = node.heading.end if node.heading else node.span.start
    return any(each.isalnum() for each in reading.text[end : node.span.end])


def find_clauses(reading: Contract, wanted: str, longest: int = MAX_PART) -> list[FoundPart]:
    """Return the clauses that words name: a line of the map, a number in any form, or a heading."""
    plain = plain_words(wanted)
    number, spans = 1, _by_line(reading, plain) or _by_number(reading, plain)
    if not spans:
        plain, number = split_part(plain)
    spans = spans or _find_spans(reading, plain)
    if not spans and not reading.outline.nodes:
        return _written_parts(reading, plain, longest)
    found = [clause_part(reading, span, number, longest) for span in _outermost(reading, spans)]
    return [replace(each, is_holder=_is_holder(reading, each, plain)) for each in found]


def _is_holder(reading: Contract, found: FoundPart, wanted: str) -> bool:
    """Tell whether a clause was found by the first parts of a number alone."""
    cited = _CITATION.fullmatch(wanted)
    node = reading.outline.node_at(found.span.start)
    if cited is None or not _is_number(cited) or node is None:
        return False
    starts = {
        each.span.strip(reading.text).start: _fold_label(each.label)
        for each in (*reading.outline.ancestors(node), node)
    }
    label, mark = starts.get(found.span.start, ()), _fold_label(cited["mark"])
    return any(label[-size:] == mark[:size] for size in range(1, len(mark)))


def _find_spans(reading: Contract, wanted: str) -> list[Span]:
    return (
        _by_line(reading, wanted)
        or _by_number(reading, wanted)
        or _by_numbers(reading, wanted)
        or [node.span for node in _by_heading(reading, wanted)]
    )


def plain_words(wanted: str) -> str:
    return " ".join(wanted.split()).strip(" \"'“”‘’")


def split_part(plain: str) -> tuple[str, int]:
    """Return what words name, and which part of it: "7.2, part 3" is the third of 7.2."""
    part = _PART.fullmatch(plain)
    return (part["words"], int(part["number"])) if part else (plain, 1)


def _written_parts(reading: Contract, wanted: str, longest: int) -> list[FoundPart]:
    """Return what begins with a number or heading, where the contract's outline is not known."""
    cited = _CITATION.fullmatch(wanted)
    if cited and _is_number(cited):
        mark = r"[\s.()]{0,3}".join(map(re.escape, label_parts(cited["mark"])))
        pattern = rf"^\W*(?:{_WORD})?\s*{mark}(?![\w-])"
    else:
        words = r"\s+".join(map(re.escape, wanted.split()))
        pattern = rf"^\W*(?:{_MARK}[\s.)]*)?{words}\W*$"
    parts = []
    for found in re.finditer(pattern, reading.text, re.IGNORECASE | re.MULTILINE) if wanted else ():
        end = _end_of_part(reading.text, Span(found.start(), len(reading.text)), longest)
        parts.append(FoundPart(Span(found.start(), end).strip(reading.text), _NO_OUTLINE))
    return parts


def clause_part(
    reading: Contract, span: Span, number: int = 1, longest: int = MAX_PART
) -> FoundPart:
    """Return a clause, or one part of a long one with the mark of what follows."""
    span = span.strip(reading.text)
    start = span.start
    for _ in range(number - 1):
        start = _end_of_part(reading.text, Span(start, span.end), longest)
    start = start if start < span.end else span.start
    end = _end_of_part(reading.text, Span(start, span.end), longest)
    shown = Span(start, end).strip(reading.text)
    rest = Span(shown.end, span.end).strip(reading.text)
    if not len(rest):
        return FoundPart(shown)
    return FoundPart(shown, cut_mark(len(rest), _next_label(reading, span, shown.end, number)))


def list_parts(reading: Contract, span: Span, *, lead_only: bool) -> list[FoundPart]:
    """Return what completes words of a list: what leads to an item, or the items that follow."""
    node = reading.outline.node_at(span.start)
    if node is None:
        return []
    found: list[FoundPart] = []
    last = reading.outline.node_at(max(span.start, span.end - 1)) or node
    if last.kind in _LISTED and last.parent is not None:
        last = reading.outline.nodes[last.parent]
    goes_on = _GOES_ON.search(span.text_in(reading.text)) and span.end < last.span.end
    if goes_on and not lead_only:
        found.append(clause_part(reading, Span(span.start, last.span.end)))
    for holder in reversed(reading.outline.ancestors(node)):
        first = next(iter(reading.outline.children(holder)))
        lead = Span(holder.span.start, max(holder.span.start, first.span.start)).strip(reading.text)
        if not (lead and node.kind in _LISTED and OPEN_END.search(lead.text_in(reading.text))):
            break
        found.insert(0, FoundPart(split_sentences(reading.text, lead)[-1]))
        node = holder
    return found


def part_mark(reading: Contract, span: Span) -> str:
    """Return the mark of what is left out of the clause that words begin; empty if nothing is."""
    node = reading.outline.node_at(span.start)
    if node is None or node.span.strip(reading.text).start != span.start:
        return ""
    rest = Span(span.end, max(span.end, node.span.end)).strip(reading.text)
    return cut_mark(len(rest), _label_of(reading, node)) if len(rest) else ""


def _end_of_part(text: str, span: Span, longest: int) -> int:
    """Return where a part ends: with a sentence, or with a word of one that is long."""
    if len(span) <= longest:
        return span.end
    limit = span.start + longest
    ends = [each.end for each in split_sentences(text, Span(span.start, limit)) if each.end < limit]
    if ends:
        return ends[-1]
    space = text.rfind(" ", span.start + longest // 2, limit)
    return space if space > 0 else limit


def _next_label(reading: Contract, span: Span, end: int, number: int) -> str:
    """Return what to ask for to read on: the clause below that goes on, or the next part."""
    holder = next(
        (each for each in reading.outline.nodes if each.span.strip(reading.text) == span), None
    )
    if holder is None:
        return ""
    for child in reading.outline.children(holder):
        if child.label and child.span.start <= end < child.span.end - 1:
            return child.label
        if child.label and child.span.start >= end:
            return child.label
    return f"{_label_of(reading, holder)}, part {number + 1}"


def _label_of(reading: Contract, node: Node) -> str:
    return node.label or outline_line(reading, node)


def fold_words(words: str) -> str:
    return re.sub(r"[\W_]+", " ", words.casefold()).strip()


def _by_line(reading: Contract, wanted: str) -> list[Span]:
    fold = fold_words(wanted)
    return [
        node.span
        for node in reading.outline.nodes
        if fold and fold == fold_words(outline_line(reading, node)) and node.heading is not None
    ]


def _by_numbers(reading: Contract, wanted: str) -> list[Span]:
    each = [_by_number(reading, part) for part in SEPARATOR.split(wanted)]
    return [span for spans in each for span in spans] if len(each) > 1 and all(each) else []


def _by_number(reading: Contract, wanted: str) -> list[Span]:
    key = _fold_label(wanted)
    exact = [
        node for node in reading.outline.nodes if node.label and _fold_label(node.label) == key
    ]
    cited = _CITATION.fullmatch(wanted)
    if cited and not exact and _is_number(cited):
        key = _fold_label(cited["mark"])
        word = (cited["word"] or "").casefold().rstrip("s")
        exact = [
            node
            for node in reading.outline.nodes
            if node.label and _fold_label(node.label) in (key, (word, *key))
        ]
    if exact:
        heading = set(stems(cited["rest"])) if cited else set()
        headed = [each for each in exact if heading and heading <= _heading_stems(reading, each)]
        return [each.span for each in headed or exact]
    return _by_citation(reading, cited) if cited and _is_number(cited) else []


def _is_number(cited: re.Match[str]) -> bool:
    """Whether words are a number: a letter alone is one only with a word for it, or in brackets."""
    mark = cited["mark"]
    return bool(
        cited["word"] or re.search(r"\d|\(", mark) or (mark.isupper() and not cited["rest"])
    )


def _fold_label(label: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in label_parts(label) if part != "0")  # 8.0(e), 8(e)


def _by_citation(reading: Contract, cited: re.Match[str]) -> list[Span]:
    """Return what a citation leads to by the contract's own numbering, and the item in it."""
    word = (cited["word"] or "section").casefold()
    singular = {"appendices": "appendix", "annexes": "annex"}.get(word, word.rstrip("s"))
    mark = label_parts(cited["mark"])
    if singular in _ATTACHMENTS:
        at = reading.labels.attachment(singular, mark)
    else:
        singular = singular if singular in ("article", "part", "recital") else "section"
        at = reading.labels.find_number(0, singular, cited["mark"])
        if at is None:  # 12(A) and 12a are asked for where the contract has 12A
            joined = _LAST_LETTER.sub(r"\1", cited["mark"]).upper()
            at = reading.labels.find_number(0, singular, joined)
    if at is None:
        return []
    node = reading.outline.nodes[at]
    return [_item(reading, node, mark)]


def _item(reading: Contract, node: Node, mark: Sequence[str]) -> Span:
    """Return the words of a node from the item that the last parts of a number name."""
    label = _fold_label(node.label)
    rest = next(
        (mark[size:] for size in range(len(mark), 0, -1)
         if label[-size:] == tuple(part.casefold() for part in mark[:size])),
        mark,
    )  # fmt: skip
    start = offset = node.span.start
    joined = r"[\s.()]{0,3}".join(map(re.escape, mark))
    written = re.compile(rf"(?<![\w.]){joined}(?!\w)", re.IGNORECASE)
    if rest is mark and (found := written.search(reading.text, offset, node.span.end)):
        return Span(found.start(), node.span.end)
    for part in rest:
        item = re.compile(rf"(?<!\w)\(?\s?{re.escape(part)}\s?[).]", re.IGNORECASE)
        found = item.search(reading.text, offset, node.span.end)
        if found is None:
            return node.span
        start, offset = found.start(), found.end()
    return Span(start, node.span.end)


def _heading_stems(reading: Contract, node: Node) -> set[str]:
    return set(stems(node.heading.text_in(reading.text))) if node.heading else set()


def _by_heading(reading: Contract, wanted: str) -> list[Node]:
    """Return the nodes whose headings have the words; those with no other words come first."""
    sought = set(stems(wanted))
    if not sought:
        return []
    headed = [(node, _heading_stems(reading, node)) for node in reading.outline.nodes]
    found = [(node, words) for node, words in headed if sought <= words]
    return [node for node, words in sorted(found, key=lambda each: len(each[1] - sought))]


def _outermost(reading: Contract, spans: Sequence[Span]) -> list[Span]:
    """Return spans that lie in no other; entries of a table of contents come last."""
    outer: list[Span] = []
    for span in sorted(
        dict.fromkeys(spans), key=lambda each: len(each.strip(reading.text)) < _ENTRY
    ):
        if not any(other.contains(span) for other in outer):
            outer.append(span)
    return outer


def nearest_clauses(reading: Contract, wanted: str) -> str:
    """Suggest, in words, what to ask for instead of a clause that is not there."""
    plain = plain_words(wanted)
    cited = _CITATION.fullmatch(plain)
    if cited and _is_number(cited):
        labels = {
            _order(node.label): node.label
            for node in reading.outline.nodes
            if node.label[:1].isdigit()
        }
        keys = sorted(labels)
        at = bisect_left(keys, _order(cited["mark"]))
        nearest = [labels[key] for key in keys[max(0, at - 1) : at + 1]]
        if nearest:
            return f"the nearest {'is' if len(nearest) == 1 else 'are'} {' and '.join(nearest)}"
    sought = set(stems(plain))
    alike = [
        (len(sought & _heading_stems(reading, node)), outline_line(reading, node))
        for node in reading.outline.nodes
        if node.heading is not None
    ]
    near = [line for count, line in sorted(alike, key=lambda each: -each[0]) if count]
    shown = "; ".join(list(dict.fromkeys(near))[:MAX_SUGGESTIONS])
    return f"headings with some of these words: {shown}" if shown else ""


def _order(label: str) -> tuple[float, ...]:
    """Return a number's parts as they count: (b) is 2, (iv) is 4; 12A comes after all of 12."""
    values: list[float] = []
    for part in label_parts(label):
        roman = roman_value(part)
        letter = ord(part[0].casefold()) - ord("a") + 1
        counts = roman if len(part) > 1 and roman is not None else letter
        values.append(number_value(part) if part[0].isdigit() else counts)
    return tuple(values)
