"""False premises: what a question names and no contract has, and what the contract denies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fourcorners.research.answerability.search import AnswerSearch
from fourcorners.research.answerability.similarity import stem_rarity
from fourcorners.research.context import ResearchContext
from fourcorners.search.concepts import Concept
from fourcorners.search.stems import stem_tokens, stems
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize

_PATTERNS = load_patterns("fourcorners.research.offline", "premises")
_QUOTED = _PATTERNS["quoted"]
_CAPITALISED = _PATTERNS["capitalised"]
_SHORTEST = 4  # letters of a stem that means something
_MOST = 12  # contracts that are looked through
_LEAST = 0.35
"""How much of a question's words, by rarity, a denial of what it takes for granted has."""
_VAGUE = frozenset(stem_tokens(("amount", "date", "notice", "period", "right", "term", "time")))
"""Words of the names of many kinds of clauses."""
_MEASURES = frozenset(("long", "often", "soon", "least", "early", "large", "high"))
"""Words that ask for a measure ("how long?"), which contracts give without them."""
_REACH = 80  # characters after words of denial within which what they deny is named
_SHOWN = 2  # denials
_DENIES = _PATTERNS["denies"]
_TAKEN_AWAY = _PATTERNS["taken_away"]


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """Words of a document; `score` is how much of the question's words they have, by rarity."""

    document: str
    span: Span
    score: float


def find_absent_terms(context: ResearchContext, question: str) -> tuple[str, ...]:
    """Return the terms that a question names, in quotes or capitals, and no contract has."""
    named = dict.fromkeys(
        " ".join(match.split())
        for pattern in (_QUOTED, _CAPITALISED)
        for match in pattern.findall(question)
    )
    if not named or not 0 < len(context.entries) <= _MOST:
        return ()
    texts = [
        " ".join(context.library.text(entry.id).casefold().split()) for entry in context.entries
    ]
    names = [entry.name.casefold() for entry in context.entries]
    return tuple(
        term
        for term in named
        if not any(term.casefold() in text for text in (*texts, *names))
        and not _all_there(context, term)
    )


def _all_there(context: ResearchContext, term: str) -> bool:
    """Tell whether one contract has each word of a term somewhere: a name is often shortened."""
    wanted = set(stem_tokens(tokenize(term).tokens))
    return any(wanted <= _forms(context, entry.id) for entry in context.entries)


def find_absent_words(
    context: ResearchContext, asked: str, concepts: Iterable[Concept]
) -> tuple[str, ...]:
    """Return the telling words of a question that no contract has in any form.

    Words by which a known kind of clause is called are left out: contracts call it otherwise.
    """
    if not 0 < len(context.entries) <= _MOST:
        return ()
    called = {stem for concept in concepts for phrase in concept.phrases for stem in stems(phrase)}
    there = set().union(*(_forms(context, entry.id) for entry in context.entries))
    tokens = tokenize(asked).tokens
    stem_of = dict(zip(tokens, stem_tokens(tokens), strict=True))
    question_stems = set(stems(asked))
    return tuple(
        token
        for token, stem in stem_of.items()
        if stem in question_stems
        and len(stem) >= _SHORTEST
        and stem not in there
        and stem not in called
        and token not in _MEASURES
    )


def find_contradicting_sentences(
    context: ResearchContext, searched: AnswerSearch
) -> tuple[ScoredSpan, ...]:
    """Return sentences that deny what a question takes for granted, the best first.

    "How is the option exercised?" takes for granted that there is one. A denial speaks of what the
    kind of clause is called by; where no known kind is asked for, it has much of the question.
    """
    found = [
        one
        for document in dict.fromkeys(each.document for each in searched.snippets)
        for one in _denying(context, document, searched)
    ]
    return tuple(sorted(found, key=lambda each: -each.score)[:_SHOWN])


def _denying(
    context: ResearchContext, document: str, searched: AnswerSearch
) -> Iterator[ScoredSpan]:
    units = context.units(document)
    asked = set(stems(context.rewrite_with_roles(searched.question)))
    called = {stem for each in searched.concepts for stem in stems(each.name)}
    called &= (asked & units.forms.keys()) - _VAGUE
    weight = {stem: stem_rarity(units, stem) for stem in asked | called}
    whole = sum(weight[stem] for stem in asked) or 1.0
    for unit in units.units:
        words_there = unit.span.text_in(units.text)
        denied = set(stems(" ".join(_denied(words_there))))
        named = sum(weight[stem] for stem in called & denied)
        if searched.concepts and (not called or named < sum(weight[s] for s in called) / 2):
            continue
        share = sum(weight[stem] for stem in asked & set(stems(words_there))) / whole
        if searched.concepts or (share >= _LEAST and asked & denied):
            yield ScoredSpan(document, unit.span, round(min(1.0, share), 4))


def _denied(sentence: str) -> Iterator[str]:
    """Yield the words of a sentence that it denies: after "no", and before "has been waived"."""
    for cue in _DENIES.finditer(sentence):
        yield sentence[cue.start() : cue.end() + _REACH]
    for cue in _TAKEN_AWAY.finditer(sentence):
        yield sentence[: cue.end()]


def _forms(context: ResearchContext, document: str) -> set[str]:
    return set(context.units(document).forms)
