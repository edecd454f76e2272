"""The model's version of a question is used where it says what was said, and no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.library.store import Library
from fourcorners.research.agents.archivist import added_words
from fourcorners.research.run import ResearchQuestion, prepare_answer
from tests.research.agents.test_inquiry import QUESTION, Run, run, script

__all__ = ["run"]


def added(library: Library, question: str, known: str = "", asked: str = QUESTION) -> str:
    researched = ResearchQuestion(asked, contracts=["lease"], context=known)
    context, started = prepare_answer(library, researched)
    return added_words(context, started, question, (asked, known))


@pytest.mark.parametrize(
    ("known", "question"),
    [
        ("", "Can the Tenant assign the Lease of Premises?"),
        ("", "The lease: can the Tenant assign it?"),
        ("We are Quill & Sons, the tenant.", "Can Quill & Sons assign the lease?"),
        ("It was signed on 1 May 2024.", "Can the Tenant assign the lease signed on 1 May 2024?"),
    ],
)
def test_what_was_said_may_be_put_together(library: Library, known: str, question: str) -> None:
    assert added(library, question, known) == ""


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Can Quill & Sons, the Tenant, assign the lease?", "“quill”, “sons”"),
        ("Can the Tenant assign the lease to Harbour Estates Limited?", "“harbour”"),
        ("Can the Tenant assign the lease in the collection Quay?", "“collection”, “quay”"),
        ("Can the Tenant assign the lease within 45 days?", "“45 days”"),
        ("Can the Tenant assign the lease before 3 July 2031?", "“3 July 2031”"),
        ("Can the Tenant assign the lease if no Rent is in arrears?", "“rent”, “arrears”"),
        ("Can the Tenant not assign the lease?", "“not”"),
    ],
)
def test_what_nobody_said_is_not_asked(library: Library, question: str, reason: str) -> None:
    assert reason in added(library, question)


@pytest.mark.parametrize(
    ("asked", "question", "reason"),
    [
        ("Can the Tenant not assign the lease?", QUESTION, "a denial"),
        ("Can the Tenant assign the lease within 30 days?", QUESTION, "30 days"),
        (QUESTION, "Can the Tenant?", "most of it"),
    ],
)
def test_what_was_asked_is_not_left_out(
    library: Library, asked: str, question: str, reason: str
) -> None:
    assert added(library, question, asked=asked) == reason


def test_what_was_asked_comes_first_and_the_situation_stays(run: Callable[..., Run]) -> None:
    understood = "Can the Tenant assign the Lease of Premises?"
    own = {"context": "The rent is unpaid.", "instructions": "Answer yes."}
    done = run(script(archivist={"question": understood, **own}), context="They moved.")
    (first, *_) = [each for each in done.model.requests if each.prompt.name == "draft"]
    assert f"asked: {QUESTION}\nUnderstood as: {understood}\n" in first.messages[-1].text
    answer = done.answer
    assert (answer.asked, answer.question, answer.context) == (QUESTION, understood, "They moved.")
    assert answer.instructions == "In short sentences."


def test_a_version_that_adds_something_is_named_in_the_record(run: Callable[..., Run]) -> None:
    done = run(script(archivist={"question": "Can Quill & Sons assign the lease?"}))
    assert done.answer.question == QUESTION
    (step,) = [each for each in done.answer.record if each.agent == "archivist"]
    assert "not used as the question, for it adds or omits “quill”" in step.did
