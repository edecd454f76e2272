"""`QuestionScope`: which documents a question is about, and what it asks about them.

A question may name its contract ("Consider the Supply Agreement between A and B; who insures the
goods?", "Can Larch assign the Acme MSA?"). The words that name it identify the contract, by its
card and its first clauses, but would mislead a search inside it: so they are separated here.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from math import exp

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.damage import without_damaged
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.laws import named_laws
from fourcorners.search.filters import NO_FILTERS, Filters
from fourcorners.search.names import COMMON, NameIndex, NameMatch, name_index
from fourcorners.text.patterns import load_patterns
from fourcorners.text.stems import FRAME
from fourcorners.text.tokenization import tokenize

MIN_CONFIDENCE = 0.97
"""The probability from which the likeliest document alone is searched."""
_SHARPNESS = 0.02  # difference of two matches for which the better is e times as likely
_LEAST_SHARE = 0.45  # share of a name that a document must match to be searched alone
_WORTH_NAMING = 0.2  # … to be named at all
_LEAST_NAMING = 0.8  # … if the document is known already, for the words to be its name
_CANDIDATES = 8  # contracts that a question's words may name
_FEW = 3  # documents that may match a name equally: a contract and its amendments

_PATTERNS = load_patterns("fourcorners.search", "scope")
_BARE = _PATTERNS["bare"]
_OTHER_PAPER = _PATTERNS["other_paper"]
# "Consider the …; …", "Under the …, …": the name precedes the sign, the question follows.
_AHEAD = _PATTERNS["ahead"]
# "… in the Acme MSA", "… terminate the lease with Acme Ltd": what comes after such a word may name.
_LINK = _PATTERNS["link"]
_VERB = _PATTERNS["verb"]
_DROPPED = frozenset(("in", "under", "with", "from", "for", "per", "within"))
_PHRASE = _PATTERNS["phrase"]


@dataclass(frozen=True, slots=True)
class QuestionScope:
    """What a question names and what it asks.

    Attributes:
        question: The question without the words that name a contract, and if one is clearly meant
            also without those that name its parties.
        naming: The words that name it, as in the question; empty if there are none.
        documents: Ids with the probability that each is meant, the likeliest first; empty if the
            question names none, which leaves everything within the filters.
        is_certain: Whether to search only the likeliest. If not, the named ones are
            preferred, and the rest is searched too.
        full_question: The question without the words that name a contract, but with parties' names.
        candidates: Two or three documents, if only these match the name: only they are searched. A
            contract and its amendments often share a name.
    """

    question: str
    naming: str = ""
    documents: tuple[tuple[str, float], ...] = ()
    is_certain: bool = False
    full_question: str = ""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CardMatches:
    """Documents whose cards have the laws and the parties that a question names.

    Attributes:
        by_law: Whether it names a law that any of them has.
        by_party: Whether it names a party.
    """

    documents: tuple[str, ...] = ()
    by_law: bool = False
    by_party: bool = False


@without_damaged
def match_cards(library: Catalogue, question: str, filters: Filters = NO_FILTERS) -> CardMatches:
    """Return the documents that have all the laws and parties that are named, else any of them."""
    names = name_index(library, filters.collections)
    laws = named_laws(question)
    found = {row for law in laws for row in names.documents_under(law)}
    by_law = bool(found)
    parties = [
        set(names.documents_with_party(name)) for name in _party_names(question, names, laws)
    ]
    for rows in parties:
        found = found & rows or found | rows
    return CardMatches(names.document_ids(found), by_law, any(parties))


@without_damaged
def route_question(
    library: Catalogue, question: str, filters: Filters = NO_FILTERS
) -> QuestionScope:
    """Find which documents a question names, and what it asks about them.

    Documents excluded by the filters are never named.
    """
    question = question.strip()
    names = name_index(library, filters.collections)
    naming, asked = _split_name(question, names)
    fits = (
        names.match_names(library, naming, _documents_within(library, filters), limit=_CANDIDATES)
        if naming
        else []
    )
    fits = [fit for fit in fits if fit.share >= _WORTH_NAMING]
    if not fits:
        return QuestionScope(asked, naming)
    scope = _scope(fits, naming, asked)
    if not scope.is_certain:
        return scope
    parties = names.party_words(fits[0].document)
    return replace(scope, question=_replace_parties(asked, parties), full_question=asked)


def without_names(library: Catalogue, question: str, documents: Collection[str]) -> str:
    """Return a question about known documents without the words that name one of them.

    "Can we end the master services agreement?" becomes "Can we end it?". What only looks like a
    name ("Halden's exclusive licence") is unchanged.
    """
    names = name_index(library, {library.entry(document).collection for document in documents})
    naming, asked = _split_name(question.strip(), names)
    if asked == question.strip():
        return question
    fits = names.match_names(library, naming, frozenset(documents), limit=len(documents))
    named = [fit for fit in fits if fit.share >= _LEAST_NAMING and (fit.title or _is_bare(naming))]
    return asked if named else question


def _is_bare(naming: str) -> bool:
    """Return whether words only mean a contract, without naming its type."""
    return bool(_BARE.search(naming)) and not _OTHER_PAPER.search(naming)


def _scope(fits: list[NameMatch], naming: str, question: str) -> QuestionScope:
    best = fits[0].score
    odds = [exp((fit.score - best) / _SHARPNESS) for fit in fits]
    likely = tuple(
        (fit.document, round(odd / sum(odds), 4)) for fit, odd in zip(fits, odds, strict=True)
    )
    sure = likely[0][1] >= MIN_CONFIDENCE and fits[0].share >= _LEAST_SHARE
    return QuestionScope(
        question, naming, likely, sure, candidates=() if sure else _equal_matches(fits, likely)
    )


def _equal_matches(fits: list[NameMatch], likely: tuple[tuple[str, float], ...]) -> tuple[str, ...]:
    """Return the few that match a name equally, if almost certainly one of them is meant."""
    alike = [fit.document for fit in fits[:_FEW] if fit.share >= _LEAST_SHARE]
    certain = sum(chance for document, chance in likely if document in alike) >= MIN_CONFIDENCE
    return tuple(alike) if certain and len(alike) > 1 else ()


def _split_name(question: str, names: NameIndex) -> tuple[str, str]:
    """Return the words that name a contract (or none), and the question without them."""
    ahead = _AHEAD.fullmatch(question)
    if ahead and (not ahead["sign"].startswith(",") or _names(ahead["naming"], names)):
        return ahead["naming"], ahead["asked"]
    phrases = [
        (link, phrase)
        for link in reversed(list(_LINK.finditer(question)))
        if (phrase := _PHRASE.match(question, link.end())) and not _VERB.search(phrase[0])
    ]
    for link, phrase in phrases:
        if _names(phrase[0], names):
            return phrase[0], _question_without(question, link, phrase)
    parties = _party_words(question, names)
    if parties and phrases:
        link, phrase = phrases[0]
        return f"{parties} {phrase[0]}", _question_without(question, link, phrase)
    return parties, question


def _replace_parties(question: str, named: Collection[str]) -> str:
    """Replace names of parties by `a party`, because they occur throughout their contract."""
    found = tokenize(question)
    words: list[str] = []
    offset = 0
    for at, (token, start, end) in enumerate(found):
        if at == 0 or not question[start].isupper() or token not in named or token in FRAME:
            continue
        joined = bool(words) and not question[offset:start].strip()
        words.append("" if joined else f"{question[offset:start]}a party")
        offset = end
    return "".join(words) + question[offset:]


def _question_without(question: str, link: re.Match[str], phrase: re.Match[str]) -> str:
    drop = link[0].strip().casefold() in _DROPPED
    head = question[: link.start() if drop else link.end()].rstrip()
    tail = question[phrase.end() :].lstrip()
    middle = "" if drop else " it"
    return f"{head}{middle}{'' if tail[:1] in '?.,;:' else ' '}{tail}".strip()


def _names(naming: str, names: NameIndex) -> bool:
    return any(
        _is_distinctive(token, names) for token in tokenize(naming).tokens if token not in COMMON
    )


def _is_distinctive(token: str, names: NameIndex) -> bool:
    """Return whether a word is part of the names of some documents, but of few."""
    return names.is_party_word(token) and names.is_rare(token)


def _party_words(question: str, names: NameIndex) -> str:
    found = tokenize(question)
    return " ".join(
        question[start:end]
        for at, (token, start, end) in enumerate(found)
        if at > 0 and question[start].isupper() and _is_distinctive(token, names)
    )


def _party_names(question: str, names: NameIndex, laws: Collection[str]) -> list[str]:
    """Return the words, each in one run, that name parties of few documents, and no law."""
    places = frozenset(tokenize(" ".join(laws)).tokens)
    runs: list[list[str]] = [[]]
    for at, (token, start, _) in enumerate(tokenize(question)):
        if at and question[start].isupper() and token not in places and names.is_party_word(token):
            runs[-1].append(token)
        else:
            runs.append([])
    return [" ".join(run) for run in runs if any(map(names.is_rare, run))]


def _documents_within(library: Catalogue, filters: Filters) -> Collection[str] | None:
    """Return the ids of the documents that the filters include, or None for all."""
    if filters.collections is None and not filters.documents and not filters.types:
        return None
    types = {fold_name(kind) for kind in filters.types}
    return {
        identifier
        for identifier, kind in library.types_of_documents(filters.collections)
        if (not filters.documents or identifier in filters.documents)
        and (not types or fold_name(kind) in types)
    }
