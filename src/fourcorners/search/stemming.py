"""Stemming on request: each word of a query matches all words of the library with its stem.

The index contains words as written, so that exact queries stay exact. With stemming, a query is
expanded before it is run: `assign` becomes `(assign OR assigned OR assignment …)`, which
`--explain` shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import prod

from fourcorners.errors import QueryError
from fourcorners.library.catalogue import Catalogue
from fourcorners.search.index import index_of
from fourcorners.search.query import And, Field, Node, Not, Or, Phrase, Prefix, Proximity, Word
from fourcorners.text.stems import stem_tokens

MAX_FORMS = 24
"""Maximum words into which one word expands, in alphabetical order."""
MAX_PHRASES = 256  # maximum phrases into which one phrase expands
_SHARED = 3  # letters that words of one stem begin with


def expand_stems(tree: Node, library: Catalogue) -> Node:
    """Return the tree with each word as a group of the library's words of the same stem.

    Words that end in `*`, and fields, are unchanged.

    Raises:
        QueryError: If a phrase or proximity expands to too many.
    """
    index = index_of(library)

    def forms(token: str) -> tuple[str, ...]:
        terms = index.vocabulary(token[:_SHARED])
        stem = stem_tokens([token])[0]
        alike = [
            term for term, other in zip(terms, stem_tokens(terms), strict=True) if other == stem
        ]
        return (token, *[term for term in alike if term != token][: MAX_FORMS - 1])

    return _spread(tree, forms)


def _spread(node: Node, forms: Callable[[str], tuple[str, ...]]) -> Node:
    match node:
        case Word():
            return _group(tuple(Word(form) for form in forms(node.token)), node.boost)
        case Phrase():
            return _phrases(node, forms)
        case Proximity():
            parts = tuple(_spread(part, forms) for part in node.parts)
            if prod(len(part.parts) if isinstance(part, Or) else 1 for part in parts) > (
                MAX_PHRASES
            ):
                raise QueryError(
                    f"with stemming, {node.distance} words apart, this expands to too many words.",
                    remedy="Join fewer words, or search without stemming.",
                )
            return replace(
                node,
                parts=tuple(
                    part for part in parts if isinstance(part, Word | Prefix | Phrase | Or)
                ),
            )
        case And() | Or():
            return replace(node, parts=tuple(_spread(part, forms) for part in node.parts))
        case Not():
            return Not(_spread(node.part, forms))
        case Prefix() | Field():
            return node


def _phrases(phrase: Phrase, forms: Callable[[str], tuple[str, ...]]) -> Node:
    whole = phrase.tokens[:-1] if phrase.prefix else phrase.tokens
    ways = [forms(token) for token in whole]
    if phrase.prefix:
        ways.append(phrase.tokens[-1:])
    if prod(map(len, ways)) > MAX_PHRASES:
        raise QueryError(
            f'with stemming, "{" ".join(phrase.tokens)}" expands to too many phrases.',
            remedy="Write a shorter phrase, or search without stemming.",
        )
    return _group(tuple(Phrase(tokens, phrase.prefix) for tokens in product(*ways)), phrase.boost)


def _group(parts: tuple[Node, ...], boost: float) -> Node:
    if len(parts) > 1:
        return Or(parts, boost)
    only = parts[0]
    return replace(only, boost=boost) if isinstance(only, Word | Phrase) else only
