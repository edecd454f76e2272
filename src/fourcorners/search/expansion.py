"""Other forms of the words of a query: how numbers and abbreviations are written, and stems.

The index contains words as written, so that exact queries stay exact: a query is expanded before it
is run, and `--explain` shows into what. `1250000` becomes `(1250000 OR "1 250 000" …)` and, with
stemming, `assign` becomes `(assign OR assigned OR assignment …)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, product
from math import prod

from fourcorners.errors import QueryError
from fourcorners.library.catalogue import Catalogue
from fourcorners.search.index import index_of
from fourcorners.search.query import And, Field, Node, Not, Or, Phrase, Prefix, Proximity, Word
from fourcorners.search.query.tree import Query
from fourcorners.text.patterns import load_patterns
from fourcorners.text.stems import stem_tokens

MAX_FORMS = 24
"""Maximum words into which one word expands, in alphabetical order."""
MAX_PHRASES = 256  # maximum phrases into which one phrase expands
_SHARED = 3  # letters that words of one stem begin with
_SPELLINGS = 16  # ways to write the numbers and abbreviations of a phrase that are tried
_LONGEST_NUMBER, _LONGEST_RUN = 15, 7  # digits, and words as which they may be written
_PATTERNS = load_patterns("fourcorners.search", "expansion")

Words = tuple[str, ...]


def expand_query(query: Query, library: Catalogue) -> Node:
    """Return the tree with each number and abbreviation as a group of its spellings.

    If the query asks for stemming, each word is a group of the library's words of the same stem
    too. Words that end in `*`, and fields, are unchanged.

    Raises:
        QueryError: If a phrase or proximity expands to too many.
    """
    capitals = {found.lower() for found in _PATTERNS["abbreviation"].findall(query.text)}
    tree = _spread(query.tree, lambda words: _spellings(words, capitals))
    if not query.stem:
        return tree
    index = index_of(library)

    def forms(token: str) -> Words:
        terms = index.vocabulary(token[:_SHARED])
        stem = stem_tokens([token])[0]
        alike = [
            term for term, other in zip(terms, stem_tokens(terms), strict=True) if other == stem
        ]
        return (token, *[term for term in alike if term != token][: MAX_FORMS - 1])

    def phrases(words: Words) -> list[Words]:
        ways = [forms(word) for word in words]
        if prod(map(len, ways)) > MAX_PHRASES:
            raise QueryError(
                f'with stemming, "{" ".join(words)}" expands to too many phrases.',
                remedy="Write a shorter phrase, or search without stemming.",
            )
        return list(product(*ways))

    return _spread(tree, phrases)


def _spread(node: Node, forms: Callable[[Words], list[Words]]) -> Node:
    match node:
        case Word():
            return _group([_term(words) for words in forms((node.token,))], node.boost)
        case Phrase():
            whole = node.tokens[:-1] if node.prefix else node.tokens
            last = node.tokens[len(whole) :]
            phrases = [Phrase((*words, *last), node.prefix) for words in forms(whole)]
            return _group(
                [each if node.prefix else _term(each.tokens) for each in phrases], node.boost
            )
        case Proximity():
            ways = forms
            if node.sloppy:  # each part is one word

                def ways(words: Words) -> list[Words]:
                    return [form for form in forms(words) if len(form) == 1]

            parts = tuple(_spread(part, ways) for part in node.parts)
            if prod(len(part.parts) if isinstance(part, Or) else 1 for part in parts) > (
                MAX_PHRASES
            ):
                raise QueryError(
                    f"{node.distance} words apart, this expands to too many words.",
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


def _term(words: Words) -> Word | Phrase:
    return Word(words[0]) if len(words) == 1 else Phrase(words)


def _group(parts: Sequence[Word | Phrase], boost: float) -> Node:
    return Or(tuple(parts), boost) if len(parts) > 1 else replace(parts[0], boost=boost)


def _spellings(words: Words, capitals: set[str]) -> list[Words]:
    """Return words with their numbers and abbreviations written in each way, theirs first.

    The index has "1,250,000" as three words, and "U.S.C." too. `capitals` are the abbreviations
    that the query has.
    """
    ways: list[list[Words]] = []
    at = 0
    while at < len(words):
        run = _PATTERNS["run"].match(" ".join(words[at : at + _LONGEST_RUN]))
        parts = tuple(run.group().split()) if run else (words[at],)
        ways.append(list(dict.fromkeys([parts, *_other_spellings(parts, capitals)])))
        at += len(parts)
    return [tuple(chain.from_iterable(way)) for way in islice(product(*ways), _SPELLINGS)]


def _other_spellings(parts: Words, capitals: set[str]) -> Iterator[Words]:
    joined = "".join(parts)
    if joined.isdecimal() and 4 <= len(joined) <= _LONGEST_NUMBER and joined[0] != "0":
        yield (joined,)
        head = joined[:-3]
        for size in (3, 2):  # 1,250,000 and, in India, 12,50,000
            first = len(head) % size
            groups = (head[at : at + size] for at in range(first, len(head), size))
            yield (*filter(None, (head[:first],)), *groups, joined[-3:])
    elif len(parts) > 1:
        yield (joined,)
    elif joined in capitals:
        yield tuple(joined)
