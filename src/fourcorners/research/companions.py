"""Find what must be read with a sentence: what it refers back to, what limits it, whom it binds.

A sentence quoted alone may mislead: the words "events of that kind" mean nothing without the
sentence before, an item of a list nothing without its opening words, and "this does not apply to …"
after it may limit it. All these are next to it, and no reference leads to them.

A question with two circumstances is often answered by two sentences of one clause, of which a
search finds the one that has most of its words; and consequences of a clause are often stated
elsewhere, with a reference to its number: "an assignment in violation of Section 10.2 is void".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log1p

from fourcorners.library.contract import Contract
from fourcorners.outline.card.party_names import FORM
from fourcorners.outline.tree import Node, NodeKind
from fourcorners.research.answer import Citation, Role
from fourcorners.research.context import ResearchContext, find_others
from fourcorners.research.rewriting import is_distinct
from fourcorners.review.parties import display_name
from fourcorners.search.graph import LinkKind, Located, expand_hits, links_of
from fourcorners.search.graph.expand import LinkedPassage, find_replacement
from fourcorners.search.graph.in_force import read_in_force
from fourcorners.search.graph.statements import AmendmentRelation
from fourcorners.search.sentences.units import SentenceIndex
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span, covered_length, intersect_spans, merge_spans
from fourcorners.text.stems import stems
from fourcorners.text.tokenization import tokenize

_PATTERNS = load_patterns("fourcorners.research", "companions")
MAX_LENGTH = 500
"""Maximum characters of an accompanying sentence."""
MAX_CHARACTERS = 1_400
"""Maximum characters of all accompanying words."""
MAX_LINKS = 12
"""Maximum number of passages that the graph links to the words shown."""
MAX_DEPTH = 3
"""Depth to which definitions are followed."""
_FARTHER = 0.85  # weight of a definition that another one uses
_UNSAID, _REFERRING = 0.86, 0.84  # score of sentences: above definitions
_MOST_SENTENCES = 2  # sentences of each sort from the clause and from references to it
_BEST = 2  # shown quotes whose surroundings are searched
_LARGEST = 1_500  # characters of a clause that a reference to it is about
_PARTS = frozenset({NodeKind.ARTICLE, NodeKind.SCHEDULE})
_LEAST = 0.08  # share of the question, by rarity, that a sentence must add
_BESIDE = 4  # shown quotes whose neighbours are examined
_BRIEF = 160  # characters of a change that are quoted in a line
_SHORTEST = 20  # characters that are worth showing
_AHEAD = 2  # following sentences that are examined
_LEANS = _PATTERNS["leans"]
_LEANS_ANYWHERE = _PATTERNS["leans_anywhere"]
_TAKES_BACK = _PATTERNS["takes_back"]
_OPEN_ENDED = _PATTERNS["open_ended"]
_ANNOUNCES = _PATTERNS["announces"]
_CHANGE = _PATTERNS["change"]


_ROLES = {
    LinkKind.DEFINITION: Role.DEFINITION,
    LinkKind.REFERENCE: Role.REFERENCE,
    LinkKind.EXCEPTION: Role.EXCEPTION,
    LinkKind.AMENDMENT: Role.AMENDMENT,
    LinkKind.AMENDED: Role.AMENDMENT,
}


@dataclass(frozen=True, slots=True)
class Companion:
    """Words that are read with others; `score` is how much they matter, at most 1."""

    document: str
    span: Span
    role: Role
    because: str
    score: float = 0.9


def find_companions(
    context: ResearchContext, shown: Sequence[Located], question: str = ""
) -> list[Companion]:
    """Return what must be read with words that are shown, what matters most first.

    That is what is next to the best of them, what else their clauses say about the `question`,
    what the graph links to them, the definitions of the terms that linked words use in turn, and
    from when amendments apply. All spans are disjoint from the words shown and from each other, and
    have at most `MAX_CHARACTERS` characters together.
    """
    found = [
        one for each in shown[:_BESIDE] for one in _find_adjacent(context, each.document, each.span)
    ]
    found += [
        replace(one, score=_UNSAID)
        for one in _find_uncovered(context, question, shown)
        if one.score >= _LEAST
    ]
    found += _find_referring(context, shown)
    linked = _linked(context, shown)
    amending = [each.document for each in shown]
    amending += [one.document for one in linked if one.role is Role.AMENDMENT]
    links = links_of(context.library)
    newest: Sequence[Companion] = [*found, *linked]
    found += linked
    for depth in range(1, MAX_DEPTH):
        newest = [
            replace(one, score=one.score * _FARTHER**depth)
            for one in _linked(context, newest)
            if one.role in (Role.DEFINITION, Role.AMENDMENT)
        ]
        found += newest
    found += _find_effective_dates(
        context,
        [
            document
            for document in amending
            if any(each.relation is AmendmentRelation.AMENDS for each in links.amendments(document))
        ],
    )
    return _select_fitting(context, shown, found)


def find_replacements(context: ResearchContext, shown: Sequence[Located]) -> dict[int, Companion]:
    """Return what other documents replace words with, by the position of the words shown."""
    found: dict[int, Companion] = {}
    for at, each in enumerate(shown):
        one = find_replacement(context.library, each)
        if one is not None and len(one.span) <= MAX_CHARACTERS:
            found[at] = _companion(one)
    return found


def changed_words(context: ResearchContext, shown: Located) -> Span:
    """Return the part of words shown whose clause another document changes."""
    amended = read_in_force(context.library, shown.document)
    last = amended.last_change(shown.span) if amended else None
    node = context.read_contract(shown.document).outline.node_at(last.old.start) if last else None
    return (node and node.span.intersection(shown.span)) or shown.span


def describe_unclear_change(context: ResearchContext, shown: Citation) -> str:
    """Return which documents change words in a way that is not known; empty if none does."""
    amended, span = read_in_force(context.library, shown.document), shown.quote.span
    if amended is None or span is None:
        return ""
    whole = len(context.read_contract(shown.document).text)
    found = [
        each
        for each in amended.revisions
        if not each.is_certain and each.old.overlaps(span) and len(each.old) < whole
    ]
    found += [amended.restatement] if amended.restatement else []
    if not found:
        return ""
    cited = [context.cite(each.document, each.span) for each in found]
    words = [" ".join(each.quote.words.split()) for each in cited]
    quoted = [f" (“{each}”)" if len(each) <= _BRIEF else "" for each in words]
    named = (f"“{c.name}”, {c.where}{q}" for c, q in zip(cited, quoted, strict=True))
    places = " and ".join(dict.fromkeys(named))
    where = f"{shown.where[:1].upper()}{shown.where[1:]}"
    return f"{where} of “{shown.name}” is changed by {places}: read both."


def _companion(one: LinkedPassage) -> Companion:
    return Companion(one.document, one.span, _ROLES[one.kind], one.because, one.score)


def _linked(context: ResearchContext, shown: Sequence[Located]) -> list[Companion]:
    found = expand_hits(context.library, shown, limit=MAX_LINKS, collection=context.collection)
    return [_companion(one) for one in found]


def _select_fitting(
    context: ResearchContext, shown: Sequence[Located], found: Sequence[Companion]
) -> list[Companion]:
    """Return what fits, the best first, without what is shown already."""
    taken: dict[str, list[Span]] = {}
    for each in shown:
        taken.setdefault(each.document, []).append(each.span)
    companions: list[Companion] = []
    room = MAX_CHARACTERS
    for one in sorted(found, key=lambda each: -each.score):
        there = taken.setdefault(one.document, [])
        text = context.read_contract(one.document).text
        span = _brief(text, one.span) if one.role is Role.REFERENCE else one.span
        left = len(span) - covered_length(intersect_spans([span], merge_spans(there)))
        if left < min(_SHORTEST, len(span)) or left > room:
            continue
        room -= left
        there.append(span)
        companions.append(replace(one, span=span))
    return companions


def _brief(text: str, span: Span) -> Span:
    """Return the first sentences of a referenced clause."""
    end = span.start
    for sentence in split_sentences(text, span):
        if end > span.start and sentence.end - span.start > MAX_LENGTH:
            break
        end = sentence.end
    return Span(span.start, end)


def _find_adjacent(context: ResearchContext, document: str, span: Span) -> Iterator[Companion]:
    """Yield what is next to words and belongs to them, the nearest first.

    Each of their sentences is examined; some of the result may already be among the words.
    """
    reading = context.read_contract(document)
    yield from _opening(reading, span)
    units = [unit.span for unit in context.units(document).units]
    at = [place for place, each in enumerate(units) if each.overlaps(span)]
    if not at:
        return
    first, last = at[0], at[-1]
    words = units[first].text_in(reading.text)
    leans = _LEANS.search(words) or _LEANS_ANYWHERE.search(words)
    if first and leans and _are_near(reading, units, first - 1, first):
        reason = f"is what {reading.locate(units[first])} refers back to"
        yield Companion(document, units[first - 1], Role.EVIDENCE, reason)
    for place in range(last + 1, min(len(units), last + 1 + _AHEAD)):
        words = units[place].text_in(reading.text)
        if not _are_near(reading, units, place - 1, place) or not _TAKES_BACK.search(words):
            break
        reason = f"follows {reading.locate(span)}, and may limit it"
        yield Companion(document, units[place], Role.EXCEPTION, reason)


def _are_near(reading: Contract, units: Sequence[Span], one: int, other: int) -> bool:
    """Return whether two sentences are in one clause, or in adjacent parts of one."""
    if len(units[one]) > MAX_LENGTH or len(units[other]) > MAX_LENGTH:
        return False
    above = [_clause(reading, units[place].start) for place in (one, other)]
    return above[0] is not None and above[0] is above[1]


def _clause(reading: Contract, offset: int) -> Node | None:
    """Return the numbered or titled clause that contains a place and its surroundings."""
    path = reading.path_at(offset)
    kinds = (NodeKind.ARTICLE, NodeKind.SCHEDULE, NodeKind.RECITALS)
    return next((each for each in reversed(path) if each.kind in kinds), path[0] if path else None)


def _opening(reading: Contract, span: Span) -> Iterator[Companion]:
    """Yield the words that introduce the list of an item: "The Customer may end it if:"."""
    node = reading.outline.node_at(span.start)
    while node is not None and node.kind is NodeKind.ITEM and node.parent is not None:
        parent = reading.outline.nodes[node.parent]
        first = next(iter(reading.outline.children(parent)), node)
        words = Span(parent.span.start, max(parent.span.start, first.span.start))
        words = words.strip(reading.text)
        if 0 < len(words) <= MAX_LENGTH and _OPEN_ENDED.search(words.text_in(reading.text)):
            list_reason = f"introduces the list that contains {reading.locate(span)}"
            yield Companion(reading.id, words, Role.EVIDENCE, list_reason)
        node = parent


def _find_effective_dates(context: ResearchContext, amending: Iterable[str]) -> Iterator[Companion]:
    for document in dict.fromkeys(amending):
        reading = context.read_contract(document)
        units = [unit.span for unit in context.units(document).units]
        parts = [
            unit
            for unit in units
            if _ANNOUNCES.search(unit.text_in(reading.text)) and len(unit) <= MAX_LENGTH
        ]
        parts.sort(key=lambda unit: not _CHANGE.search(unit.text_in(reading.text)))
        for unit in parts[:1]:
            because = f"says from when {reading.name} changes it"
            yield Companion(document, unit, Role.AMENDMENT, because)


def _find_uncovered(
    context: ResearchContext, question: str, shown: Sequence[Located]
) -> Iterator[Companion]:
    """Yield sentences of the clauses found with words of the question that are not shown yet.

    Their score is how much of the question they add, by rarity.
    """
    for document in dict.fromkeys(each.document for each in shown[:_BEST]):
        spans = [each.span for each in shown if each.document == document]
        units = context.units(document)
        reading = context.read_contract(document)
        clauses = {_article(reading, span) for span in spans[:_BEST]} - {None}
        rows = [
            (unit.span, set(stems(unit.span.text_in(units.text))))
            for unit in units.units
            if len(unit.span) <= MAX_LENGTH
            and not any(unit.span.overlaps(span) for span in spans)
            and _article(reading, unit.span) in clauses
        ]
        yield from _adding(document, units, set(stems(question)), spans, rows)


def _adding(
    document: str,
    units: SentenceIndex,
    asked: set[str],
    spans: Sequence[Span],
    rows: list[tuple[Span, set[str]]],
) -> Iterator[Companion]:
    weight = {stem: _rarity(units, stem) for stem in asked & units.forms.keys()}
    whole = sum(weight.values()) or 1.0
    missing = weight.keys() - {stem for span in spans for stem in stems(span.text_in(units.text))}
    for _ in range(_MOST_SENTENCES):
        best = max(rows, key=lambda row: sum(weight[s] for s in row[1] & missing), default=None)
        if best is None or not best[1] & missing:
            return
        share = sum(weight[stem] for stem in best[1] & missing) / whole
        because = "is in the same clause, and is about it too"
        yield Companion(document, best[0], Role.EVIDENCE, because, share)
        missing = missing - best[1]
        rows.remove(best)


def _rarity(units: SentenceIndex, stem: str) -> float:
    """Return how informative a stem is in a contract: the log of how few sentences have it."""
    often = len(set(units.unit_at[units.places(stem)].tolist()))
    return log1p(len(units.units) / (often + 0.5))


def _article(reading: Contract, span: Span) -> int | None:
    """Return the article that contains a place, or the topmost node above it if there is none."""
    path = reading.path_at(span.start)
    held = next((each for each in reversed(path) if each.kind in _PARTS), path[0] if path else None)
    return held.id if held else None


def _find_referring(context: ResearchContext, shown: Sequence[Located]) -> Iterator[Companion]:
    """Yield sentences elsewhere that refer to the best clause found by its number."""
    for one in shown[:_BEST]:
        reading = context.read_contract(one.document)
        places: list[Span] = []
        for reference, node in reading.references_to(one.span):
            if node.kind in _PARTS or len(node.span) > max(_LARGEST, 2 * len(one.span)):
                continue
            sentence = reading.sentence(reference.span)
            if len(sentence) <= MAX_LENGTH and not any(
                sentence.overlaps(other) for other in places
            ):
                places.append(sentence)
        for span in places[:_MOST_SENTENCES]:
            because = f"refers to {reading.locate(one.span)} by its number"
            yield Companion(one.document, span, Role.REFERENCE, because, _REFERRING)


def describe_parties(context: ResearchContext, question: str, document: str) -> Iterator[str]:
    """Yield which party of a contract asks, and who is not a party to it.

    That somebody is no party is said only where the card has two parties and the contract does not
    name them.
    """
    contract, title = context.read_contract(document), context.title(document).title
    party = context.asking_party(document)
    if context.read_for and party is not None:
        yield f"Asked for: {display_name(party)}."
    is_asked = party is not None or context.side(document).names
    others = [] if is_asked else list(context.read_for)
    others = list(
        dict.fromkeys(
            (*others, *find_others(question, contract, partial(context.known_parties, document)))
        )
    )
    named = [each for each in others if _is_named(each, contract)]
    parties = [display_name(fact.value) for fact in contract.card.parties]
    if len(parties) < 2:  # a contract has two
        named = others
    if strangers := [each for each in others if each not in named]:
        are = "is no party" if len(strangers) == 1 else "are no parties"
        there = " and ".join(parties)
        yield f"{' and '.join(strangers)} {are} to “{title}”; the parties are {there}."
    if unknown := [each for each in named if each in context.read_for]:
        are = "is" if len(unknown) == 1 else "are"
        yield f"{' and '.join(unknown)} {are} not identified among the parties to “{title}”."


def _is_named(name: str, contract: Contract) -> bool:
    """Return whether a contract has a distinctive word of a name."""
    words = set(tokenize(contract.text).tokens)
    bare = re.sub(rf"(?<!\w){FORM}", " ", name)
    return any(is_distinct(token) and token in words for token in tokenize(bare).tokens)
