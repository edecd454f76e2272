"""Index the names of documents: the words by which a question may name one."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import log1p

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.memory import VersionedCache
from fourcorners.library.tables import stored_json
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.card import Card
from fourcorners.search.index import index_of
from fourcorners.text.stems import word_list, word_lists
from fourcorners.text.tokenization import tokenize

PARTY, TITLE, HEAD, FILE, LIKE = 1.0, 0.9, 0.7, 0.6, 0.5
"""How much a document matches a word of a question, by where it has the word.

Its parties, its title, type or date, its first clauses, its file's name, or a similarly spelt word.
"""
TITLED = 0.15  # weight of a title that is entirely among the words
_RARE = 0.2  # share of the documents above which a word names none of them
_FEW = 3  # documents that a word may name in a library of any size
_HEAD_PASSAGES = 4  # passages of a contract that hold its parties
_MOST_PASSAGES = 4_000  # passages with a word, above which it names nothing
_SHORTEST_LIKE = 5  # letters of a name that may be misspelt; by hand
_LEAST_LIKENESS = 84.0  # of 100, rapidfuzz's ratio; by hand
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

COMMON = word_list("common")
ABBREVIATIONS: Mapping[str, str] = word_lists()["abbreviations"]
"""Short names of contract types, without the words that all contracts share."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """How well a document matches the words of a name.

    Attributes:
        share: The share of the words that it matches, weighted by rarity: 0 to 1.
        title: The share of its title that is among the words: 0 to 1.
    """

    document: str
    share: float
    title: float

    @property
    def score(self) -> float:
        return self.share + TITLED * self.title


class NameIndex:
    """The names of the documents of a library, or of some collections of it.

    Args:
        library: Where they are.
        collections: The folded names of those that count; None for all.
    """

    def __init__(self, library: Catalogue, collections: Collection[str] | None = None) -> None:
        self._ids: dict[int, str] = {}
        self._titles: dict[int, frozenset[str]] = {}
        self._holding: dict[str, dict[int, float]] = {}
        self._parties: set[str] = set()
        self._named: dict[int, tuple[frozenset[str], ...]] = {}
        self._named_in: dict[str, frozenset[str]] = {}
        self._days: dict[int, tuple[date, ...]] = {}
        self._laws: dict[int, str] = {}
        for row, identifier, name, kind, title, *stored in library.named_documents(collections):
            document = as_string(identifier)
            if document in library.damaged:
                continue
            self._ids[as_integer(row)] = document
            with library.decoding(document, "card"):
                known = stored_json.load_card(*stored)
            self._note(
                as_integer(row), as_string(name), f"{as_string(kind)} {as_string(title)}", known
            )

    def _note(self, row: int, name: str, title: str, card: Card) -> None:
        stem = name.rpartition(".")[0] or name
        self._add_tokens(row, _tokens(f"{stem} {_CAMEL.sub(' ', stem)}"), FILE)
        titled = _tokens(f"{card.title.value} {title}" if card.title else title)
        days = [fact.value for fact in (card.agreement_date, card.effective_date) if fact]
        self._days[row] = tuple(days)
        self._laws[row] = card.governing_law.value if card.governing_law else ""
        spelled = " ".join(f"{day.day} {day:%B} {day.year}" for day in days)
        self._add_tokens(row, titled | _tokens(spelled), TITLE)
        # Short names are most often roles, such as Distributor, which kinds of contracts share.
        self._add_tokens(row, _tokens(" ".join(fact.value.short for fact in card.parties)), PARTY)
        parties = _tokens(" ".join(fact.value.name for fact in card.parties))
        self._named_in[self._ids[row]] = frozenset(parties - COMMON)
        self._named[row] = tuple(
            frozenset(tokenize(f"{fact.value.name} {fact.value.short}").tokens)
            for fact in card.parties
        )
        self._add_tokens(row, parties, PARTY)
        self._parties |= parties
        self._titles[row] = frozenset(_tokens(card.title.value) if card.title else ())

    def _add_tokens(self, row: int, tokens: Iterable[str], weight: float) -> None:
        for token in tokens:
            holding = self._holding.setdefault(token, {})
            holding[row] = max(weight, holding.get(row, 0.0))

    def __len__(self) -> int:
        return len(self._ids)

    def party_words(self, document: str) -> frozenset[str]:
        return self._named_in[document]

    def documents_with_party(self, name: str) -> list[int]:
        wanted = set(tokenize(name).tokens)
        return [row for row, named in self._named.items() if any(wanted <= one for one in named)]

    def documents_under(self, law: str) -> list[int]:
        """Return the documents under a law; England's is that of England and Wales."""
        wanted = law.partition(" and ")[0]
        return [row for row, own in self._laws.items() if own.partition(" and ")[0] == wanted]

    def document_ids(self, rows: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._ids[row] for row in sorted(rows))

    def documents_dated(self, first: date | None, last: date | None) -> list[int]:
        return [
            row
            for row, days in self._days.items()
            if any((first or day) <= day <= (last or day) for day in days)
        ]

    def is_party_word(self, token: str) -> bool:
        return token in self._parties and token not in COMMON

    def is_rare(self, token: str) -> bool:
        return len(self._holding.get(token, ())) <= max(_FEW, _RARE * len(self))

    def rarity(self, token: str) -> float:
        """Return how informative a folded word is: the log of how few names have it."""
        return log1p(len(self) / (len(self._holding.get(token, ())) + 0.5))

    def match_names(
        self,
        library: Catalogue,
        naming: str,
        within: Collection[str] | None = None,
        *,
        limit: int,
    ) -> list[NameMatch]:
        """Return at most `limit` documents named by any of the words, the best match first.

        The words name a contract, such as `Supply Agreement between A and B`. `within` are the ids
        of those that count.
        """
        tokens = [token for token in _date_words(naming) if token not in COMMON]
        if not tokens:
            return []
        found: dict[int, float] = {}
        weights: dict[str, float] = {}
        for token in tokens:
            holding = self._documents_with(library, token)
            weights[token] = log1p(len(self) / (len(holding) + 0.5))
            for row, weight in holding.items():
                found[row] = found.get(row, 0.0) + weight * weights[token]
        total = sum(weights.values())
        best: list[NameMatch] = []
        for row, share in sorted(found.items(), key=lambda pair: -pair[1]):
            if len(best) >= limit and share / total + TITLED < best[limit - 1].score:
                break
            if within is None or self._ids[row] in within:
                fit = NameMatch(self._ids[row], share / total, self._titled(row, weights))
                insort(best, fit, key=lambda each: (-each.score, each.document))
        return best[:limit]

    def _titled(self, row: int, weights: Mapping[str, float]) -> float:
        title = self._titles[row] - COMMON
        whole = sum(self.rarity(token) for token in title)
        covered = sum(self.rarity(token) for token in title if token in weights)
        return covered / whole if whole else 0.0

    def _documents_with(self, library: Catalogue, token: str) -> Mapping[int, float]:
        """Return the documents with a word in their names, with how well each matches."""
        named = self._holding.get(token, {})
        if not self.is_rare(token):
            return named
        holding = dict.fromkeys(self._at_the_head(library, token), HEAD)
        for row, weight in named.items():
            holding[row] = max(weight, holding.get(row, 0.0))
        return holding or self._similar_tokens(token)

    def _at_the_head(self, library: Catalogue, token: str) -> Sequence[int]:
        """Return the documents with a word in their first clauses, if it is rare."""
        places = index_of(library).token_places(token, _MOST_PASSAGES)
        if len(places) == _MOST_PASSAGES:
            return []
        return [row for row, ordinal in places if ordinal < _HEAD_PASSAGES and row in self._ids]

    def documents_with_word(self, library: Catalogue, token: str) -> list[str]:
        """Return the documents that have a word anywhere; none if too many passages have it."""
        places = index_of(library).token_places(token, _MOST_PASSAGES)
        if len(places) == _MOST_PASSAGES:
            return []
        rows = dict.fromkeys(row for row, _ in places if row in self._ids)
        return [self._ids[row] for row in rows]

    def _similar_tokens(self, token: str) -> Mapping[int, float]:
        from rapidfuzz import fuzz, process

        if len(token) < _SHORTEST_LIKE:
            return {}
        found = process.extractOne(
            token, self._holding.keys(), scorer=fuzz.ratio, score_cutoff=_LEAST_LIKENESS
        )
        if found is None:
            return {}
        return {row: weight * LIKE for row, weight in self._holding[found[0]].items()}


def _date_words(text: str) -> list[str]:
    """Return the distinct words of a text in order, abbreviations of contract types spelt out."""
    spelt: list[str] = []
    for token in tokenize(text).tokens:
        spelt.extend(ABBREVIATIONS.get(token, token).split())
    return list(dict.fromkeys(spelt))


def _tokens(text: str) -> set[str]:
    return set(_date_words(text))


def name_index(library: Catalogue, collections: Iterable[str] | None = None) -> NameIndex:
    """Return the index of a library's names, or of those of some collections.

    It is rebuilt when the library has changed.
    """
    known: VersionedCache[NameIndex] = library.memory.cache("names")
    folds = None if collections is None else frozenset(map(fold_name, collections))
    return known.get(library.content_version, folds, lambda: NameIndex(library, folds))
