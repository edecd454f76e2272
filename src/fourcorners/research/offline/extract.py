"""Answer without a language model: by rules, in the contracts' own words.

A question is split into parts; each part is answered with the sentence that says it, then with what
changes it, and a few further quotes. The headline gives the words that answer, as a quote: values,
yes and no are left to a person, because no method determines them reliably enough (decision 17),
but for the choice of a law (`run`). A definition or clause that holds the value which these words
lack is quoted with them. What else is linked to them is in the full report. If nothing answers, the
nearest words are shown as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from fourcorners.research.answer import (
    Citation,
    Gap,
    Role,
    Statement,
    Verdict,
)
from fourcorners.research.answerability.search import (
    LIKELY_TO_ANSWER,
    UNLIKELY_TO_ANSWER,
    AnswerSearch,
    search_answer,
)
from fourcorners.research.companions import (
    Companion,
    changed_words,
    describe_parties,
    describe_unclear_change,
    find_companions,
    find_replacements,
)
from fourcorners.research.context import ResearchContext
from fourcorners.research.offline.quoting import (
    LONGEST,
    describe_quote,
    parts_of,
    place_of,
    verified_statement,
    words_at,
)
from fourcorners.research.offline.reviewed import reviewed_kinds
from fourcorners.research.question import Part, QuestionAspect, lacks_figure, value_finder
from fourcorners.review.blanks import find_blanks
from fourcorners.review.calendar import list_timelines
from fourcorners.search.graph import links_of
from fourcorners.search.graph.expand import Located
from fourcorners.search.sentences.retrieve import Snippet
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.periods import find_periods

MAX_QUOTES = 4
"""Snippets quoted for a part: the one that answers, and others that may."""
MAX_CHARACTERS = 1_200
"""Maximum characters quoted for a part; the first quote is always included."""
MAX_NEAREST = 3
"""Candidates that are shown if nothing answers."""
_SHARE = 0.03  # share of the best probability from which further words are quoted
_CHANGING = frozenset({Role.EXCEPTION, Role.AMENDMENT})
_EXPIRY = frozenset({"expiration-date", "term", "renewal-term"})
_UNSAID = "The clause that answered before does not say it. Ask the whole question."
_NO_FIGURE = "The nearest words give no figure."
_COUNTING = frozenset(
    ("of", "the", "from", "and", "including", "on", "after", "following", "beginning", "commencing")
)  # words between a period and the day from which it is counted
_SUPPLYING = 2  # definitions and clauses that are quoted for a value


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """The answer to a part of a question.

    Attributes:
        headline: The answer in a line: its sentences, which another part may have, too.
        findings: The words that answer, the best first.
        leading: How many of them the short answer quotes.
        lead: The words that answer; None if nothing does.
        conditions: What changes the answer.
        linked: What is linked to the words, for the full report.
    """

    part: Part
    search: AnswerSearch
    verdict: Verdict
    confidence: float
    because: str
    headline: tuple[str, ...]
    findings: tuple[Statement, ...] = ()
    conditions: tuple[Statement, ...] = ()
    linked: tuple[Statement, ...] = ()
    gaps: tuple[Gap, ...] = ()
    leading: int = 1
    lead: Citation | None = None


def answer_part(context: ResearchContext, part: Part) -> PartAnswer:
    found = search_answer(context, part.text, limit=MAX_QUOTES * 2)
    if context.within:
        found = _within_clauses(context, part, found)
        if not found.snippets:
            return PartAnswer(part, found, Verdict.UNSURE, 0.0, "", (_UNSAID,))
    if not found.answers:
        sure, because = 1.0 - found.best.chance, UNLIKELY_TO_ANSWER
        gaps = tuple(_nothing_found(context, part, found))
        headline = ("No answer found.",)
        return PartAnswer(part, found, Verdict.ABSENT, sure, because, headline, gaps=gaps)
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
    supplying = [] if 0 in replaced else _supplying(context, part, shown, linked)
    findings[1:1] = [_companion(context, part, each) for each in supplying]
    changing = [each for each in changing if not is_shown_already(each)]
    conditions = [_companion(context, part, each) for each in changing]
    lead = context.cite(shown[0].document, _own_words(context, shown[0]))
    changes = ""
    if 0 in replaced:
        before = context.cite(shown[0].document, changed_words(context, shown[0]))
        lead_in = f"Before that, {before.where} said:"
        conditions.insert(0, verified_statement(lead_in, Role.AMENDMENT, part, before))
        lead, changes = findings[0].quotes[0], f", which changes {place_of(context, before)}"
    unclear = "" if 0 in replaced else describe_unclear_change(context, lead)
    computed = [*_term_status(context, part, found)]
    computed += [] if unclear else _counted_days(context, part, lead)
    stated = [*_shown_words(context, shown[0]), lead.quote.words]
    stated += [each.text for each in computed]
    stated += [one.quote.words for each in findings[1 : 1 + len(supplying)] for one in each.quotes]
    is_open = lacks_figure(part, stated)
    chance = found.judgements[shown[0].document].chance
    sentences = [
        *(each.text for each in computed),
        _NO_FIGURE if is_open else "",
        unclear or _headline(context, part, found, lead, changes),
        *(describe_quote(context, each.quotes[0]) for each in findings[1 : 1 + len(supplying)]),
        *describe_parties(context, part.text, shown[0].document),
    ]
    return PartAnswer(
        part,
        found,
        Verdict.UNSURE if part.is_whether or is_open else Verdict.SAYS,
        0.0 if is_open else min(chance, shown[0].score) if context.within else chance,
        "" if is_open else LIKELY_TO_ANSWER,
        tuple(filter(None, sentences)),
        tuple(dict.fromkeys([*findings, *computed])),
        tuple(conditions),
        tuple(_companion(context, part, each) for each in linked if each not in supplying),
        leading=1 + len(supplying),
        lead=lead,
    )


def _within_clauses(context: ResearchContext, part: Part, found: AnswerSearch) -> AnswerSearch:
    """Return what is in the clauses that alone may answer, with a value where one is asked for."""
    found, wanted = found.of_clauses(context.within), value_finder(part)
    if wanted is None:
        return found
    texts = (words_at(context, each.document, each.span) for each in found.snippets)
    having = [any(wanted(each, Span(0, len(each)))) for each in texts]
    snippets = tuple(each for each, has in zip(found.snippets, having, strict=True) if has)
    return replace(found, snippets=snippets)


def _shown_words(context: ResearchContext, snippet: Snippet) -> Iterator[str]:
    """Yield the words of a snippet, without the number and the heading of its best sentence."""
    own = _own_words(context, snippet)
    for start, end in ((snippet.span.start, snippet.core.start), (own.start, snippet.span.end)):
        yield words_at(context, snippet.document, Span(start, max(start, end)))


def _own_words(context: ResearchContext, snippet: Snippet) -> Span:
    """Return the best sentence without the headings and the number before its words."""
    contract, span = context.read_contract(snippet.document), snippet.core
    node = contract.outline.node_at(max(span.start, span.end - 1))
    if node is None:
        return span
    start = max(span.start, node.span.start)
    if node.heading is not None and span.start <= node.heading.start < node.heading.end < span.end:
        start = max(start, node.heading.end)
    else:
        number = contract.text[start : span.end].split(maxsplit=1)[0]
        label, plain = (
            "".join(filter(str.isalnum, each.casefold())) for each in (node.label, number)
        )
        start += len(number) if plain and label.endswith(plain) else 0
    return Span(start, span.end).strip(contract.text) or span


def _headline(
    context: ResearchContext, part: Part, found: AnswerSearch, lead: Citation, changes: str
) -> str:
    """Return what answers, quoted, with its place; `changes` is what it takes the place of."""
    span = lead.quote.span
    held = None if span is None or part.is_whether else _answering(context, part, found, lead)
    if held is not None:
        words = " ".join(words_at(context, lead.document, held).split())
        return f"“{words}” ({place_of(context, lead)}{changes})."
    if part.is_whether:
        lead_in = "Not answered yes or no"
        words = describe_quote(context, lead, changes)
        if words.startswith("See "):
            return f"{lead_in}; {words[:1].lower()}{words[1:]}"
        return f"{lead_in}. {words}"
    return describe_quote(context, lead, changes)


def _answering(
    context: ResearchContext, part: Part, found: AnswerSearch, lead: Citation
) -> Span | None:
    """Return the words of a sentence that the reader takes for the answer, if they are its kind."""
    wanted, words = value_finder(part), lead.quote.words
    if context.reader is None or QuestionAspect.WHO in part.aspects or lead.quote.span is None:
        return None
    if wanted and len([*wanted(words, Span(0, len(words)))]) != 1:  # which of them is not sure
        return None
    contract, asked = context.read_contract(lead.document), lead.quote.span
    if not wanted and context.cite_lead_ins(lead.document, asked):  # it may deny the words
        return None
    blanks = find_blanks(contract.text, contract.outline) if wanted else ()
    if any(each.span.overlaps(asked) for each in blanks):  # the value asked for may be the blank
        return None
    (reading,) = context.reader.read(words, [found.read_as])
    named = reading.words.span
    if named is None or (wanted and not any(wanted(words, named))):
        return None
    return named.shift(lead.quote.span.start)


def _supplying(
    context: ResearchContext, part: Part, shown: Sequence[Snippet], linked: Iterable[Companion]
) -> list[Companion]:
    """Return definitions and clauses with a value that the words that answer only refer to."""
    wanted = value_finder(part)

    def has_value(document: str, span: Span) -> bool:
        return wanted is not None and any(wanted(context.read_contract(document).text, span))

    if wanted is None or has_value(shown[0].document, shown[0].span):
        return []
    return [
        each
        for each in linked
        if each.role in (Role.DEFINITION, Role.REFERENCE)
        and len(each.span) <= LONGEST
        and has_value(each.document, each.span)
    ][:_SUPPLYING]


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
    kinds = reviewed_kinds(context, found.concepts, snippet.document, snippet.span)
    because = "by the question's words"
    if kinds:
        because = f"the review found “{'” and “'.join(kinds)}” here"
    elif snippet.because:
        because = "by the words of such clauses"
    own = _own_words(context, snippet)
    where = context.locate(snippet.document, own)
    cited = [
        replace(cited, where=where) if each.contains(Span(own.start, own.start)) else cited
        for each in parts_of(context, snippet.document, snippet.span)
        for cited in [_cite(context, replace(snippet, span=each), because)]
    ]
    leads = [
        each
        for each in context.cite_lead_ins(snippet.document, own)
        if each.quote.span and not each.quote.span.overlaps(snippet.span)
    ]
    lead = f"{cited[0].name}, {cited[0].where}, says:"
    return verified_statement(lead, Role.EVIDENCE, part, *leads, *cited)


def _term_status(context: ResearchContext, part: Part, found: AnswerSearch) -> Iterator[Statement]:
    """Yield the term of a contract by its dates, if that is asked for and they are certain."""
    if not _EXPIRY & {concept.id for concept in found.concepts}:
        return
    document = found.snippets[0].document
    amending = {each.document for each in links_of(context.library).amended_by(document)}
    entries = [context.library.entry(each) for each in (document, *sorted(amending - {document}))]
    today = datetime.now(UTC).date()
    for line in list_timelines(context.library, entries, today, timedelta(0)):
        end = line.term.end
        if line.document != document or not (line.words and end and end.asserted):
            continue
        cited = [
            context.cite(each.document, each.span, because="from these words", score=end.confidence)
            for each in line.words
        ]
        sentence = line.status.sentence.removesuffix(".")
        if not line.status.asserted:  # another document changes the term
            sentence = f"By its own words it ends on {end.text}, which other words may change"
        places = dict.fromkeys(place_of(context, each) for each in cited)
        text = f"{sentence} ({', '.join(places)})."
        yield verified_statement(text, Role.COMPUTED, part, *cited)


def _counted_days(context: ResearchContext, part: Part, lead: Citation) -> Iterator[Statement]:
    """Yield the days to which periods lead that the words count from a day, or a term for one."""
    within = lead.quote.span
    if within is None or not {QuestionAspect.WHEN, QuestionAspect.HOW_LONG} & {*part.aspects}:
        return
    contract = context.read_contract(lead.document)
    text = contract.text
    starts = {each.span: each for each in find_dates(text, within)}
    for term in contract.outline.terms:
        days = [*find_dates(text, term.definition)]
        at = text.find(term.term, within.start, within.end)
        if at >= 0 and len(days) == 1 and not term.definition.overlaps(within):
            starts[Span(at, at + len(term.term))] = days[0]
    for period in find_periods(text, within):
        for at_start, day in starts.items():
            between = text[period.span.end : at_start.start].casefold().split()
            if between and {*between} <= _COUNTING:
                counted = " ".join(words_at(context, lead.document, period.span).split())
                source = context.cite(lead.document, contract.sentence(day.span))
                result = period.value.shift(day.value).isoformat()
                sentence = f"Computed: “{counted}” from {day.text} ({source.where}) is {result}."
                yield verified_statement(sentence, Role.COMPUTED, part, lead, source)


def _companion(context: ResearchContext, part: Part, one: Companion) -> Statement:
    cited = context.cite(one.document, one.span, because=one.because, score=one.score)
    lead = f"{one.because[:1].upper()}{one.because[1:]} ({cited.name}, {cited.where}):"
    return verified_statement(lead, one.role, part, cited)


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
