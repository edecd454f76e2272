"""The syntax tree of a query, and its canonical text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
class Near:
    """Parts that stand close together, no word of the text serving two of them.

    In any order: each part ends at most `distance` words before the part that starts last. In
    this order: each part starts at most `distance` words after the one before it ends.
    """

    parts: tuple[Part, ...]
    distance: int
    ordered: bool = False
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class And:
    """All parts; those that are `Not` exclude, and at least one does not."""

    parts: tuple[Node, ...]
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the parts."""

    parts: tuple[Node, ...]
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Not:
    """What must not match; it stands only within an `And`."""

    part: Node


Part: TypeAlias = Word | Prefix | Phrase | Or
"""What a `Near` joins; an `Or` here holds only words, prefixes, phrases and such groups."""
Leaf: TypeAlias = Word | Prefix | Phrase | Near
"""What is scored."""
Node: TypeAlias = Leaf | And | Or | Not


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        text: What the user wrote.
        plain: Whether it is three or more bare words without any operator: a question in plain
            language, which search may answer with passages that do not hold all of its words.
    """

    text: str
    tree: Node
    plain: bool = False

    def __str__(self) -> str:
        return render(self.tree)


def leaves(node: Node, boost: float = 1.0) -> Iterator[tuple[Leaf, float, bool]]:
    """Yield each leaf in order with its boost, those of its groups multiplied in.

    The third value is False for what stands under a `Not`: it excludes, and never scores.
    """
    match node:
        case And() | Or():
            for part in node.parts:
                yield from leaves(part, boost * node.boost)
        case Not():
            for leaf, inner, _ in leaves(node.part, boost):
                yield leaf, inner, False
        case _:
            yield node, boost * node.boost, True


def render(node: Node) -> str:
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
        case Near():
            return _near(node)
        case _:
            return _boosted(_term(node), node.boost)


def label(leaf: Leaf) -> str:
    """Return the canonical text of a leaf without its boost, as a name for its part of a score."""
    match leaf:
        case Near():
            return _near(Near(leaf.parts, leaf.distance, leaf.ordered))
        case _:
            return _term(leaf)


def _term(node: Word | Prefix | Phrase) -> str:
    match node:
        case Word():
            return node.token
        case Prefix():
            return f"{node.token}*"
        case Phrase():
            return f'"{" ".join(node.tokens)}{"*" if node.prefix else ""}"'


def _near(node: Near) -> str:
    if not node.ordered and all(isinstance(part, Word | Prefix) for part in node.parts):
        words = " ".join(render(part) for part in node.parts)
        return _boosted(f'"{words}"~{node.distance}', node.boost)
    joint = f" {'pre' if node.ordered else 'w'}/{node.distance} "
    return _boosted(
        joint.join(_bracketed(part, Near) for part in node.parts), node.boost, group=True
    )


def _boosted(text: str, boost: float, *, group: bool = False) -> str:
    if boost == 1.0:
        return text
    number = f"{boost:.6f}".rstrip("0").rstrip(".")
    return f"({text})^{number}" if group else f"{text}^{number}"


def _bracketed(node: Node, within: type[Node]) -> str:
    """Return a part as it stands inside a larger whole, in brackets where it binds less tightly."""
    text = render(node)
    loose = isinstance(node, Or) or (isinstance(node, And) and within is not Or)
    return f"({text})" if loose and not isinstance(node, Not) and node.boost == 1.0 else text
