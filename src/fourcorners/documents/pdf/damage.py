"""Signs that a PDF lost text although it opens."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_DEFLATE_FILTER = re.compile(rb"/Filter\s*\[?\s*/(?:FlateDecode|Fl)\b")
_MAX_STREAM = 64 << 20  # bytes unpacked for this check, in all


def count_broken_streams(data: bytes) -> tuple[int, int]:
    """Count the compressed streams that do not unpack, and those that were tried.

    pdfium silently takes what precedes the damage, so a file with a few flipped bytes may open with
    a twentieth of its text. Encrypted files are not checked: their streams look like noise.
    """
    if b"/Encrypt" in data:
        return 0, 0
    broken = tried = unpacked = 0
    for match in _STREAM.finditer(data):
        dictionary = data[max(0, data.rfind(b"obj", 0, match.start())) : match.start()]
        end = data.find(b"endstream", match.end())
        if end < 0 or not _DEFLATE_FILTER.search(dictionary):
            continue
        tried += 1
        engine = zlib.decompressobj()
        rest = data[match.end() : end]
        try:
            while rest and unpacked < _MAX_STREAM and not engine.eof:
                unpacked += len(engine.decompress(rest, 1 << 20))
                rest = engine.unconsumed_tail
        except zlib.error:
            broken += 1
        if unpacked >= _MAX_STREAM:
            break
    return broken, tried


MAX_DRAWN_FORMS = 1_000_000  # forms drawn by one form, including nested ones
MAX_FORMS = 20_000  # guards against files with nothing else
MAX_CONTENT = 4 << 20  # bytes of one form's content that are looked at

_FORM = re.compile(rb"/Subtype\s*/Form\b")
_OBJECT = re.compile(rb"(?<!\d)(\d{1,10})\s+\d{1,5}\s+obj\b")
_MAX_DICTIONARY = 4_000  # bytes between a form's beginning and its resources
_DO_OPERATOR = re.compile(rb"/([^\s/<>\[\]()%]{1,127})\s+Do\b")
_NAMES = re.compile(rb"/XObject\s*<<(.{0,20000}?)>>", re.DOTALL)
_NAMED = re.compile(rb"/([^\s/<>\[\]()%]{1,127})\s+(\d{1,10})\s+\d{1,5}\s+R")
_REFERENCE = re.compile(rb"\s*(\d{1,10})\s+\d{1,5}\s+R\b")


@dataclass(slots=True)
class _Form:
    draws: Counter[int] = field(default_factory=Counter)
    total: int | None = None


def has_form_bomb(data: bytes) -> bool:
    """Tell whether a form of the PDF draws itself more than once, or far too many others."""
    forms: dict[int, _Form] = {}
    for match in islice(_FORM.finditer(data), MAX_FORMS):
        first = max(0, match.start() - _MAX_DICTIONARY)
        begins = list(_OBJECT.finditer(data, first, match.start()))
        at = data.find(b"stream", match.end(), match.end() + _MAX_DICTIONARY)
        if not begins or at < 0:
            continue
        entries = data[begins[-1].end() : at]
        names = _form_names(data, entries)
        if names:
            drawn = Counter(
                each.group(1) for each in _DO_OPERATOR.finditer(_content(data, at, entries))
            )
            counted = Counter({names[name]: n for name, n in drawn.items() if name in names})
            forms[int(begins[-1].group(1))] = _Form(counted)
    return any(_count_drawn_forms(number, forms) > MAX_DRAWN_FORMS for number in forms)


_PATTERN = re.compile(rb"/PatternType\s+1\b")
_STEP = re.compile(rb"/[XY]Step\s*([-+\d.]{1,20})")
_MATRIX = re.compile(rb"/Matrix\s*\[\s*" + rb"\s+".join([rb"([-+\d.]{1,20})"] * 4))
_MIN_TILE = 0.05  # square points: a page holds ten millions of these


def has_pattern_bomb(data: bytes) -> bool:
    """Return whether a pattern of the PDF is repeated in tiles too small to be seen."""
    for match in islice(_PATTERN.finditer(data), MAX_FORMS):
        first = max(data.rfind(b" obj", 0, match.start()), match.start() - _MAX_DICTIONARY)
        entries = data[first : data.find(b"stream", match.end(), match.end() + _MAX_DICTIONARY)]
        steps, matrix = _STEP.findall(entries), _MATRIX.search(entries)
        try:
            a, b, c, d = map(float, matrix.groups()) if matrix else (1.0, 0.0, 0.0, 1.0)
            area = math.prod(map(float, steps[:2])) * (a * d - b * c)
        except ValueError:
            continue
        if len(steps) == 2 and abs(area) < _MIN_TILE:
            return True
    return False


_MAX_LABEL_DEPTH = 32  # of a tree of page labels, which has two or three levels
_MAX_LABELS = 1_000_000  # places of such a tree


def has_label_bomb(data: bytes) -> bool:
    """Return whether the tree of page labels, which pdfium follows to its end, has none."""
    level: Counter[int] = Counter()
    for part in data.split(b"/PageLabels", 20)[1:]:
        entries = part[:20_000].partition(b"]")[0].lstrip()
        is_direct = entries.startswith(b"<<")
        if is_direct or entries[:1].isdigit():
            found = _REFERENCE.findall(entries)
            level.update(map(int, found if is_direct else found[:1]))
    places = {int(each.group(1)): each.end() for each in _OBJECT.finditer(data)} if level else {}
    for _ in range(_MAX_LABEL_DEPTH):
        below: Counter[int] = Counter()
        for number, times in level.items():
            start = places.get(number, len(data))
            end = data.find(b"endobj", start, start + MAX_CONTENT)
            for child in _REFERENCE.findall(data, start, max(start, end)):
                below[int(child)] += times
        if not below or below.total() > _MAX_LABELS:
            return bool(below)
        level = below
    return True


def _form_names(data: bytes, entries: bytes) -> dict[bytes, int]:
    apart = _REFERENCE.match(entries.partition(b"/Resources")[2])
    if apart is not None:
        place = max(data.find(b"%s%s 0 obj" % (end, apart.group(1))) for end in (b"\n", b"\r"))
        entries = data[place : place + 20_000] if place >= 0 else b""
    match = _NAMES.search(entries)
    return {name: int(n) for name, n in _NAMED.findall(match.group(1))} if match else {}


def _content(data: bytes, at: int, entries: bytes) -> bytes:
    start = at + len(b"stream")
    start += 2 if data[start : start + 2] == b"\r\n" else 1
    if b"/FlateDecode" not in entries and b"/Fl " not in entries:
        end = data.find(b"endstream", start, start + MAX_CONTENT)
        return data[start : end if end >= 0 else start + MAX_CONTENT]
    try:
        return zlib.decompressobj().decompress(data[start : start + MAX_CONTENT], MAX_CONTENT)
    except zlib.error:
        return b""


def _count_drawn_forms(number: int, forms: dict[int, _Form]) -> int:
    """Count the forms drawn by one; a cycle that is entered twice has no end."""
    path: list[tuple[int, list[int]]] = [(number, [*forms[number].draws])]
    open_forms = {number}
    while path:
        at, left = path[-1]
        form = forms[at]
        if form.total is not None or not left:
            if form.total is None:
                form.total = 1 + sum(
                    times * (forms[each].total or 0) if each in forms else times
                    for each, times in form.draws.items()
                )
            path.pop()
            open_forms.discard(at)
            continue
        child = left.pop()
        if child in open_forms:
            circle = [step for step, _ in path]
            circle = circle[circle.index(child) :]
            for step, follower in zip(circle, [*circle[1:], child], strict=True):
                if forms[step].draws[follower] > 1:
                    return MAX_DRAWN_FORMS + 1
        elif child in forms and forms[child].total is None:
            path.append((child, [*forms[child].draws]))
            open_forms.add(child)
    return min(forms[number].total or 0, MAX_DRAWN_FORMS + 1)
