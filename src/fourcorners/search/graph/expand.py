"""Expand hits with what else must be read with them, because the contracts say so."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import log
from typing import Protocol

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.library.store import Library
from fourcorners.outline.tree import CrossReference, DefinedTerm, Node, NodeKind, ReferenceKind
from fourcorners.search.graph.changes import OVERRIDES, clause_changes
from fourcorners.search.graph.in_force import read_in_force
from fourcorners.search.graph.links import MIN_SCORE, AmendmentLink, Links, links_of
from fourcorners.search.graph.statements import AmendmentRelation
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_SHORTEST = 20  # characters of the rest of a clause whose other words are already shown
_ELSEWHERE = 0.7  # weight of a definition in an attachment that does not contain the hit
_DECAY = 0.97  # weight of each hit relative to the previous one
_LEAD = 110  # characters before a reference that hold its wording
_MOST = 3  # of one tie to one hit
_MANY = 3  # references in one hit beyond which each counts less: a list of what survives
_PATTERNS = load_patterns("fourcorners.search.graph", "expand")
_EXCEPTS = _PATTERNS["excepts"]
# "Sections 9.01 and 9.02 do not apply to …": words after a reference that disapply its clause.
_DISAPPLIES = _PATTERNS["disapplies"]


class LinkKind(StrEnum):
    DEFINITION = "definition"
    REFERENCE = "reference"
    EXCEPTION = "exception"
    AMENDMENT = "amendment"
    AMENDED = "amended"


class Located(Protocol):
    """Words of a document: a hit, a snippet."""

    @property
    def document(self) -> str:
        """The document's id."""

    @property
    def span(self) -> Span:
        """Their span."""


@dataclass(frozen=True, slots=True)
class LinkedPassage:
    """Words linked to a hit by the graph.

    Attributes:
        span: Their place: `document.text[span] == words`.
        because: Why they are included, in words.
        source: The index of the hit among those given.
        score: Relevance, at most 1; comparable among linked passages.
    """

    document: str
    name: str
    span: Span
    words: str
    kind: LinkKind
    because: str
    source: int
    score: float


@dataclass(frozen=True, slots=True)
class _Found:
    reading: Contract
    span: Span
    tie: LinkKind
    because: str
    score: float


@without_damaged
def expand_hits(
    library: Library,
    snippets: Sequence[Located],
    *,
    limit: int,
    collection: str | None = None,
) -> list[LinkedPassage]:
    """Return what is linked to hits by the graph, the most relevant first.

    That is what amends or restates a hit's clause (or, for a hit in an amendment, the clause that
    it changes), what applies elsewhere notwithstanding or subject to it, the clauses that it refers
    to, and the definitions of the terms that it uses, the most specific ones first. All spans are
    disjoint from the hits and from each other; what is already shown is left out, and so is
    anything outside the given collection.
    """
    if limit < 1 or not snippets:
        return []
    links = links_of(library)
    allowed = None
    if collection is not None:
        allowed = frozenset(entry.id for entry in library.documents(collection))
    found = [
        (source, replace(one, score=one.score * _DECAY**source))
        for source, snippet in enumerate(snippets)
        for one in _strongest(_around(library, links, snippet, allowed))
    ]
    found.sort(key=lambda each: (-each[1].score, each[0], each[1].reading.id, each[1].span))
    taken: dict[str, list[Span]] = {}
    for snippet in snippets:
        taken.setdefault(snippet.document, []).append(snippet.span)
    linked: list[LinkedPassage] = []
    for source, one in found:
        if len(linked) == limit:
            break
        there = taken.setdefault(one.reading.id, [])
        span = _free(one.span, there, one.reading.text)
        if span is None:
            continue
        there.append(span)
        linked.append(_passage(one, span, source))
    return linked


def find_replacement(library: Library, hit: Located) -> LinkedPassage | None:
    """Return the words that take the place of a hit's, if these are no longer in force."""
    reading, links = read_contract(library, hit.document), links_of(library)
    amended = read_in_force(library, hit.document)
    last = amended.last_change(hit.span) if amended else None
    if last is not None:
        because = f"changes {reading.locate(last.old)}"
        changing = read_contract(library, last.document)
        return _passage(_Found(changing, last.span, LinkKind.AMENDMENT, because, 1.0), last.span, 0)
    for link in links.amendments(hit.document):
        contract = read_in_force(library, link.target) if link.target else None
        later = contract.current_words(hit.document, hit.span) if contract else None
        if later is not None:
            because = f"is in force instead of {reading.locate(hit.span)}"
            document, span = later
            found = _Found(read_contract(library, document), span, LinkKind.AMENDMENT, because, 1.0)
            return _passage(found, span, 0)
    for link in links.amended_by(hit.document) if amended and amended.restatement else ():
        changing = read_contract(library, link.document)
        for one in _changing(changing, reading, hit.span, link):
            if link.relation is AmendmentRelation.RESTATES and one.score:
                return _passage(one, one.span, 0)
    return None


