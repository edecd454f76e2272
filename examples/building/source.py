"""Read a contract's source: marked paragraphs in a text file.

A source is ``key: value`` lines, a line ``---``, then blocks divided by blank lines:

===========  ===========================================================
``= text``   a title line, centred
``~ text``   a centred line
``# text``   a numbered paragraph of level 1; ``##``, ``###``, ``####`` below it
``+1 text``  an item of the list of parties, (1)
``+A text``  an item of the list of recitals, (A)
``> text``   an indented paragraph, such as a definition
``>a text``  an item (a) of a list within it; ``>a! text`` starts again at (a)
``@ text``   a schedule: numbered itself, on a new page, and numbering restarts
``@@ text``  an unnumbered heading
``| a | b``  a row of a table
``:: text``  a line of a signature block
``{#name}``  names the paragraph; ``{@name}`` elsewhere becomes its number
===========  ===========================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from building.numbering import SCHEMES, Counter, Level, Scheme

Kind = Literal[
    "title", "centre", "clause", "party", "recital", "indent", "item", "schedule",
    "heading", "row", "sign", "body",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, with the number that its place in the lists gives it."""

    kind: Kind
    text: str
    depth: int = 0
    label: str = ""
    restart: bool = False
    schedule: int = 0  # which schedule it stands in; 0 is the body
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A contract as written: its settings and its numbered blocks."""

    name: str
    settings: dict[str, str]
    blocks: tuple[Block, ...]

    @property
    def scheme(self) -> Scheme:
        """The numbering that its settings ask for."""
        return SCHEMES[self.settings["scheme"]]


MARKS: tuple[tuple[str, Kind], ...] = (
    ("@@ ", "heading"), ("@ ", "schedule"), ("= ", "title"), ("~ ", "centre"), ("+1 ", "party"),
    ("+A ", "recital"), (">a! ", "item"), (">a ", "item"), ("> ", "indent"),
)  # fmt: skip


def typographic(text: str) -> str:
    """Turn typewriter quotation marks into printed ones, as Word does while one types."""
    text = re.sub(r'(^|[\s(\[])(\*\*)?"', r"\1\2“", text).replace('"', "”")
    return re.sub(r"(^|[\s(\[“])'", r"\1‘", text).replace("'", "’")


def parse_chunk(chunk: str) -> Iterator[Block]:
    """Turn what stands between two blank lines into blocks."""
    lines = chunk.split("\n")
    if lines[0].startswith("|"):
        for line in lines:
            yield Block("row", line, cells=tuple(c.strip() for c in line.strip("| ").split("|")))
    elif lines[0].startswith("::"):
        for line in lines:
            yield Block("sign", line.removeprefix("::").strip())
    else:
        yield parse_paragraph(" ".join(line.strip() for line in lines))


def parse_paragraph(text: str) -> Block:
    """Recognise a paragraph by the mark it begins with."""
    if match := re.match(r"(#{1,4}) ", text):
        return Block("clause", text[match.end() :], depth=len(match[1]) - 1)
    for mark, kind in MARKS:
        if text.startswith(mark):
            return Block(kind, text.removeprefix(mark), restart=mark.endswith("! "))
    return Block("body", text)


def number(blocks: Iterable[Block], scheme: Scheme) -> Iterator[Block]:
    """Give each block of a list its label, as Word would."""
    clauses = Counter(scheme.levels)
    single = {
        "party": Counter((Level("decimal", "(%1)", "(%1)"),)),
        "recital": Counter((Level("upperLetter", "(%1)", "(%1)"),)),
        "item": Counter((Level("lowerLetter", "(%1)", "(%1)"),)),
        "schedule": Counter((scheme.schedule,)),
    }
    schedule = 0
    for block in blocks:
        counter, depth = single.get(block.kind), 0
        if block.kind == "schedule":
            schedule += 1
            clauses = Counter(scheme.inner)
        if block.kind == "clause":
            counter, depth = clauses, block.depth
        if block.restart and counter:
            counter.counts = [0] * 4
        if counter is None:
            yield replace(block, schedule=schedule)
            continue
        counter.advance(depth)
        label = counter.write(depth, counter.levels[depth].text)
        reference = counter.write(depth, counter.levels[depth].reference)
        text = re.sub(r"\{#([\w-]+)\}", rf"{{#\1={reference}}}", block.text)
        yield replace(block, text=text, label=label, schedule=schedule)


def resolve(blocks: list[Block]) -> tuple[Block, ...]:
    """Replace references by numbers; an unknown name is a ``KeyError``."""
    names = {m[1]: m[2] for b in blocks for m in re.finditer(r"\{#([\w-]+)=([^}]+)\}", b.text)}

    def finish(text: str) -> str:
        text = re.sub(r"\s*\{#[^}]+\}", "", text)
        text = re.sub(r"\{@([\w-]+)\}", lambda m: names[m[1]], text)
        return typographic(text.strip())

    return tuple(
        replace(b, text=finish(b.text), cells=tuple(finish(c) for c in b.cells)) for b in blocks
    )


def read_source(path: Path) -> Source:
    """Read one file of ``sources/``."""
    head, body = path.read_text(encoding="utf-8").split("\n---\n", 1)
    settings = dict(line.split(": ", 1) for line in head.strip().split("\n"))
    chunks = [c.strip("\n") for c in re.split(r"\n\s*\n", body) if c.strip()]
    blocks = [block for chunk in chunks for block in parse_chunk(chunk)]
    return Source(path.stem, settings, resolve(list(number(blocks, SCHEMES[settings["scheme"]]))))
