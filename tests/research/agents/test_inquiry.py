"""The agents with a model that says what it is told to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import InputError, LlmRefused, LlmTimedOut
from fourcorners.library.store import Library
from fourcorners.llm import Budget, FakeModel, Port, Recorder, Replay, Request
from fourcorners.models import Encoder
from fourcorners.research import events
from fourcorners.research.agents.inquiry import InquirySettings, estimate_cost
from fourcorners.research.answer import Answer, Verdict, Verification
from fourcorners.research.events import Event
from fourcorners.research.run import ask, final_answer, prepare_answer
from fourcorners.research.tool import Material, ToolQuery
from fourcorners.search.concepts import Concept

QUESTION = "Can the Tenant assign the lease?"
GOOD = "The Tenant shall not assign this Lease without the prior written consent of the Landlord"
INVENTED = "The Tenant may assign freely to anyone at all"

Script = Callable[[Request], object]


def script(**changed: object) -> Callable[[Request], str]:
    """Return a model that plays all agents; each turn asks something new."""
    count = {"interrogate": 0}

    def said(request: Request) -> str:
        name = request.prompt.name
        if name in changed:
            value = changed[name]
            return json.dumps(value(request) if callable(value) else value)
        if name == "archivist":
            return json.dumps({"question": QUESTION, "assumptions": ["Asked for the Tenant."]})
        if name == "interrogate":
            count["interrogate"] += 1
            subject = ("assignment consent", "group company", "definition rent", "insurance",
                       "governing law", "termination")[count["interrogate"] - 1]  # fmt: skip
            return json.dumps({"question": f"What does it say on {subject}?"})
        if name == "research":
            looks = [{"tool": "search", "words": "assign the lease without consent"}]
            return json.dumps({"looks": looks})
        if name == "respond":
            return json.dumps({"response": "Passage 1 speaks of consent."})
        return json.dumps(draft())

    return said


def draft(
    *, confident: bool = False, words: str = GOOD, ruling: str = "it depends"
) -> dict[str, object]:
    return {
        "title": "Assignment of the lease",
        "findings": [
            {
                "number": 1,
                "statement": "The Tenant needs the Landlord's prior written consent.",
                "quotes": [{"passage": 1, "words": words}],
            }
        ],
        "summary": [{"text": "The lease restricts assignment.", "findings": [1]}],
        "answer": {
            "ruling": ruling,
            "confidence": 0.8,
            "sentences": [{"text": "Only with consent.", "findings": [1]}],
            "conditions": [],
            "readings": [],
        },
        "gaps": ["What is a company of its group?"],
        "next_questions": [],
        "confident": confident,
    }


@dataclass
class Run:
    events: list[Event]
    answer: Answer
    model: FakeModel


@pytest.fixture
def run(library: Library, encoder: Encoder, concepts: Sequence[Concept]) -> Callable[..., Run]:
    def one(said: Script, how: InquirySettings | None = None, **rest: Any) -> Run:
        model = FakeModel(said)  # type: ignore[arg-type]
        with Port.for_model(model, attempts=1, price=lambda sent, got: (sent + got) / 1e6) as port:
            happened = list(
                ask(
                    library,
                    QUESTION,
                    contracts=["lease"],
                    encoder=encoder,
                    concepts=concepts,
                    port=port,
                    how=how or InquirySettings(turns=2),
                    **rest,
                )
            )
        last = happened[-1]
        assert isinstance(last, events.AnswerEvent)
        return Run(happened, last.answer, model)

    return one


@pytest.mark.parametrize("turns", [1, 2, 5])
@pytest.mark.parametrize("responds", [False, True])
def test_the_calls_are_those_of_the_formula_and_foretold(
    run: Callable[..., Run], turns: int, *, responds: bool
) -> None:
    how = InquirySettings(turns=turns, responds=responds)
    done = run(script(), how)
    assert len(done.model.requests) == how.calls() == 1 + turns * (3 + responds)
    assert done.answer.calls == how.calls() == done.answer.made.calls
    (planned,) = [each for each in done.events if isinstance(each, events.PlanEvent)]
    assert planned.calls == how.calls()


def test_a_reply_to_the_archivist_is_one_call_more(run: Callable[..., Run]) -> None:
    asked: list[str] = []

    def reply(question: str) -> str:
        asked.append(question)
        return "We are the Tenant."

    def archivist(request: Request) -> dict[str, object]:
        told: dict[str, object] = {"question": QUESTION, "context": "We are the Tenant."}
        first = "We are the Tenant." not in request.messages[-1].text
        return {**told, "ask_back": "Which party are you?"} if first else told

    done = run(script(archivist=archivist), InquirySettings(turns=1), reply=reply)
    assert asked == ["Which party are you?"]
    assert done.answer.context == "We are the Tenant."
    assert len(done.model.requests) == InquirySettings(turns=1).calls(replies=1)


def test_without_a_person_to_ask_assumptions_are_told(run: Callable[..., Run]) -> None:
    done = run(script(), InquirySettings(turns=1))
    assert done.answer.assumptions == ("Asked for the Tenant.",)
    assert not [each for each in done.events if isinstance(each, events.ClarificationEvent)]


def test_statements_stand_on_words_of_the_contract(
    run: Callable[..., Run], library: Library
) -> None:
    answer = run(script()).answer
    assert answer.answer.ruling is Verdict.DEPENDS
    assert answer.counts.verified == len(answer.statements) > 0
    for statement in answer.statements:
        for cited in statement.quotes:
            assert cited.quote.span is not None
            assert cited.quote.span.text_in(library.text(cited.document)) == cited.quote.words
    assert [each.turn for each in answer.drafts] == [1, 2]
    assert answer.findings[0].quotes[0].where == "clause 3.1"


def test_invented_words_are_marked_and_what_rests_on_them_is_left_out(
    run: Callable[..., Run],
) -> None:
    answer = run(script(draft=draft(words=INVENTED, ruling="yes"))).answer
    (finding,) = answer.findings
    assert finding.standing is Verification.UNVERIFIED
    assert finding.claims == (INVENTED,)
    assert not finding.quotes
    assert answer.answer.ruling is Verdict.UNSURE
    assert not answer.answer.sentences
    assert answer.counts.dropped == 2  # the summary's sentence and the answer's
    assert answer.counts.unverified == 1


def test_a_number_that_the_quote_does_not_have_is_marked(run: Callable[..., Run]) -> None:
    told = draft()
    told["findings"] = [
        {
            "number": 1,
            "statement": "The consent takes 45 days under clause 3.1.",
            "quotes": [{"passage": 1, "words": GOOD}],
        }
    ]
    (finding,) = run(script(draft=told)).answer.findings
    assert finding.standing is Verification.UNVERIFIED
    assert "45" in finding.problem


def test_a_finding_without_a_quote_is_dropped(run: Callable[..., Run]) -> None:
    told = draft()
    told["findings"] = [{"number": 1, "statement": "Everything is permitted.", "quotes": []}]
    answer = run(script(draft=told)).answer
    assert not answer.findings
    assert answer.counts.dropped == 3


def test_a_confident_draft_ends_the_inquiry(run: Callable[..., Run]) -> None:
    done = run(script(draft=draft(confident=True)), InquirySettings(turns=5))
    assert len(done.answer.drafts) == 1
    assert done.answer.calls == InquirySettings(turns=5).calls(turns=1)
    assert not done.answer.stopped


def test_a_loop_ends(run: Callable[..., Run]) -> None:
    done = run(
        script(interrogate={"question": "What does it say on assignment?"}),
        InquirySettings(turns=20),
    )
    assert len(done.answer.drafts) <= 4  # the question, a gap, and the parts
    asked = [draft.asked for draft in done.answer.drafts]
    assert len(set(asked)) == len(asked)


@pytest.mark.parametrize("prompt", ["archivist", "interrogate", "research", "draft"])
@pytest.mark.parametrize("fault", ["garbage", "refusal", "timeout"])
def test_every_failure_ends_in_a_report(run: Callable[..., Run], prompt: str, fault: str) -> None:
    good = script()

    def said(request: Request) -> object:
        if request.prompt.name not in (prompt, "repair"):
            return good(request)
        if fault == "refusal":
            return LlmRefused("it will not say.")
        return LlmTimedOut("it was too slow.") if fault == "timeout" else "no JSON at all"

    answer = run(said).answer
    assert answer.stopped
    assert answer.gaps
    assert answer.made.by.startswith("no language model")
    assert answer.counts.verified > 0  # the report by rules
    assert any(step.outcome not in ("done", "kept") for step in answer.record)


def test_a_report_by_rules_answers_the_question_as_it_was_asked(run: Callable[..., Run]) -> None:
    good = script(archivist={"question": "The question is asked for somebody."})

    def said(request: Request) -> object:
        return LlmTimedOut("it was too slow.") if request.prompt.name == "draft" else good(request)

    answer = run(said).answer
    assert answer.question == QUESTION
    assert answer.counts.verified > 0


def test_a_failure_after_a_draft_keeps_the_draft(run: Callable[..., Run]) -> None:
    good = script()

    def said(request: Request) -> object:
        drafts = sum("report so far" in each.text for each in request.messages)
        return LlmRefused("no more.") if drafts else good(request)

    answer = run(said).answer
    assert "turn 2" in answer.stopped
    assert answer.findings[0].quotes
    assert len(answer.drafts) == 1


def test_the_budget_is_never_passed(run: Callable[..., Run]) -> None:
    how = InquirySettings(turns=5, budget=Budget(tokens=14_000))
    answer = run(script(), how).answer
    assert "budget" in answer.stopped
    assert sum(step.tokens_in + step.tokens_out for step in answer.record) <= 14_000


def test_contract_text_is_fenced(run: Callable[..., Run]) -> None:
    for request in run(script()).model.requests:
        for message in request.messages:
            at = message.text.find("GBP 48,000")
            assert at < 0 or "<<<data " in message.text[:at]


class _Statutes:
    name = "statutes"
    description = "finds statutes"

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails

    def run(self, inquiry: ToolQuery) -> list[Material]:
        assert inquiry.question == QUESTION
        if self.fails:
            raise InputError("the source does not answer.")
        words = "A covenant against assignment is subject to a proviso on reasonable consent."
        return [
            Material(
                words=words, source="An Act", where="s 19", fetched="2026-01-01", tool=self.name
            )
        ]


def test_what_is_from_outside_stands_apart_and_supports_nothing(run: Callable[..., Run]) -> None:
    looks = {"looks": [{"tool": "statutes", "words": "assignment"},
                       {"tool": "search", "words": "assign the lease"}]}  # fmt: skip
    law = "subject to a proviso on reasonable consent"

    def told(_: Request) -> dict[str, object]:
        report = draft()
        report["findings"] = [
            {"number": 1, "statement": "Consent is reasonable.",
             "quotes": [{"passage": 1, "words": law}]}
        ]  # fmt: skip
        report["external"] = [{"passage": 1, "statement": "An Act qualifies it.", "words": law}]
        return report

    answer = run(script(research=looks, draft=told), tools=[_Statutes()]).answer
    assert [each.source for each in answer.external] == ["An Act"]
    assert answer.findings[0].standing is Verification.UNVERIFIED
    assert not answer.findings[0].quotes


def test_a_tool_that_fails_is_told_and_the_rest_goes_on(run: Callable[..., Run]) -> None:
    looks = {"looks": [{"tool": "statutes", "words": "assignment"},
                       {"tool": "search", "words": "assign the lease"}]}  # fmt: skip
    answer = run(script(research=looks), tools=[_Statutes(fails=True)]).answer
    assert not answer.stopped
    assert any("does not answer" in gap.what for gap in answer.gaps)
    assert answer.findings[0].quotes


def test_tools_bring_what_they_say(run: Callable[..., Run]) -> None:
    looks = [("clause", "2.2"), ("definition", "Rent"), ("reckon", "2024-04-01 + 90 days"),
             ("belongs", "terminate by notice")]  # fmt: skip
    chosen = {"looks": [{"tool": tool, "words": words} for tool, words in looks]}
    done = run(script(research=chosen), InquirySettings(turns=1))
    (found,) = [each for each in done.events if isinstance(each, events.EvidenceEvent)]
    words = " ".join(each.words for each in found.materials)
    for part in ("ninety (90) days", "GBP 48,000", "2024-06-30", "one hundred and eighty (180)"):
        assert part in words


def test_an_inquiry_is_replayed_from_its_record(
    library: Library,
    encoder: Encoder,
    concepts: Sequence[Concept],
    tmp_path: Path,
) -> None:
    file = tmp_path / "record.jsonl"

    def once(model: object) -> Answer:
        with Port.for_model(model) as port:  # type: ignore[arg-type]
            return final_answer(
                ask(
                    library,
                    QUESTION,
                    contracts=["lease"],
                    encoder=encoder,
                    concepts=concepts,
                    port=port,
                    how=InquirySettings(turns=2),
                )
            )

    first = once(Recorder(FakeModel(script()), file))
    second = once(Replay(file))
    assert (first.findings, first.answer, first.gaps, first.drafts) == (
        second.findings,
        second.answer,
        second.gaps,
        second.drafts,
    )


def test_an_estimate_sends_nothing(
    library: Library, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    model = FakeModel(script())
    with Port.for_model(model, price=lambda sent, got: (sent + got) / 1e6) as port:
        context, started = prepare_answer(
            library, QUESTION, contracts=["lease"], encoder=encoder, concepts=concepts
        )
        told = estimate_cost(context, port, started, InquirySettings(turns=3))
    assert not model.requests
    assert told.calls == 10
    assert told.tokens_in > 1_000
    assert told.cost
