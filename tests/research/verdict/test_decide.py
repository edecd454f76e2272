"""What a question that asks whether comes to: by the model, by rules, on what conditions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.models.polarity.model import PolarityModel
from fourcorners.research.answer import Verdict
from fourcorners.research.answerability.search import AnswerSearch
from fourcorners.research.answerability.sufficiency import Judgement
from fourcorners.research.companions.find import find_referring, find_uncovered, is_contrary
from fourcorners.research.companions.qualifiers import find_qualifiers
from fourcorners.research.context import ResearchContext, build_context
from fourcorners.research.question import split_question
from fourcorners.research.run import ask, final_answer
from fourcorners.research.verdict.decide import covered_share, decide_verdict, is_presupposed
from fourcorners.search.concepts import Concept
from fourcorners.search.sentences.retrieve import Snippet
from fourcorners.search.sentences.units import document_cache
from fourcorners.text.span import Span


def snippet(context: ResearchContext, words: str) -> Snippet:
    (document,) = context.documents
    start = context.library.text(document).index(words)
    return Snippet(document, "lease", Span(start, start + len(words)), words, 0.9, {})


@pytest.fixture
def context(library: Library, encoder: Encoder, concepts: Sequence[Concept]) -> ResearchContext:
    return build_context(library, ["lease"], encoder=encoder, concepts=concepts)


@pytest.mark.parametrize(
    ("question", "is_supposed"),
    [
        ("May the Tenant terminate this Lease if no Rent is in arrears?", True),
        ("May the Tenant terminate this Lease?", False),
    ],
)
def test_a_condition_that_the_question_supposes_is_none(
    context: ResearchContext, question: str, is_supposed: bool
) -> None:
    found = snippet(context, "provided that no Rent is in arrears")
    (one,) = find_qualifiers(context.library.text(found.document), found.span)
    (part,) = split_question(question)
    assert is_presupposed(context, part, found, one) is is_supposed


def test_consent_that_is_needed_makes_it_depend(
    library: Library, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    told = final_answer(
        ask(library, "May the Tenant assign the Lease?", contracts=["lease"], encoder=encoder,
            concepts=concepts)
    )  # fmt: skip
    assert told.answer.ruling not in (Verdict.YES, Verdict.NO, Verdict.ABSENT)


@pytest.mark.parametrize(
    ("words", "does"),
    [
        ("This does not apply to housings.", True),
        ("However, the Tenant may stay.", True),
        ("The Tenant shall pay the Rent.", False),
    ],
)
def test_what_takes_back_is_known_by_its_words(words: str, does: bool) -> None:
    assert is_contrary(words) is does


def test_the_share_of_a_question_in_words_counts_rare_ones_more(context: ResearchContext) -> None:
    found = snippet(context, "insure the Premises against fire and flood")
    units = document_cache(context.library).get(context.library, found.document)
    assert covered_share(units, "insure fire flood", found.span) == 1.0
    assert 0.0 < covered_share(units, "insure arrears", found.span) < 1.0
    assert covered_share(units, "", found.span) == 0.0


@pytest.mark.parametrize(
    ("chance", "ruling"), [(0.9, Verdict.YES), (0.1, Verdict.NO), (0.6, Verdict.UNSURE)]
)
def test_where_nothing_else_tells_what_such_words_mostly_mean_counts_if_they_surely_do(
    context: ResearchContext, monkeypatch: pytest.MonkeyPatch, chance: float, ruling: Verdict
) -> None:
    asked: list[tuple[str, str]] = []

    def yes(_: PolarityModel, question: str, words: str) -> float:
        asked.append((question, words))
        return chance

    monkeypatch.setattr(PolarityModel, "probability", yes)
    (part,) = split_question("Does wet stock get paid for?")
    words = "The Landlord shall insure the Premises against fire and flood"
    judged = ((context.documents[0], Judgement(0.95, 0.5)),)
    looked = AnswerSearch(part.text, (snippet(context, words),), judged, (), 1)
    told = decide_verdict(context, part, looked, ())
    assert told.verdict is ruling
    assert asked == [(part.text, words)]
    if ruling is not Verdict.UNSURE:
        assert told.confidence == pytest.approx(0.9)
        assert "read them before relying on it" in told.because


def test_sentences_that_name_a_clause_by_its_number_are_found(
    context: ResearchContext,
) -> None:
    found = snippet(context, "The Tenant shall not assign this Lease")
    told = [
        each.span.text_in(context.library.text(each.document))
        for each in find_referring(context, [found])
    ]
    assert len(told) == 1
    assert "Notwithstanding clause 3.1" in told[0]


def test_the_rest_of_the_clause_that_was_asked_for_is_brought(context: ResearchContext) -> None:
    found = snippet(context, "2.1 This Lease begins on 1 April 2024 and expires on 31 March 2029.")
    (more,) = find_uncovered(
        context, "When does it expire, and may it be terminated by notice?", [found]
    )
    assert "may terminate this Lease" in more.span.text_in(context.library.text(more.document))
    assert 0 < more.score < 1
    assert not list(find_uncovered(context, "When does it expire?", [found]))
