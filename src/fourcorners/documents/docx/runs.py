"""The runs of a Word document: split, copied, and those that make up a field.

A field is removed as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.documents.docx.styles import SPACE, W

if TYPE_CHECKING:
    from lxml.etree import _Element

    from fourcorners.documents.docx.placed_text import PlacedWords
    from fourcorners.text.span import Span

_EMPHASIS = ("b", "i", "u", "caps", "smallCaps", "highlight", "strike")


@dataclass(eq=False, slots=True)
class FieldRuns:
    """A field: its runs from the first to the last; `element` is around those of a simple one."""

    runs: list[_Element] = field(default_factory=list)
    element: _Element | None = None

    @property
    def first(self) -> _Element:
        return self.runs[0] if self.element is None else self.element

    @property
    def last(self) -> _Element:
        return self.runs[-1] if self.element is None else self.element

    def expand(self) -> list[_Element]:
        """Return all runs; a simple field is first replaced by its runs."""
        if self.element is None:
            return self.runs
        simple, self.element = self.element, None
        begin, code, separate, end = (simple.makeelement(f"{W}r") for _ in range(4))
        for run, kind in ((begin, "begin"), (separate, "separate"), (end, "end")):
            run.append(run.makeelement(f"{W}fldChar", {f"{W}fldCharType": kind}))
        instruction = code.makeelement(f"{W}instrText", {SPACE: "preserve"})
        instruction.text = simple.get(f"{W}instr", "")
        code.append(instruction)
        self.runs = [begin, code, separate, *self.runs, end]
        for run in self.runs:
            simple.addprevious(run)
        parent = simple.getparent()
        assert parent is not None  # noqa: S101
        parent.remove(simple)
        return self.runs


def find_field_runs(body: _Element) -> dict[_Element, FieldRuns]:
    """Return, for each element of a run that is part of a field, the outermost field it is of."""
    found: dict[_Element, FieldRuns] = {}
    for simple in body.iter(f"{W}fldSimple"):
        whole = FieldRuns(list(simple.iter(f"{W}r")), simple)
        for run in whole.runs:
            for node in run:
                found.setdefault(node, whole)
    depth, current = 0, FieldRuns()
    for run in body.iter(f"{W}r"):
        kinds = [node.get(f"{W}fldCharType") for node in run.iter(f"{W}fldChar")]
        if not depth and "begin" in kinds:
            current = FieldRuns()
        if depth or "begin" in kinds:
            current.runs.append(run)
            for node in run:
                found.setdefault(node, current)
        depth = max(0, depth + kinds.count("begin") - kinds.count("end"))
    return found


def restore_runs(removed: _Element) -> list[_Element]:
    """Return copies of the runs of a deletion, with their words as words again."""
    runs = [deepcopy(each) for each in removed.iter(f"{W}r")]
    for run in runs:
        run.tail = None
        for name, typed in (("delText", "t"), ("delInstrText", "instrText")):
            for node in run.iter(f"{W}{name}"):
                node.tag = f"{W}{typed}"
        for node in [*run.iter(f"{W}rPrChange", f"{W}commentReference")]:
            parent = node.getparent()
            if parent is not None:
                parent.remove(node)
    return runs


def copy_without(properties: _Element, names: Sequence[str]) -> _Element:
    own = deepcopy(properties)
    for name in names:
        for node in own.findall(f"{W}{name}"):
            own.remove(node)
    return own


def is_same_format(one: _Element, other: _Element) -> bool:
    """Return whether two paragraphs have the same properties; a section's last one never has."""
    formats: list[list[tuple[str, list[tuple[str, str]]]]] = []
    for paragraph in (one, other):
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            formats.append([])
            continue
        if properties.find(f"{W}sectPr") is not None:
            return False
        own = copy_without(properties, ("rPr", "pPrChange"))
        formats.append([(str(each.tag), sorted(_attributes(each).items())) for each in own.iter()])
    first, second = (each if len(each) > 1 else [] for each in formats)
    return first == second


def _attributes(node: _Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in node.attrib.items()}


def run_of(node: _Element) -> _Element:
    return next(above for above in (node, *node.iterancestors()) if above.tag == f"{W}r")


def paragraph_of(node: _Element) -> _Element:
    return next(above for above in node.iterancestors() if above.tag == f"{W}p")


def top_element(node: _Element) -> _Element:
    """Return the ancestor of an element that is a child of its paragraph."""
    inner = node
    for above in node.iterancestors():
        if above.tag == f"{W}p":
            return inner
        inner = above
    raise ValueError("an element in no paragraph")


def split_out(words: PlacedWords, span: Span) -> _Element:
    """Return a separate run with just the words of a span."""
    start, end = span.start - words.span.start, span.end - words.span.start
    if end < len(words.node.text or ""):
        _split_text(words.node, end)
    if start:
        run = _split_text(words.node, start)
    else:
        run = run_of(words.node)
        if any(each.tag != f"{W}rPr" for each in words.node.itersiblings(preceding=True)):
            run = _split_run(run, words.node)
    content = [each for each in run if each.tag != f"{W}rPr"]
    if len(content) > 1:
        _split_run(run, content[1])
    return run


def split_after(words: PlacedWords, offset: int) -> _Element:
    """Split a run so that it ends at an offset within or after words, and return it."""
    local, following = offset - words.span.start, words.node.getnext()
    if local < len(words.node.text or ""):
        _split_text(words.node, local)
    elif following is not None:
        _split_run(run_of(words.node), following)
    return run_of(words.node)


def _split_text(node: _Element, at: int) -> _Element:
    """Split a text element and its run; return the run that begins with the rest."""
    text = node.text or ""
    rest = node.makeelement(f"{W}t", {SPACE: "preserve"})
    node.text, rest.text = text[:at], text[at:]
    node.set(SPACE, "preserve")
    node.addnext(rest)
    return _split_run(run_of(node), rest)


def _split_run(run: _Element, first: _Element) -> _Element:
    """Move an element of a run, and all after it, into a separate run after it."""
    other = run.makeelement(f"{W}r", _attributes(run))
    properties = run.find(f"{W}rPr")
    if properties is not None:
        other.append(deepcopy(properties))
    for node in [first, *first.itersiblings()]:
        other.append(node)
    run.addnext(other)
    return other


def insert_after(run: _Element, mark: _Element, new_id: Callable[[], str]) -> None:
    """Put an insertion after a run; split a surrounding one by another author there."""
    parent = run.getparent()
    assert parent is not None  # noqa: S101
    if parent.tag == f"{W}ins":
        rest = list(run.itersiblings())
        if rest:
            other = parent.makeelement(f"{W}ins", {**_attributes(parent), f"{W}id": new_id()})
            other.extend(rest)
            parent.addnext(other)
        run = parent
    above = run.getparent()
    if above is not None and above.tag == f"{W}hyperlink" and run.getnext() is None:
        run = above
    run.addnext(mark)


def format_source(before: PlacedWords | None, after: PlacedWords | None) -> PlacedWords:
    """Return the words next to a place whose format new ones copy: the plainer of two."""
    beside = [each for each in (before, after) if each is not None]
    own = [each for each in beside if not each.is_note_reference]
    if len(own) == 2 and paragraph_of(own[0].node) is not paragraph_of(own[1].node):
        own = own[:1]
    return min(own or beside, key=lambda each: _emphasis(run_of(each.node)))


def _emphasis(run: _Element) -> int:
    return sum(run.find(f"{W}rPr/{W}{name}") is not None for name in _EMPHASIS)
