"""An Office file as a package of XML parts, opened without trust.

A megabyte of ZIP can hold a gigabyte of XML, and its directory can misstate that: declared sizes
are checked before anything is unpacked, and real sizes are counted while it is.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from fourcorners.errors import InputError

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_PART = 128 << 20  # bytes of one XML part; a contract of a thousand pages has some 30 MB
MAX_TOTAL = 1 << 30  # bytes of all parts, including pictures
MAX_ENTRIES = 10_000  # guards against packages that unpack without end
MAX_PICTURES = 60  # that are looked at
_MIN_PICTURE = 400  # bytes: smaller ones are dots and lines
MAX_RATIO = 200  # ratio of unpacked to packed size; Word's XML has 10 to 50
RATIO_CHECK_FROM = 8 << 20  # unpacked bytes below which the ratio means nothing

_STRICT_NAMESPACES = (
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships",
     b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main",
     b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    (b"http://purl.oclc.org/ooxml/officeDocument/math",
     b"http://schemas.openxmlformats.org/officeDocument/2006/math"),
)  # fmt: skip
_WORD_NAMESPACES = (
    "http://schemas.microsoft.com/", "http://schemas.openxmlformats.org/",
    "urn:schemas-microsoft-com:",
)  # fmt: skip
# What `zipfile` raises on a member that does not match the directory.
_UNPACK_ERRORS = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, struct.error
)  # fmt: skip
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file can state
_RESAVE_REMEDY = "Open it in Word, save it under a new name and add that file."


@dataclass(frozen=True, slots=True)
class Relation:
    """A part, or a place outside the file, to which a part refers."""

    id: str
    kind: str
    target: str
    is_external: bool

    @property
    def short_kind(self) -> str:
        return self.kind.rpartition("/")[2]


class OfficePackage:
    """The parts of an Office file; raises InputError if it is damaged, locked or a bomb."""

    def __init__(self, data: bytes, path: Path) -> None:
        self._path = path
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise self._damaged_error("its directory is missing; it may be truncated") from error
        entries = self._archive.infolist()
        if len(entries) > MAX_ENTRIES or sum(entry.file_size for entry in entries) > MAX_TOTAL:
            raise self._bomb_error()
        self._entries = {entry.filename.lstrip("/"): entry for entry in entries}

    def xml_root(self, name: str) -> _Element | None:
        from lxml import etree

        data = self.read_part(name)
        if data is None:
            return None
        for strict, transitional in _STRICT_NAMESPACES:
            data = data.replace(strict, transitional)
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise self._damaged_error(f"{name} is not well-formed: {error.msg}") from error
        if root.getroottree().docinfo.internalDTD is not None:
            raise self._damaged_error(
                f"{name} declares a document type, which no Office program writes"
            )
        _drop_unknown_alternatives(root)
        return root

    def uses_strict_names(self, name: str) -> bool:
        """Return whether a part uses the namespaces of ISO 29500 Strict."""
        data = self.read_part(name) or b""
        return any(strict in data for strict, _ in _STRICT_NAMESPACES)

    def with_parts(self, changed: Mapping[str, _Element | bytes]) -> bytes:
        """Return the file with these parts replaced or added; the rest is unchanged."""
        from lxml import etree

        written: dict[str, bytes] = {}
        for name, root in changed.items():
            if isinstance(root, bytes):
                written[name] = root
                continue
            data = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
            if self.uses_strict_names(name):
                for strict, transitional in _STRICT_NAMESPACES:
                    data = data.replace(transitional, strict)
            written[name] = data
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as target:
            for name, entry in self._entries.items():
                content = written.pop(name) if name in written else self.read_part(name)
                again = zipfile.ZipInfo(name, entry.date_time)  # writing changes an entry
                target.writestr(again, content or b"", zipfile.ZIP_DEFLATED)
            for name, data in written.items():
                target.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
        return held.getvalue()

    def related_parts(self, name: str) -> dict[str, str]:
        """Return the parts to which a part refers: the last word of the type, the part's name."""
        found: dict[str, str] = {}
        for each in self.relationships(name):
            if not each.is_external:
                found.setdefault(each.short_kind, each.target)
        return found

    def related_parts_of_kind(self, name: str, kind: str) -> list[str]:
        found = [each for each in self.relationships(name) if not each.is_external]
        return list(dict.fromkeys(each.target for each in found if each.short_kind == kind))

    def pictures(self, names: Iterable[str]) -> list[bytes]:
        """Return the pictures that may hold words, each once, in order."""
        found: dict[bytes, None] = {}
        size = 0
        for name in names:
            data = self.read_part(name) or b""
            size += len(data)
            if len(found) >= MAX_PICTURES or size > MAX_PART:
                break
            if len(data) >= _MIN_PICTURE:
                found[data] = None
        return list(found)

    def relationships(self, name: str) -> Iterator[Relation]:
        """Yield what a part refers to, in order."""
        folder = posixpath.dirname(name)
        root = self.xml_root(relations_part(name))
        for each in root if root is not None else ():
            target, is_external = each.get("Target", ""), each.get("TargetMode") == "External"
            if not is_external and target:
                place = posixpath.join("/", folder, unquote(target))
                target = posixpath.normpath(place).lstrip("/")
            if target:
                yield Relation(each.get("Id", ""), each.get("Type", ""), target, is_external)

    @property
    def unpacked_size(self) -> int:
        """Return the size of all parts in bytes, as the directory has it."""
        return sum(entry.file_size for entry in self._entries.values())

    def read_part(self, name: str) -> bytes | None:
        """Return the bytes of a part; None if there is none."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        too_dense = entry.file_size > max(RATIO_CHECK_FROM, MAX_RATIO * entry.compress_size)
        if entry.file_size > MAX_PART or too_dense:
            raise self._bomb_error()
        if entry.flag_bits & 1:
            raise InputError(
                f"{self._path}: the document is locked with a password.",
                remedy="Open it with the password, save it without one and add that file.",
            )
        try:
            with self._archive.open(entry) as member:
                data = member.read(MAX_PART + 1)
        except _UNPACK_ERRORS as error:
            raise self._damaged_error(f"{name} does not unpack") from error
        if len(data) > MAX_PART:
            raise self._bomb_error()
        return data

    def _damaged_error(self, how: str) -> InputError:
        return InputError(f"{self._path}: the document is damaged: {how}.", remedy=_RESAVE_REMEDY)

    def _bomb_error(self) -> InputError:
        return InputError(
            f"{self._path}: the document unpacks to far more than any contract holds.",
            remedy="If you trust it, open it in Word and save it as PDF; otherwise leave it out.",
        )


def relations_part(part: str) -> str:
    """Return the name of the part that lists what a part refers to."""
    folder, base = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{base}.rels")


def _drop_unknown_alternatives(root: _Element) -> None:
    """Replace choices that need what Word does not know, as it does (ISO/IEC 29500-3, 7.6)."""
    for node in list(root.iter("{*}AlternateContent")):
        for choice in node.findall("{*}Choice"):
            needed = map(choice.nsmap.get, choice.get("Requires", "").split())
            if not all(each.startswith(_WORD_NAMESPACES) for each in needed if each):
                node.remove(choice)
        parent = node.getparent()
        if parent is not None and node.find("{*}Choice") is None:
            at = parent.index(node)
            parent[at : at + 1] = node.findall("{*}Fallback/*")