def _passage(one: _Found, span: Span, source: int) -> LinkedPassage:
    return LinkedPassage(
        document=one.reading.id,
        name=one.reading.name,
        span=span,
        words=span.text_in(one.reading.text),
        kind=one.tie,
        because=one.because,
        source=source,
        score=round(one.score, 4),
    )


def _strongest(found: Iterable[_Found]) -> Iterator[_Found]:
    count: dict[LinkKind, int] = {}
    for one in sorted(found, key=lambda each: -each.score):
        count[one.tie] = count.get(one.tie, 0) + 1
        if count[one.tie] <= _MOST:
            yield one


def _free(span: Span, taken: Sequence[Span], text: str) -> Span | None:
    """Return the longest part of a span that none of the others covers, if it is worth showing."""
    best, start = Span(span.start, span.start), span.start
    for other in sorted(taken):
        if not other.overlaps(span):
            continue
        part = Span(start, max(start, other.start))
        best, start = max(best, part, key=len), max(start, other.end)
    best = max(best, Span(start, max(start, span.end)), key=len).strip(text)
    return best if len(best) >= min(_SHORTEST, len(span)) else None


def _around(
    library: Library, links: Links, snippet: Located, allowed: Collection[str] | None
) -> Iterator[_Found]:
    reading = read_contract(library, snippet.document)
    span = snippet.span
    amends = [each for each in links.amendments(snippet.document) if _counts(each, allowed)]
    for amendment in links.amended_by(snippet.document):
        if amendment.confidence >= MIN_SCORE and (allowed is None or amendment.document in allowed):
            yield from _changing(
                read_contract(library, amendment.document), reading, span, amendment
            )
    targets = [
        (each, read_contract(library, each.target)) for each in amends if each.target is not None
    ]
    for amendment, target in targets:
        yield from _changed_expansions(reading, target, span, amendment)
    yield from _exceptions(reading, span)
    yield from _references(reading, span, amending=bool(amends))
    yield from _definitions(reading, span, [target for _, target in targets])


def _counts(amendment: AmendmentLink, allowed: Collection[str] | None) -> bool:
    target = amendment.target
    return (
        target is not None
        and amendment.confidence >= MIN_SCORE
        and amendment.relation is not AmendmentRelation.REPLACES
        and (allowed is None or target in allowed)
    )


def _changing(
    amending: Contract, changed: Contract, span: Span, amendment: AmendmentLink
) -> Iterator[_Found]:
    nodes = changed.outline.nodes
    for change in (
        clause_changes(amending) if amendment.relation is AmendmentRelation.AMENDS else ()
    ):
        at = change.find(changed.labels)
        if at is None or not nodes[at].span.overlaps(span):
            continue
        joint = "to" if change.verb == "adds" else "of"
        because = f"{change.verb} {change.raw} {joint} {changed.name}"
        near = _nearness(nodes[at], span, changed)
        score = amendment.confidence * (0.8 + 0.2 * near)
        yield _Found(amending, change.span, LinkKind.AMENDMENT, because, score)
    if amendment.relation is AmendmentRelation.AMENDS:
        return
    same = _counterpart(changed, amending, span)
    if same is not None and amendment.relation is AmendmentRelation.RESTATES:
        words = amending.opening(same.span)
        because = f"restates {changed.locate(span)}"
        score = amendment.confidence * 0.95
        yield _Found(amending, words, LinkKind.AMENDMENT, because, score)
        return
    words = amending.sentence(amendment.span)
    because = f"{amendment.relation.value} {changed.name}"
    yield _Found(amending, words, LinkKind.AMENDMENT, because, amendment.confidence * 0.9)


def _counterpart(old: Contract, new: Contract, span: Span) -> Node | None:
    """Return the clause of a restatement that corresponds to a hit's, by its heading."""
    node = old.outline.node_at(span.start)
    while node is not None and node.heading is None:
        node = old.outline.nodes[node.parent] if node.parent is not None else None
    if node is None or node.heading is None:
        return None
    wanted = " ".join(node.heading.text_in(old.text).casefold().split())
    alike = [
        each
        for each in new.outline.nodes
        if each.heading is not None
        and " ".join(each.heading.text_in(new.text).casefold().split()) == wanted
    ]
    return next((each for each in alike if each.label == node.label), alike[0] if alike else None)


def _changed_expansions(
    amending: Contract, target: Contract, span: Span, amendment: AmendmentLink
) -> Iterator[_Found]:
    if amendment.relation is not AmendmentRelation.AMENDS:
        return
    for change in clause_changes(amending):
        if not change.span.overlaps(span):
            continue
        at = change.find(target.labels)
        if at is not None:
            words = target.opening(target.outline.nodes[at].span)
            where = amending.locate(change.span)
            because = f"is what {where} changes: it {change.verb} {change.raw}"
            yield _Found(target, words, LinkKind.AMENDED, because, 0.95 * amendment.confidence)


