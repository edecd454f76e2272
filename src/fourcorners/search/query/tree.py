"""The syntax tree of a query, and its canonical text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from functools import lru_cache
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Word:
    """One folded word."""

    token: str
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Prefix:
    """Every word that starts with `token`."""

    token: str
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Phrase:
    """Two or more words in a row; with `prefix`, the last one is only the start of a word."""

    tokens: tuple[str, ...]
    prefix: bool = False
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Proximity:
    """Parts close together, with no word of the text matching two of them.

    In any order: each part ends at most `distance` words before the part that starts last. In this
    order: each part starts at most `distance` words after the previous one ends.

    Attributes:
        sloppy: Whether it is Lucene's: `distance` is the total number of positions by which the
            words must move to be adjacent in this order, so that two words in the other order cost
            two more. All its parts are words or prefixes.
    """

    parts: tuple[Part, ...]
    distance: int
    ordered: bool = False
    boost: float = 1.0
    sloppy: bool = False


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Not:
    """What must not match; only within an `And`."""

    part: Node


class FieldName(Enum):
    TYPE = "type"
    PARTY = "party"
    LABEL = "label"
    HEADING = "heading"
    COLLECTION = "collection"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Field:
    """Where to search: excludes what it does not match, and adds nothing to the score.

    Attributes:
        text: The value as written.
        first, last: The first and the last day of a `date`, where it has one.
    """

    name: FieldName
    text: str
    first: date | None = None
    last: date | None = None


Part: TypeAlias = Word | Prefix | Phrase | Or
"""What a `Proximity` joins; an `Or` here contains only words, prefixes, phrases and such groups."""
Leaf: TypeAlias = Word | Prefix | Phrase | Proximity
"""Nodes that are scored."""
Node: TypeAlias = Leaf | Field | And | Or | Not


class Mode(Enum):
    """What `"a b"~5` means.

    Attributes:
        SYMMETRIC: At most five words between, in either order.
        LUCENE: As in Lucene, and the engines built on it: at most five between in
            this order, at most three in the other.
    """

    SYMMETRIC = "symmetric"
    LUCENE = "lucene"


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        plain: Whether it is three or more bare words without any operator: a question in plain
            language, which search may answer with passages without all of its words. It may also
            have fields.
        stem: Whether `assign` finds assigns, assigned and assignment too.
    """

    text: str
    tree: Node
    plain: bool = False
    mode: Mode = Mode.SYMMETRIC
    stem: bool = False

    def __str__(self) -> str:
        return render_tree(self.tree)


def tree_leaves(node: Node, boost: float = 1.0) -> Iterator[tuple[Leaf | Field, float, bool]]:
    """Yield each leaf and field in order with its boost, multiplied by those of its groups.

    The third value is False for what never scores: a field, and anything under a `Not`.
    """
    match node:
        case And() | Or():
            for part in node.parts:
                yield from tree_leaves(part, boost * node.boost)
        case Not():
            for leaf, inner, _ in tree_leaves(node.part, boost):
                yield leaf, inner, False
        case Field():
            yield node, boost, False
        case _:
            yield node, boost * node.boost, True


def tree_fields(node: Node) -> list[Field]:
    return [leaf for leaf, _, _ in tree_leaves(node) if isinstance(leaf, Field)]


def without_fields(node: Node) -> Node | None:
    """Return a tree with only its words, or None if it has only fields.

    It matches wherever the whole matches; so it gives what to show of a passage.
    """
    match node:
        case Field():
            return None
        case Not():
            part = without_fields(node.part)
            return Not(part) if part else None
        case And() | Or():
            parts = tuple(part for each in node.parts if (part := without_fields(each)))
            if isinstance(node, And) and all(isinstance(part, Not) for part in parts):
                return None
            return replace(node, parts=parts) if len(parts) > 1 else _unwrap(parts, node.boost)
        case _:
            return node


def _unwrap(parts: tuple[Node, ...], boost: float) -> Node | None:
    """Return the remaining part of a group, without the group."""
    if not parts or isinstance(parts[0], Field | Not):
        return parts[0] if parts else None
    return replace(parts[0], boost=parts[0].boost * boost)


@lru_cache(maxsize=4_096)
def render_tree(node: Node) -> str:
    """Return the canonical text of a tree; it parses back to the same tree."""
    match node:
        case Not():
            return f"NOT {_bracketed(node.part, Not)}"
        case Or():
            return _boosted(
                " OR ".join(_bracketed(part, Or) for part in node.parts), node.boost, group=True
            )
        case And():
            return _boosted(
                " AND ".join(_bracketed(part, And) for part in node.parts), node.boost, group=True
            )
        case Proximity():
            return _near_text(node)
        case Field():
            return _field(node)
        case _:
            return _boosted(_term(node), node.boost)


def leaf_label(leaf: Leaf | Field) -> str:
    """Return the canonical text of a leaf without its boost, as a name for its part of a score."""
    match leaf:
        case Proximity():
            return _near_label(leaf)
        case Field():
            return _field(leaf)
        case _:
            return _term(leaf)


@lru_cache(maxsize=4_096)
def _near_label(near: Proximity) -> str:
    return _near_text(replace(near, boost=1.0))


def _field(field: Field) -> str:
    bare = field.text.isprintable() and not set(field.text) & set(' \t"()[]^~,“”„‟')
    value = field.text if bare else '"' + field.text.replace('"', " ") + '"'
    return f"{field.name.value}:{value}"


def _term(node: Word | Prefix | Phrase) -> str:
    match node:
        case Word():
            return node.token
        case Prefix():
            return f"{node.token}*"
        case Phrase():
            return f'"{" ".join(node.tokens)}{"*" if node.prefix else ""}"'


def _near_text(node: Proximity) -> str:
    if not node.ordered and all(isinstance(part, Word | Prefix) for part in node.parts):
        words = " ".join(render_tree(part) for part in node.parts)
        return _boosted(f'"{words}"~{node.distance}', node.boost)
    joint = f" {'pre' if node.ordered else 'w'}/{node.distance} "
    return _boosted(
        joint.join(_bracketed(part, Proximity) for part in node.parts), node.boost, group=True
    )


def _boosted(text: str, boost: float, *, group: bool = False) -> str:
    if boost == 1.0:
        return text
    number = f"{boost:.6f}".rstrip("0").rstrip(".")
    return f"({text})^{number}" if group else f"{text}^{number}"


def _bracketed(node: Node, within: type[Node]) -> str:
    """Return a part within a larger expression, in brackets if it binds less tightly."""
    text = render_tree(node)
    if not isinstance(node, Or | And) or node.boost != 1.0:
        return text
    return f"({text})" if isinstance(node, Or) or within is not Or else text
