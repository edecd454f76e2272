"""A paragraph as atoms: words, and signs, fields, notes and drawings that stay or change whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from fourcorners.documents.docx.styles import SPACE, W

if TYPE_CHECKING:
    from lxml.etree import _Element

Fingerprint: TypeAlias = Callable[["_Element"], str | None]
"""What an element is compared by: empty for a mark without width, None for what is left out."""

WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
WRAPPERS: Final = frozenset(
    f"{W}{name}" for name in ("hyperlink", "smartTag", "sdt", "customXml", "dir", "bdo")
)
"""Elements within a paragraph that hold runs, and mean nothing for the words."""
_INNER: Final = frozenset({f"{W}sdtContent"})
PROPERTIES: Final = frozenset(
    f"{W}{name}" for name in ("pPr", "rPr", "sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr")
)
CHANGES: Final = frozenset(f"{W}{name}" for name in ("ins", "del", "moveFrom", "moveTo"))
_WORDS: Final = frozenset({f"{W}t", f"{W}delText"})
NOTE_REFERENCES: Final = {
    f"{W}footnoteReference": "footnotes",
    f"{W}endnoteReference": "endnotes",
}
BOX: Final = f"{W}txbxContent"


@dataclass(eq=False, slots=True)
class Atom:
    """What stays, goes or comes as one; of words any part may.

    Attributes:
        key: What it is compared by; empty for what has no width, such as a bookmark.
        node: The words, sign or drawing in a run, or the formula or mark between runs.
        run: The run that it is in, if any.
        path: The links and controls around it, outermost first.
        changes: The tracked changes of other people around it, outermost first.
        parts: All that a field is made of.
    """

    key: str
    node: _Element | None
    run: _Element | None = None
    path: tuple[_Element, ...] = ()
    changes: tuple[_Element, ...] = ()
    text: str | None = None
    parts: tuple[Atom, ...] = ()

    @property
    def is_words(self) -> bool:
        """Tell whether it is words that can be divided."""
        return self.text is not None and not self.changes


def read_atoms(paragraph: _Element, fingerprint: Fingerprint) -> list[Atom]:
    found = list(_walk(paragraph, _Place(), fingerprint))
    return list(_join_changes(list(_join_fields(found))))


@dataclass(frozen=True, slots=True)
class _Place:
    run: _Element | None = None
    path: tuple[_Element, ...] = ()
    changes: tuple[_Element, ...] = ()


def _walk(parent: _Element, place: _Place, fingerprint: Fingerprint) -> Iterator[Atom]:
    for node in parent:
        tag = node.tag
        if tag in PROPERTIES:
            continue
        if tag in _INNER:
            yield from _walk(node, place, fingerprint)
        elif tag in WRAPPERS:
            inner = _Place(None, (*place.path, node), place.changes)
            yield from _walk(node, inner, fingerprint)
        elif tag in CHANGES:
            inner = _Place(None, place.path, (*place.changes, node))
            found = list(_walk(node, inner, fingerprint))
            empty = Atom(_changed_key(inner, ""), node, None, place.path, place.changes)
            yield from found or [empty]
        elif tag == f"{W}r":
            yield from _walk_run(node, _Place(node, place.path, place.changes), fingerprint)
        elif tag == f"{W}fldSimple":
            parts = tuple(_simple_field(node, place, fingerprint))
            key = _changed_key(place, _field_key(parts))
            yield Atom(key, node, None, place.path, place.changes, parts=parts)
        elif (own := fingerprint(node)) is not None:
            yield Atom(_changed_key(place, own), node, None, place.path, place.changes)


def _walk_run(run: _Element, place: _Place, fingerprint: Fingerprint) -> Iterator[Atom]:
    for node in run:
        if node.tag in PROPERTIES:
            continue
        if node.tag in _WORDS and not place.changes:
            if node.text:
                yield Atom("words", node, run, place.path, text=node.text)
        elif node.tag in _WORDS:
            for match in WORD.finditer(node.text or ""):
                key = _changed_key(place, match[0])
                yield Atom(key, node, run, place.path, place.changes, text=match[0])
        elif (own := fingerprint(node)) is not None:
            yield Atom(_changed_key(place, own), node, run, place.path, place.changes)


def _changed_key(place: _Place | Atom, key: str) -> str:
    changes = "".join(f"{each.tag}\0{each.get(f'{W}author')}\0" for each in place.changes)
    return f"{changes}{key}"


def _simple_field(node: _Element, place: _Place, fingerprint: Fingerprint) -> Iterator[Atom]:
    """Yield what a field would be made of if it were written in runs."""

    def create_atom(tag: str, text: str = "", **attributes: str) -> Atom:
        run = node.makeelement(f"{W}r")
        own = {f"{W}{name}": value for name, value in attributes.items()}
        part = run.makeelement(f"{W}{tag}", own)
        if text:
            part.text = text
            part.set(SPACE, "preserve")
        run.append(part)
        return Atom("part", part, run, place.path, place.changes)

    yield create_atom("fldChar", fldCharType="begin")
    yield create_atom("instrText", node.get(f"{W}instr", ""))
    yield create_atom("fldChar", fldCharType="separate")
    yield from _walk(node, place, fingerprint)
    yield create_atom("fldChar", fldCharType="end")


def _join_fields(atoms: Sequence[Atom]) -> Iterator[Atom]:
    """Yield atoms with each field that begins and ends among them as one."""
    at = 0
    while at < len(atoms):
        end = _field_end(atoms, at)
        parts = tuple(atoms[at:end])
        if len(parts) > 1:
            first = parts[0]
            key = _changed_key(first, _field_key(parts))
            yield Atom(key, None, first.run, first.path, first.changes, parts=parts)
        else:
            yield atoms[at]
        at = end


def _join_changes(atoms: Sequence[Atom]) -> Iterator[Atom]:
    """Yield atoms with each tracked change of other people as one, so that it stays whole."""
    at = 0
    while at < len(atoms):
        first = atoms[at]
        end = at + 1
        while first.changes and end < len(atoms) and _is_beside(first, atoms[end]):
            end += 1
        parts = tuple(atoms[at:end])
        if len(parts) == 1 or any(map(_is_apart, parts)):
            yield from parts
        else:
            key = "".join(each.key for each in parts)
            yield Atom(key, None, first.run, first.path, first.changes, parts=parts)
        at = end


def _is_beside(first: Atom, other: Atom) -> bool:
    return other.changes[:1] == first.changes[:1] and other.path == first.path


def _field_end(atoms: Sequence[Atom], at: int) -> int:
    """Return where a field that begins at a place ends; the next place if none can be joined."""
    depth = 0
    first = atoms[at]
    for beyond in range(at, len(atoms)):
        each = atoms[beyond]
        depth += _field_step(each)
        if each.path != first.path or each.changes != first.changes or _is_apart(each):
            break
        if depth == 0:
            return beyond + 1
    return at + 1


def _field_step(atom: Atom) -> int:
    kind = atom.node.get(f"{W}fldCharType") if atom.node is not None else None
    return {"begin": 1, "end": -1}.get(kind or "", 0)


def _is_apart(atom: Atom) -> bool:
    """Tell whether an atom has words elsewhere, so that it cannot be part of a field."""
    node = atom.node
    return node is not None and (
        node.tag in NOTE_REFERENCES or next(node.iter(BOX), None) is not None
    )


def _field_key(parts: Sequence[Atom]) -> str:
    """Return what a field is compared by: its instruction, what it shows, and a form's state."""
    keys = []
    for each in parts:
        node = each.node
        if node is None or each.parts:
            keys.append(each.key)
        elif node.tag == f"{W}instrText":
            keys.append(" ".join((node.text or "").split()))
        elif node.tag == f"{W}fldChar":
            states = (form.get(f"{W}val", "") for form in node.iter() if form is not node)
            keys.append(f"{node.get(f'{W}fldCharType')}{','.join(states)}")
        elif each.key:
            keys.append(each.text if each.text is not None else each.key)
    # Words that are divided among runs in another way are the same.
    return "field\0" + "".join(keys)


def empty_copy(node: _Element) -> _Element:
    """Return an element with the attributes of another."""
    return node.makeelement(
        node.tag, {str(name): str(value) for name, value in node.attrib.items()}
    )