def _exceptions(reading: Contract, span: Span) -> Iterator[_Found]:
    """Yield the sentences elsewhere that apply notwithstanding a hit's clause, or subject to it."""
    for reference, node in reading.references_to(span):
        if reference.kind is ReferenceKind.NEARBY or len(node.span) * 2 > len(reading.text):
            continue
        before = reading.text[max(0, reference.span.start - _LEAD) : reference.span.start]
        raw = reference.raw or node.label
        if OVERRIDES.search(before):
            because, weight = f"applies notwithstanding {raw}", 0.92
        elif cue := _EXCEPTS.search(before):
            because, weight = f"applies {_quoted(cue['cue']).casefold()} {raw}", 0.84
        elif takes := _DISAPPLIES.match(reading.text, reference.span.end):
            because, weight = f"says that {raw} {_quoted(takes['cue']).casefold()}", 0.92
        else:
            continue
        words = reading.sentence(reference.span)
        score = weight * (0.7 + 0.3 * _nearness(node, span, reading))
        yield _Found(reading, words, LinkKind.EXCEPTION, f"{because} of {reading.name}", score)


def _is_cited_change(reading: Contract, span: Span) -> bool:
    """Tell whether words refer to the document that this one changes."""
    return any(change.cited.overlaps(span) for change in clause_changes(reading))


def _references(reading: Contract, span: Span, *, amending: bool) -> Iterator[_Found]:
    cited = reading.references_from(span)
    share = min(1.0, (_MANY + 1) / (len(cited) + 1))
    for reference, node in cited:
        if _leads_nowhere(reading, reference, node, span):
            continue
        if amending and reference.raw and _is_cited_change(reading, reference.span):
            continue
        before = reading.text[max(0, reference.span.start - _LEAD) : reference.span.start]
        strong = OVERRIDES.search(before) or _EXCEPTS.search(before)
        attached = node.kind is NodeKind.SCHEDULE
        score = 0.88 if strong else (0.6 if attached else 0.72) * share
        raw = reference.raw or node.label
        because = f"is {raw}, to which {reading.locate(span)} refers"
        if strong:
            because += f" ({_quoted(strong['cue']).casefold()} it)"
        yield _Found(reading, reading.opening(node.span), LinkKind.REFERENCE, because, score)


def _leads_nowhere(reading: Contract, reference: CrossReference, node: Node, span: Span) -> bool:
    """Return whether a reference is to its own place, or to nearly everything.

    If the outline lacks what is cited, the target is a part that contains it, and may be large.
    """
    raw = reference.raw
    around = node.span.contains(reference.span) or span.contains(node.span)
    whole = node.kind is NodeKind.TITLE or len(node.span) * 2 > len(reading.text)
    start = " ".join(reading.text[node.span.start : node.span.start + len(raw) + 20].split())
    vague = not node.label and not start.casefold().startswith(raw.casefold())
    return around or whole or vague or reference.kind is ReferenceKind.RELATIVE


def _quoted(words: str) -> str:
    return " ".join(words.split())


def _definitions(reading: Contract, span: Span, targets: Sequence[Contract]) -> Iterator[_Found]:
    """Yield the definitions of terms used in a hit, from this contract or the one it amends."""
    words = span.text_in(reading.text)
    used: set[str] = set()
    for source in (reading, *targets):
        for term, times in source.uses(words):
            if term.term.casefold() in used:
                continue
            used.add(term.term.casefold())
            if source is reading and span.contains(source.definition(term)):
                continue
            score = _specific(term, times)
            if source is reading and _is_of_another_part(reading, term, span):
                score *= _ELSEWHERE
            because = f"defines “{term.term}”, used in {reading.locate(span)}"
            yield _Found(source, source.definition(term), LinkKind.DEFINITION, because, score)


def _is_of_another_part(reading: Contract, term: DefinedTerm, span: Span) -> bool:
    """Tell whether a term is defined in an attachment, for that alone perhaps."""
    return any(
        node.span.contains(term.span) and not node.span.overlaps(span)
        for node in reading.attachments
    )


def _specific(term: DefinedTerm, times: int) -> float:
    """Return the weight of a definition: higher for a rarer term and for more words."""
    several = min(3, len(term.term.split())) / 3
    rare = 1.0 / (1.0 + log(max(1, times)))
    return 0.4 + 0.25 * rare + 0.15 * several


def _nearness(node: Node, span: Span, reading: Contract) -> float:
    """Return how closely a clause is about a hit: 1 for its own clause, less for those around."""
    inner = reading.outline.node_at(span.start)
    if node is inner or span.contains(node.span):
        return 1.0
    return min(1.0, max(0.0, 1.0 - log(max(1, len(node.span) / max(1, len(span)))) / 6))
