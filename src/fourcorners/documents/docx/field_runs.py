"""The runs that make up Word's fields: a field is removed as a whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"


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
        instruction = code.makeelement(f"{W}instrText", {_SPACE: "preserve"})
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
