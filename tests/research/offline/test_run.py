from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from fourcorners.errors import ConfigError, InputError
from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.models.registry import default_answer_reader, default_encoder
from fourcorners.research import events, store
from fourcorners.research.answer import Answer, Role, Verdict, Verification
from fourcorners.research.offline.extract import MAX_CHARACTERS, MAX_NEAREST, MAX_QUOTES
from fourcorners.research.run import ask, final_answer
from fourcorners.search.concepts import Concept

Answered = Callable[..., Answer]


@pytest.fixture
def answered(library: Library, encoder: Encoder, concepts: Sequence[Concept]) -> Answered:
    def answer(question: str, *contracts: str) -> Answer:
        return final_answer(
            ask(library, question, contracts=contracts, encoder=encoder, concepts=concepts)
        )

    return answer


def test_every_statement_is_verified_in_its_contract(answered: Answered, library: Library) -> None:
    answer = answered("Can the Tenant assign the lease, and on what conditions?", "lease")
    assert answer.counts.verified == len((*answer.statements, *answer.beside)) > 0
    assert answer.made.by == "no language model"
    for statement in (*answer.statements, *answer.beside):
        assert statement.standing is Verification.VERIFIED
        for cited in statement.quotes:
            text = library.text(cited.document)
            assert cited.quote.span is not None
            assert cited.quote.span.text_in(text) == cited.quote.words
    quoted = " ".join(each.quote.words for s in answer.statements for each in s.quotes)
    assert "shall not assign" in quoted
    assert "Notwithstanding clause 3.1" in quoted


def test_places_are_told_as_a_lawyer_cites_them(answered: Answered) -> None:
    answer = answered("What is the governing law?", "lease")
    assert answer.answer.ruling is Verdict.SAYS
    assert answer.findings[0].quotes[0].where == "clause 5.1"


def test_what_is_not_there_is_said_to_be_absent(answered: Answered) -> None:
    answer = answered("Is there a source code escrow?", "lease")
    assert answer.answer.ruling is Verdict.ABSENT
    assert not answer.findings
    assert answer.answer.headline == "No answer found."
    assert answer.gaps[0].what == "Nothing was found that answers this."
    assert answer.gaps[0].nearest is not None
    assert len(answer.gaps) <= MAX_NEAREST


def test_the_headline_names_the_clause_and_leaves_yes_and_no_to_a_person(
    answered: Answered,
) -> None:
    value = answered("On how many days' notice may the Tenant end the lease?", "lease")
    assert value.answer.headline == "Read clause 2.2 of “Lease of Premises”."
    whether = answered("Can the Tenant assign the lease?", "lease")
    assert whether.answer.headline.startswith("Yes or no is left to you: read clause 3.")
    assert whether.answer.ruling is Verdict.UNSURE


def test_an_answer_is_short_and_quotes_nothing_twice(answered: Answered) -> None:
    answer = answered("Can the Tenant assign the lease?", "lease")
    spans = [
        (cited.document, cited.quote.span)
        for each in answer.findings
        for cited in each.quotes
        if cited.quote.span
    ]
    assert len(set(spans)) == len(spans) <= MAX_QUOTES
    assert sum(len(span) for _, span in spans) <= MAX_CHARACTERS


def test_the_day_a_contract_ends_is_told_from_its_words(answered: Answered) -> None:
    answer = answered("What is the expiration date of this contract?", "lease")
    told = [each.text for each in answer.findings if each.role is Role.COMPUTED]
    assert any("2029-03-31" in text for text in told)


def test_an_amendment_stands_beside_what_it_changes(answered: Answered) -> None:
    answer = answered("Can the Tenant terminate this lease for convenience?", "lease")
    amended = [each for each in answer.answer.conditions if each.role is Role.AMENDMENT]
    assert any("180" in cited.quote.words for each in amended for cited in each.quotes)


def test_an_answer_survives_json_and_the_library(answered: Answered, library: Library) -> None:
    answer = answered("Who insures the premises?", "lease")
    assert Answer.from_json(answer.to_json()) == answer
    identity = store.save_answer(library, answer)
    assert store.load_answer(library, identity[:6]) == answer
    (listed,) = [each for each in store.list_answers(library) if each.id == identity]
    assert listed.question == answer.question
    with pytest.raises(ConfigError):
        store.load_answer(library, "ffffffffffff")
    with pytest.raises(InputError):
        Answer.from_json("{}")


def test_the_same_question_makes_the_same_report(answered: Answered) -> None:
    first, second = (answered("Who insures the premises?", "lease") for _ in range(2))
    assert (first.findings, first.answer, first.gaps) == (
        second.findings,
        second.answer,
        second.gaps,
    )


def test_events_come_in_order(
    library: Library, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    run = ask(library, "Who insures it?", contracts=["lease"], encoder=encoder, concepts=concepts)
    kinds = [type(event) for event in run]
    assert kinds[0] is events.PlanEvent
    assert kinds[-1] is events.AnswerEvent
    assert kinds.index(events.QuestionEvent) < kinds.index(events.EvidenceEvent)


def test_without_vectors_words_answer(library: Library) -> None:
    answer = final_answer(ask(library, "Which laws govern this lease?", contracts=["lease"]))
    assert "by words alone" in answer.made.engine
    assert answer.answer.ruling in (Verdict.SAYS, Verdict.ABSENT)


def test_a_report_names_the_models_that_it_goes_by(answered: Answered, library: Library) -> None:
    engine = answered("Who insures it?", "lease").made.engine
    assert default_encoder().name in engine
    assert default_answer_reader().name in engine
    plain = final_answer(ask(library, "Who insures it?", contracts=["lease"]))
    assert "reader" not in plain.made.engine


def test_nothing_asked_is_refused(library: Library) -> None:
    with pytest.raises(ConfigError):
        ask(library, "  ")
    with pytest.raises(ConfigError):
        ask(library, "Who pays?", contracts=["nowhere"])
