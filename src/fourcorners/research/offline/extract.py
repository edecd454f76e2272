"""Answer without a language model: by rules, in the contracts' own words.

A question is split into parts; each part is answered with the sentence that says it, then with what
changes it, and a few further quotes. What is linked to the words (definitions, clauses that they
refer to) is in the full report. If nothing answers, the nearest words are shown as such. Values,
yes and no are left to a person, because no method determines them reliably enough (decision 17).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from fourcorners.research.answer import (
    Citation,
    Gap,
    PreliminaryAnswer,
    Role,
    Statement,
    Verdict,
    Verification,
)
from fourcorners.research.answerability.search import AnswerSearch, search_answer
from fourcorners.research.companions import (
    Companion,
    find_companions,
    find_qualifiers,
    find_replacements,
)
from fourcorners.research.context import ResearchContext, find_others
from fourcorners.research.question import Part
from fourcorners.review.parties import display_name
from fourcorners.search.graph.expand import Located
from fourcorners.search.graph.in_force import card_in_force, read_in_force
from fourcorners.search.sentences.retrieve import Snippet
from fourcorners.text.span import Span
from fourcorners.text.stems import stems

MAX_QUOTES = 4
"""Snippets quoted for a part: the one that answers, and others that may."""
MAX_CHARACTERS = 1_200
"""Maximum characters quoted for a part; the first quote is always included."""
MAX_NEAREST = 3
"""Candidates that are shown if nothing answers."""
_SHARE = 0.03  # share of the best probability from which further words are quoted
_SUPPOSED = 0.5  # share of a condition's words from which a question presupposes it
_CHANGING = frozenset({Role.EXCEPTION, Role.AMENDMENT})
_EXPIRY = frozenset({"expiration-date", "term", "renewal-term"})


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """The answer to a part of a question.

    Attributes:
        headline: The answer in a line.
        findings: The words that answer, the best first.
        conditions: What changes the answer.
        linked: What is linked to the words, for the full report.
    """

    part: Part
    search: AnswerSearch
    verdict: Verdict
    confidence: float
    because: str
    headline: str
    findings: tuple[Statement, ...] = ()
    conditions: tuple[Statement, ...] = ()
    linked: tuple[Statement, ...] = ()
    gaps: tuple[Gap, ...] = ()


def answer_part(context: ResearchContext, part: Part) -> PartAnswer:
    found = search_answer(context, part.text, limit=MAX_QUOTES * 2)
    if not found.answers:
        sure, because = 1.0 - found.best.chance, "how unlikely the nearest words are to answer"
        gaps = tuple(_nothing_found(context, part, found))
        return PartAnswer(part, found, Verdict.ABSENT, sure, because, "No answer found.", gaps=gaps)
    changing, linked = _companions(context, part, found)
    shown = _fitting(found.snippets, sum(len(each.span) for each in changing))
    replaced = find_replacements(context, shown)

    def is_shown_already(one: Located) -> bool:
        return any(
            each.document == one.document and each.span.overlaps(one.span)
            for each in replaced.values()
        )

    findings = [
        _companion(context, part, replaced[at])
        if at in replaced
        else _evidence(context, part, each, found)
        for at, each in enumerate(shown)
        if at in replaced or not is_shown_already(each)
    ]
    findings = [*dict.fromkeys(findings), *_expiry(context, part, found)]
    changing = [each for each in changing if not is_shown_already(each)]
    conditions = [
        _condition(context, part, shown[0], one.span, one.kind, one.cue)
        for one in find_qualifiers(context.read_contract(shown[0].document).text, shown[0].span)
        if not _supposes(part.text, _words(context, shown[0].document, one.span))
    ]
    conditions += [_companion(context, part, each) for each in changing]
    read = [findings[0].quotes[0]]
    if 0 in replaced:
        before = context.cite(shown[0].document, _changed_words(context, shown[0]))
        lead = f"Before that, {before.where} said:"
        conditions.insert(0, _verified_statement(lead, Role.AMENDMENT, part, before))
        read.append(before)
    return PartAnswer(
        part,
        found,
        Verdict.UNSURE if part.is_whether else Verdict.SAYS,
        found.judgements[shown[0].document].chance,
        "how likely the words quoted answer",
        _headline(context, part, shown[0], read),
        tuple(findings),
        tuple(conditions),
        tuple(_companion(context, part, each) for each in linked),
    )


def combine_answers(answered: Iterable[PartAnswer]) -> PreliminaryAnswer:
    parts = tuple(answered)
    there = [each for each in parts if each.verdict is not Verdict.ABSENT]
    if not there:
        verdict, leading = Verdict.ABSENT, parts[0]
    else:
        leading = next((each for each in there if each.part.is_whether), there[0])
        verdict = leading.verdict
    return PreliminaryAnswer(
        ruling=verdict,
        headline=" ".join(each.headline for each in parts),
        sentences=tuple(finding for each in there for finding in each.findings[:1]),
        confidence=round(min(each.confidence for each in there or parts), 3),
        because=leading.because,
        conditions=tuple(condition for each in there for condition in each.conditions),
    )


def _headline(
    context: ResearchContext, part: Part, first: Snippet, read: Sequence[Citation]
) -> str:
    """Return where to read the answer: in a clause, or in what changes a clause, and in that."""
    places = []
    for each in read:
        title = f"“{context.title(each.document).title}”"
        is_bare = each.where.startswith("characters ")
        places.append(title if is_bare else f"{each.where} of {title}")
    where = ", which changes ".join(places)
    lead = f"Yes or no is left to you: read {where}." if part.is_whether else f"Read {where}."
    return " ".join([lead, *_describe_asker(context, part, first.document)])


def _describe_asker(context: ResearchContext, part: Part, document: str) -> Iterator[str]:
    """Yield which party of a contract asks, and who is not a party to it."""
    contract, title = context.read_contract(document), context.title(document).title
    party = context.asking_party(document)
    if context.read_for and party is not None:
        yield f"Asked for: {display_name(party)}."
    others = [] if context.side(document).names else list(context.read_for)
    others = list(
        dict.fromkeys(
            (*others, *find_others(part.text, contract, partial(context.known_parties, document)))
        )
    )
    if others:
        there = " and ".join(display_name(fact.value) for fact in contract.card.parties)
        are = "is no party" if len(others) == 1 else "are no parties"
        parties = f"; the parties are {there}" if there else ""
        yield f"{' and '.join(others)} {are} to “{title}”{parties}."


def _words(context: ResearchContext, document: str, span: Span) -> str:
    return span.text_in(context.read_contract(document).text)


def _supposes(question: str, condition: str) -> bool:
    supposed = set(stems(condition))
    return len(supposed & set(stems(question))) >= _SUPPOSED * len(supposed)


def _companions(
    context: ResearchContext, part: Part, found: AnswerSearch
) -> tuple[list[Companion], list[Companion]]:
    """Return what changes the words that answer, and what else belongs to them."""
    first = found.snippets[:1]
    asked = context.rewrite_with_roles(part.text)
    companions = find_companions(context, first, asked)
    changing: list[Companion] = []
    room = MAX_CHARACTERS - len(first[0].span)
    for each in companions:
        if each.role in _CHANGING and len(each.span) <= room:
            changing.append(each)
            room -= len(each.span)
    return changing, [each for each in companions if each not in changing]


def _nothing_found(context: ResearchContext, part: Part, found: AnswerSearch) -> Iterator[Gap]:
    near = [_cite(context, each, "near") for each in found.snippets[:MAX_NEAREST]]
    what = "Nothing was found that answers this."
    yield Gap(what, part.text, found.description, near[0] if near else None)
    for each in near[1:]:
        yield Gap(
            "This is the nearest passage, but was not accepted as an answer.", part.text, "", each
        )


def _cite(context: ResearchContext, snippet: Snippet, because: str) -> Citation:
    return context.cite(snippet.document, snippet.span, because=because, score=snippet.score)


def _evidence(
    context: ResearchContext, part: Part, snippet: Snippet, found: AnswerSearch
) -> Statement:
    names = {concept.id: concept.name for concept in found.concepts}
    known = [names[each] for each in snippet.because if each in names]
    because = f"a clause of the kind “{known[0]}”" if known else "by the question's words"
    cited = _cite(context, snippet, because)
    return _verified_statement(f"{cited.name}, {cited.where}, says:", Role.EVIDENCE, part, cited)


def _verified_statement(text: str, role: Role, part: Part, *cited: Citation) -> Statement:
    return Statement(text, role, Verification.VERIFIED, part.text, cited)


def _changed_words(context: ResearchContext, shown: Snippet) -> Span:
    """Return the part of words shown whose clause another document changes."""
    amended = read_in_force(context.library, shown.document)
    last = amended.last_change(shown.span) if amended else None
    node = context.read_contract(shown.document).outline.node_at(last.old.start) if last else None
    return (node and node.span.intersection(shown.span)) or shown.span


def _expiry(context: ResearchContext, part: Part, found: AnswerSearch) -> Iterator[Statement]:
    """Yield the day on which a contract ends, if that is asked for and its words say so."""
    if not _EXPIRY & {concept.id for concept in found.concepts}:
        return
    for document in dict.fromkeys(each.document for each in found.snippets):
        card = card_in_force(context.library, document)
        fact = card.expiry_date
        if fact is not None and fact.span:
            cited = context.cite(
                document, fact.span, because="from these words", score=fact.confidence
            )
            what = f"the first term of {cited.name}" if card.renewal else cited.name
            is_own = card == context.read_contract(document).card
            by = "By its own words" if is_own else "As amended,"
            text = f"{by} {what} ends on {fact.value.isoformat()}."
            yield _verified_statement(text, Role.COMPUTED, part, cited)


def _condition(
    context: ResearchContext, part: Part, snippet: Snippet, span: Span, kind: str, cue: str
) -> Statement:
    cited = context.cite(snippet.document, span, because=f"“{cue}”")
    role = Role.EXCEPTION if kind == "exception" else Role.CONDITION
    return _verified_statement(f"{kind.capitalize()} in {cited.where}:", role, part, cited)


def _companion(context: ResearchContext, part: Part, one: Companion) -> Statement:
    cited = context.cite(one.document, one.span, because=one.because, score=one.score)
    lead = f"{one.because[:1].upper()}{one.because[1:]} ({cited.name}, {cited.where}):"
    return _verified_statement(lead, one.role, part, cited)


def _fitting(snippets: Sequence[Snippet], taken: int) -> tuple[Snippet, ...]:
    """Return the words that answer, and further ones that may and that fit."""
    selected = [snippets[0]]
    room = MAX_CHARACTERS - taken - len(snippets[0].span)
    for each in snippets[1:]:
        if len(selected) == MAX_QUOTES or each.score < _SHARE * snippets[0].score:
            break
        if len(each.span) <= room:
            selected.append(each)
            room -= len(each.span)
    return tuple(selected)
