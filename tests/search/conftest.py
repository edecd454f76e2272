"""A library of small contracts, each clause a passage; random queries and texts for them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from fourcorners.documents.document import Document, Page
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card, Fact
from fourcorners.outline.tree import Node as Clause
from fourcorners.outline.tree import NodeKind, Outline, Passage, View
from fourcorners.search.query import And, Node, Not, Or, Phrase, Prefix, Proximity, Word
from fourcorners.text.span import Span
from tests.models.fake import HashEncoder

ENCODER = HashEncoder(256)

Add = Callable[..., str]


@pytest.fixture
def encoder() -> HashEncoder:
    return ENCODER


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "firm.db") as opened:
        opened.set_encoder(ENCODER.name, ENCODER.dimension)
        yield opened


@pytest.fixture
def add(library: Library) -> Add:
    """Add a contract of the given clauses, numbered 1, 2, …; return its id."""

    def add_one(
        *clauses: str,
        name: str = "lease.txt",
        collection: str = "Larch",
        kind: str = "Lease",
        vectors: bool = True,
        overlap: bool = False,
    ) -> str:
        text = "\n".join(clauses)
        spans: list[Span] = []
        for clause in clauses:
            start = spans[-1].end + 1 if spans else 0
            spans.append(Span(start, start + len(clause)))
        if overlap:
            spans += [Span(a.start, b.end) for a, b in pairwise(spans)]
        digest = sha256(f"{name}\n{text}".encode()).hexdigest()
        half = len(text) // 2
        document = Document(
            id=digest[:16],
            name=name,
            path=f"room/{name}",
            sha256=digest,
            media_type="text/plain",
            reader="plain/1",
            text=text,
            pages=(
                Page(1, Span(0, half), 595.0, 842.0),
                Page(2, Span(half, len(text)), 595.0, 842.0),
            ),
        )
        nodes = tuple(
            Clause(at, None, NodeKind.SECTION, str(at + 1), None, span)
            for at, span in enumerate(spans[: len(clauses)])
        )
        passages = [
            Passage(at, span, View.NODE, min(at, len(clauses) - 1)) for at, span in enumerate(spans)
        ]
        library.add(
            document,
            Outline(nodes, 0.9),
            Card(type=Fact(kind, spans[0], 0.9)),
            passages,
            ENCODER.encode([span.text_in(text) for span in spans]) if vectors else None,
            collection=collection,
        )
        return library.document_with(document.sha256, collection) or ""

    return add_one


VOCABULARY = ["a", "ab", "abc", "b", "ba", "c", "cab", "d"]


@pytest.fixture(name="random_tree")
def random_tree_fixture() -> Callable[[random.Random], Node]:
    return random_tree


@pytest.fixture(name="random_text")
def random_text_fixture() -> Callable[[random.Random], str]:
    return random_text


def random_term(rng: random.Random) -> Word | Prefix | Phrase:
    kind = rng.random()
    if kind < 0.6:
        return Word(rng.choice(VOCABULARY))
    if kind < 0.75:
        return Prefix(rng.choice(["a", "ab", "b", "c", "ca"]))
    tokens = tuple(rng.choice(VOCABULARY) for _ in range(rng.choice((2, 2, 3))))
    return Phrase(tokens, prefix=rng.random() < 0.2)


def random_part(rng: random.Random) -> Word | Prefix | Phrase | Or:
    if rng.random() < 0.2:
        return Or(tuple(random_term(rng) for _ in range(rng.choice((2, 3)))))
    return random_term(rng)


def random_tree(rng: random.Random, depth: int = 3) -> Node:
    kind = rng.random()
    if depth == 0 or kind < 0.25:
        return random_term(rng)
    if kind < 0.6:
        parts = tuple(random_part(rng) for _ in range(rng.choice((2, 2, 2, 3, 4))))
        return Proximity(parts, rng.randint(0, 4), rng.random() < 0.3)
    children: list[Node] = [random_tree(rng, depth - 1) for _ in range(rng.choice((2, 2, 3)))]
    if kind < 0.8:
        return Or(tuple(children))
    for at in range(1, len(children)):
        if rng.random() < 0.4:
            children[at] = Not(children[at])
    rng.shuffle(children)
    return And(tuple(children))


def random_text(rng: random.Random) -> str:
    return rng.choice((" ", ", ", "-")).join(
        rng.choice(VOCABULARY) for _ in range(rng.randint(0, 14))
    )
