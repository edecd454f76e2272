"""The headers and footers of two versions: which belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.atoms import empty_copy
from fourcorners.documents.docx.versions.fingerprint import RELATION
from fourcorners.documents.docx.word_file import KINDS, MARGINS, WordFile, sections

if TYPE_CHECKING:
    from lxml.etree import _Element

_TYPES: Final = ("default", "first", "even")
_MEDIA: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_Uses = dict[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class MarginPair:
    """A header or footer of a section in both versions; either part is empty if it has none."""

    kind: str
    type: str
    before: str
    after: str
    section: _Element


class Margins:
    """The headers and footers of two files, by section and type; a section inherits the last's."""

    def __init__(self, old: WordFile, new: WordFile) -> None:
        self._old, self._new = old, new
        self._uses = _uses_by_section(old), _uses_by_section(new)

    def pairs(self, found: Sequence[tuple[_Element, _Element]]) -> Iterator[MarginPair]:
        """Yield the margins of sections that belong together, those of both versions first."""
        pairs = [
            MarginPair(kind, of, before, after, section)
            for section, other in found
            for kind in MARGINS
            for of in _TYPES
            for before in (self._uses[0].get(section, {}).get((kind, of), ""),)
            for after in (self._uses[1].get(other, {}).get((kind, of), ""),)
            if before or after
        ]
        pairs.sort(key=lambda each: not (each.before and each.after))
        yield from pairs
        seen = {each.before for each in pairs}, {each.after for each in pairs}
        ends = found[-1][0] if found else None
        for kind in MARGINS:
            left, right = (
                [name for name in file.parts_of_kinds(kind) if name not in names]
                for file, names in zip((self._old, self._new), seen, strict=True)
            )
            if ends is not None:
                for name in left:
                    if name in right:
                        yield MarginPair(kind, "default", name, name, ends)

    def unpaired(self, found: Sequence[tuple[_Element, _Element]]) -> list[str]:
        """Return the parts that only sections of the second version without a pair have."""
        paired = {other for _, other in found}
        used = {name for other in paired for name in self._uses[1].get(other, {}).values()}
        names = {
            name
            for section, uses in self._uses[1].items()
            if section not in paired
            for name in uses.values()
        }
        return sorted(names - used)

    def add(self, pair: MarginPair, made: dict[str, str]) -> tuple[str, _Element] | None:
        """Give a section a margin that only the second version has.

        Return the new part and its root; None if another section has it already.
        """
        other = self._new.xml_root(pair.after)
        if other is None:
            return None
        is_new = pair.after not in made
        name = made.setdefault(pair.after, self._old.name_for(pair.after))
        root = empty_copy(other)
        if is_new:
            self._old.add_root(name, root, f"{_MEDIA}{pair.kind}+xml")
        number = self._old.relate(self._old.main, f"{KINDS}{pair.kind}", name)
        reference = pair.section.makeelement(
            f"{W}{pair.kind}Reference", {f"{W}type": pair.type, f"{RELATION}id": number}
        )
        pair.section.insert(0, reference)
        return (name, root) if is_new else None


def _uses_by_section(file: WordFile) -> dict[_Element, _Uses]:
    relations = file.relations(file.main)
    found: dict[_Element, _Uses] = {}
    last: _Uses = {}
    for section in sections(file.body):
        last = dict(last)
        for kind in MARGINS:
            for reference in section.findall(f"{W}{kind}Reference"):
                relation = relations.get(reference.get(f"{RELATION}id", ""))
                if relation is not None and file.xml_root(relation.target) is not None:
                    last[kind, reference.get(f"{W}type", "default")] = relation.target
        found[section] = last
    return found
