"""The agents with a model that says what it is told to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import InputError, LlmRefused, LlmTimedOut
from fourcorners.library.store import Library
from fourcorners.llm import Budget, FakeModel, Port, Recorder, Replay, Request
from fourcorners.llm.port.conversation import answer_schema, parse_answer
from fourcorners.models import Encoder
from fourcorners.reports.answer import answer_report
from fourcorners.reports.writers.markdown import to_markdown
from fourcorners.research import events
from fourcorners.research.agents.inquiry import InquirySettings, estimate_cost
from fourcorners.research.agents.schemas import (
    AmendedReport,
    DraftReport,
    UnderstoodQuestion,
    build_form,
)
from fourcorners.research.answer import Answer, Verdict, Verification
from fourcorners.research.events import Event
from fourcorners.research.run import ResearchQuestion, ask, final_answer, prepare_answer
from fourcorners.research.tool import Material, ToolQuery
from fourcorners.search.concepts import Concept

QUESTION = "Can the Tenant assign the lease?"
GOOD = "The Tenant shall not assign this Lease without the prior written consent of the Landlord"
SAID = (
    "The Tenant shall not assign this Lease without the prior written consent of the Landlord, "
    "which shall not be unreasonably withheld."
)

Script = Callable[[Request], object]


def number_of(request: Request, words: str) -> int:
    """Return the number of the sentence that holds some words, or one that there is not."""
    for message in request.messages:
        for number, sentence in re.findall(r"^\[(\d+)\] (.*)$", message.text, re.MULTILINE):
            if words in sentence:
                return int(number)
    return 999


def script(**changed: object) -> Callable[[Request], str]:
    """Return a model that plays all agents; each turn asks something new."""
    subjects = iter(("group company", "definition rent", "insurance", "governing law"))
    days = count(1)

    def said(request: Request) -> str:
        name = request.prompt.name
        if name in changed:
            value = changed[name]
            return json.dumps(value(request) if callable(value) else value)
        if name == "archivist":
            return json.dumps({"question": QUESTION, "assumptions": ["Asked for the Tenant."]})
        if name == "respond":
            return json.dumps({"response": "Sentence 1 speaks of consent."})
        if name == "mend":
            return json.dumps({"answer": None})
        told = draft(request)
        told["next_question"] = f"What does it say on {next(subjects, '')}?"
        told["looks"] = [{"tool": "reckon", "words": f"2024-03-01 + {9 + next(days)} days"}]
        return json.dumps(told)

    return said


def draft(
    request: Request,
    *,
    statement: str = SAID,
    words: str = GOOD,
    ruling: str = "it depends",
) -> dict[str, Any]:
    return {
        "title": "Assignment of the lease",
        "findings": [
            {"number": 1, "statement": statement, "sentences": [number_of(request, words)]}
        ],
        "answer": {
            "ruling": ruling,
            "sentences": [{"text": statement, "findings": [1]}],
        },
        "gaps": ["What is a company of its group?"],
    }


def one_finding(statement: str, words: str = GOOD, **more: object) -> Callable[..., object]:
    """Return a draft of one finding that asks nothing further."""

    def said(request: Request) -> dict[str, Any]:
        told = draft(request, statement=statement, words=words)
        told["findings"][0] |= more
        return told

    return said


def report_text(answer: Answer) -> str:
    return " ".join(to_markdown(answer_report(answer)).replace("\\", "").split())


@dataclass
class Run:
    events: list[Event]
    answer: Answer
    model: FakeModel


@pytest.fixture
def run(library: Library, encoder: Encoder, concepts: Sequence[Concept]) -> Callable[..., Run]:
    def one(
        said: Script, how: InquirySettings | None = None, context: str = "", **rest: Any
    ) -> Run:
        model = FakeModel(said)  # type: ignore[arg-type]
        with Port.for_model(model, attempts=1, price=lambda sent, got: (sent + got) / 1e6) as port:
            happened = list(
                ask(
                    library,
                    ResearchQuestion(
                        QUESTION,
                        contracts=["lease"],
                        context=context,
                        instructions="In short sentences.",
                        how=how or InquirySettings(turns=2),
                    ),
                    encoder=encoder,
                    concepts=concepts,
                    port=port,
                    **rest,
                )
            )
        last = happened[-1]
        assert isinstance(last, events.AnswerEvent)
        return Run(happened, last.answer, model)

    return one


def test_without_a_person_to_ask_assumptions_are_told(run: Callable[..., Run]) -> None:
    done = run(script(), InquirySettings(turns=1))
    assert done.answer.assumptions == ("Asked for the Tenant.",)
    assert not [each for each in done.events if isinstance(each, events.ClarificationEvent)]


def test_a_report_by_rules_answers_the_question_as_it_was_asked(run: Callable[..., Run]) -> None:
    good = script(archivist={"question": "The question is asked for somebody."})

    def said(request: Request) -> object:
        return LlmTimedOut("it was too slow.") if request.prompt.name == "draft" else good(request)

    answer = run(said).answer
    assert answer.question == QUESTION
    assert answer.counts.verified > 0


def test_the_budget_is_never_passed(run: Callable[..., Run]) -> None:
    how = InquirySettings(turns=5, budget=Budget(tokens=9_000))
    answer = run(script(), how).answer
    assert "budget" in answer.stopped
    assert sum(step.tokens_in + step.tokens_out for step in answer.record) <= 9_000


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
                    ResearchQuestion(QUESTION, contracts=["lease"], how=InquirySettings(turns=2)),
                    encoder=encoder,
                    concepts=concepts,
                    port=port,
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


@pytest.mark.parametrize("turns", [1, 2, 4])
@pytest.mark.parametrize("responds", [False, True])
def test_the_calls_are_foretold(run: Callable[..., Run], turns: int, *, responds: bool) -> None:
    how = InquirySettings(turns=turns, responds=responds)
    done = run(script(), how)
    assert how.calls() == 1 + turns * (1 + responds) + 1
    assert len(done.model.requests) == how.calls() - 1  # nothing had to be mended
    assert done.answer.calls == len(done.model.requests)
    assert done.answer.made.calls == how.calls()
    assert ("researcher" in done.answer.made.by) is responds
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
    assert done.answer.context == "Which party are you? “We are the Tenant.”"
    assert len(done.model.requests) == 3


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


def test_a_sentence_that_there_is_not_supports_nothing_and_nothing_is_left_out(
    run: Callable[..., Run],
) -> None:
    answer = run(script(draft=one_finding(SAID, "no such words"))).answer
    (finding,) = answer.findings
    assert finding.standing is Verification.UNVERIFIED
    assert "no sentence" in finding.problem
    assert answer.answer.ruling is Verdict.UNSURE
    assert [each.standing for each in answer.answer.sentences] == [Verification.UNVERIFIED]
    assert answer.counts.unverified == len(answer.statements)


@pytest.mark.parametrize(
    ("statement", "standing", "problem"),
    [
        (SAID, Verification.VERIFIED, ""),
        (
            "The Tenant may assign the lease without the Landlord's prior written consent.",
            Verification.UNVERIFIED,
            "opposite",
        ),
        ("The Landlord insures the Premises against fire.", Verification.UNVERIFIED, "not speak"),
        ("Consent takes 45 days under clause 3.1.", Verification.UNVERIFIED, "45 days"),
        ("Assignment is subject to approval.", Verification.UNCHECKED, "not checked"),
    ],
)
def test_each_statement_is_held_against_its_sentences(
    run: Callable[..., Run], statement: str, standing: Verification, problem: str
) -> None:
    answer = run(script(draft=one_finding(statement), mend=mend_nothing)).answer
    (finding,) = answer.findings
    assert (finding.text, finding.standing) == (statement, standing)
    assert problem in finding.problem
    assert answer.answer.sentences[0].standing in (standing, Verification.UNVERIFIED)


def mend_nothing(request: Request) -> dict[str, object]:
    """Return the answer of the report as it was."""
    (report,) = re.findall(r"^\{.*\}$", request.messages[-1].text, re.MULTILINE)
    return {"answer": json.loads(report)["answer"]}


NOTICE = "by giving ninety (90) days"


@pytest.mark.parametrize(
    ("statement", "context"),
    [
        ("The Tenant may terminate by ninety days' written notice.", ""),
        ("The Tenant may terminate by 90 days' prior written notice.", ""),
        ("The Tenant of 3 shops and 12 staff may terminate on 90 days' notice.", "12 staff"),
    ],
)
def test_figures_are_known_from_words_and_from_what_a_person_said(
    run: Callable[..., Run], statement: str, context: str
) -> None:
    answer = run(script(draft=one_finding(statement, NOTICE)), context=context).answer
    assert answer.findings[0].standing is not Verification.UNVERIFIED


@pytest.mark.parametrize(
    ("statement", "standing"),
    [
        ("The Tenant may terminate by 60 days' written notice.", Verification.UNVERIFIED),
        ("Within the last 60 days the Tenant may terminate.", Verification.UNCHECKED),
    ],
)
def test_a_figure_that_only_the_question_has_is_not_verified(
    run: Callable[..., Run], statement: str, standing: Verification
) -> None:
    told = one_finding(statement, NOTICE)
    answer = run(script(draft=told), context="They say 60 days.").answer
    assert answer.findings[0].standing is standing  # refused where the contract has 90 for it


def test_a_figure_that_the_model_put_into_the_question_is_not_known(
    run: Callable[..., Run],
) -> None:
    told = one_finding("The Tenant may terminate by 60 days' written notice.", NOTICE)
    answer = run(script(draft=told, archivist={"question": "Are 60 days enough?"})).answer
    assert answer.question == QUESTION
    assert answer.findings[0].standing is Verification.UNVERIFIED
    assert "60 days" in answer.findings[0].problem


@pytest.mark.parametrize(
    ("reckoned", "statement", "context", "named", "standing"),
    [
        ("2024-05-01 + 90 days", "Notice on 1 May 2024 ends the lease on 30 July 2024.",
         "We gave notice on 1 May 2024.", True, Verification.UNCHECKED),
        ("2024-05-01 + 90 days", "Notice on 1 May 2024 ends the lease on 30 July 2024.",
         "", True, Verification.UNVERIFIED),
        ("2024-05-01 + 90 days", "Notice on 1 May 2024 ends the lease on 30 July 2024.",
         "We gave notice on 1 May 2024.", False, Verification.UNVERIFIED),
        ("2024-05-01 + 10 days", "Notice on 1 May 2024 ends the lease on 11 May 2024.",
         "We gave notice on 1 May 2024.", True, Verification.UNVERIFIED),
        ("3 * 90", "The Tenant may terminate by giving 270 days' prior written notice.",
         "", True, Verification.UNVERIFIED),
        ("3 * 90", "The Tenant may terminate by giving 270 days' prior written notice.",
         "There are 3 tenants.", True, Verification.UNVERIFIED),
    ],
)  # fmt: skip
def test_what_a_tool_computed_counts_where_its_figures_are_known(
    run: Callable[..., Run],
    reckoned: str,
    statement: str,
    context: str,
    *,
    named: bool,
    standing: Verification,
) -> None:
    def told(request: Request) -> dict[str, Any]:
        report = draft(request, statement=statement, words=NOTICE)
        if named:
            report["findings"][0]["sentences"].append(number_of(request, f"{reckoned} ="))
        return report

    looks = {"looks": [{"tool": "reckon", "words": reckoned}]}
    answer = run(script(draft=told, archivist=looks, mend=mend_nothing), context=context).answer
    assert answer.findings[0].standing is standing


def test_what_could_not_be_reckoned_is_no_result(run: Callable[..., Run]) -> None:
    looks = [{"tool": "reckon", "words": "2024-02-30 + 90 days"}]
    told = one_finding("Notice on 30 February 2024 ends the lease.", NOTICE)
    answer = run(script(draft=told, mend=mend_nothing, archivist={"looks": looks})).answer
    assert answer.findings[0].standing is Verification.UNVERIFIED
    assert not answer.reckonings
    assert "2024-02-30" in answer.not_found[0]


def test_a_look_may_name_its_contract(run: Callable[..., Run]) -> None:
    looks = [{"tool": "clause", "words": "2.2", "contract": 1},
             {"tool": "clause", "words": "2.2", "contract": "the charter"}]  # fmt: skip
    done = run(script(archivist={"looks": looks}), InquirySettings(turns=1))
    steps = [each.did for each in done.answer.record if each.did.startswith("clause")]
    assert steps == ["clause: 2.2 in 1", "clause: 2.2 in the charter"]
    (note,) = done.answer.not_found
    assert "meant by “the charter”" in note
    (request,) = [each for each in done.model.requests if each.prompt.name == "draft"]
    assert "meant by “the charter”" in request.messages[-1].text


@pytest.mark.parametrize(
    ("statement", "words", "standing"),
    [
        ("The lease gives no option to buy the freehold.", "option to purchase the freehold",
         Verification.SEARCHED),
        ("The lease says nothing on the governing law.", "governing law",
         Verification.UNVERIFIED),
    ],
)  # fmt: skip
def test_that_something_is_lacking_is_checked_by_a_search(
    run: Callable[..., Run], statement: str, words: str, standing: Verification
) -> None:
    told = one_finding(statement, "no such words", sentences=[], absent=words)
    (finding,) = run(script(draft=told, mend=mend_nothing)).answer.findings
    assert finding.standing is standing
    assert "search" in finding.problem
    assert bool(finding.quotes) is (standing is Verification.UNVERIFIED)


def test_what_fails_is_returned_once_with_the_reason(run: Callable[..., Run]) -> None:
    wrong = "The Tenant may assign the lease without the Landlord's prior written consent."

    def mend(request: Request) -> dict[str, object]:
        assert "F1: The Tenant may assign" in request.messages[-1].text
        assert "opposite" in request.messages[-1].text
        told = draft(request)
        return {"findings": told["findings"], "answer": told["answer"]}

    done = run(script(draft=one_finding(wrong), mend=mend), InquirySettings(turns=1))
    assert [each.prompt.name for each in done.model.requests] == ["archivist", "draft", "mend"]
    assert done.answer.findings[0].standing is Verification.VERIFIED
    assert done.answer.counts.unverified == 0


def test_what_cannot_be_mended_keeps_the_draft(run: Callable[..., Run]) -> None:
    good = script(draft=one_finding("Consent takes 45 days."))

    def said(request: Request) -> object:
        return LlmRefused("no more.") if request.prompt.name == "mend" else good(request)

    answer = run(said, InquirySettings(turns=1)).answer
    assert "no more" in answer.stopped
    assert answer.findings[0].standing is Verification.UNVERIFIED
    assert len(answer.drafts) == 1


def test_a_finding_stays_until_it_is_changed_or_removed(run: Callable[..., Run]) -> None:
    insured = "The Landlord shall insure the Premises against fire and flood."

    def amend(request: Request) -> dict[str, object]:
        number = number_of(request, "shall insure")
        return {"findings": [{"number": 2, "statement": insured, "sentences": [number]}]}

    answer = run(script(amend=amend)).answer
    assert [each.text for each in answer.findings] == [SAID, insured]
    assert answer.answer.ruling is Verdict.DEPENDS
    answer = run(script(amend={"removed": [1]})).answer
    assert not answer.findings


def test_a_draft_that_asks_nothing_ends_the_inquiry(run: Callable[..., Run]) -> None:
    done = run(script(draft=one_finding(SAID)), InquirySettings(turns=5))
    assert len(done.answer.drafts) == 1
    assert done.answer.calls == 2
    assert not done.answer.stopped


def test_a_loop_ends(run: Callable[..., Run]) -> None:
    def told(request: Request) -> dict[str, Any]:
        looks = [{"tool": "reckon", "words": "2024-03-01 + 90 days"}]
        question = "What does it say on assignment?"
        return {**draft(request), "next_question": question, "looks": looks}

    done = run(script(draft=told, amend=told), InquirySettings(turns=20))
    asked = [each.asked for each in done.answer.drafts]
    assert asked == [QUESTION, "What does it say on assignment?"]


@pytest.mark.parametrize("fault", ["garbage", "refusal", "timeout"])
@pytest.mark.parametrize("prompt", ["archivist", "draft"])
def test_every_failure_ends_in_a_report(run: Callable[..., Run], prompt: str, fault: str) -> None:
    good = script()

    def said(request: Request) -> object:
        if request.prompt.name not in (prompt, "repair"):
            return good(request)
        if fault == "refusal":
            return LlmRefused("it will not say.")
        return LlmTimedOut("it was too slow.") if fault == "timeout" else "no JSON at all"

    answer = run(said).answer
    assert answer.counts.verified > 0
    assert any(step.outcome not in ("done", "kept") for step in answer.record)
    if prompt == "archivist":
        assert answer.drafts[0].asked == QUESTION
        assert any("archivist failed" in each.what for each in answer.gaps)
        assert not answer.stopped
    else:
        assert answer.stopped
        assert answer.made.by.startswith("no language model")


def test_a_failure_after_a_draft_keeps_the_draft(run: Callable[..., Run]) -> None:
    good = script()

    def said(request: Request) -> object:
        return LlmRefused("no more.") if request.prompt.name == "amend" else good(request)

    answer = run(said).answer
    assert "turn 2" in answer.stopped
    assert answer.findings[0].quotes
    assert len(answer.drafts) == 1


def test_what_is_from_outside_stands_apart_and_supports_nothing(run: Callable[..., Run]) -> None:
    looks = {"looks": [{"tool": "statutes", "words": "assignment"}]}
    law = "subject to a proviso on reasonable consent"

    def told(request: Request) -> dict[str, object]:
        report = draft(request, statement="Consent is reasonable.", words=law)
        number = number_of(request, law)
        report["external"] = [{"statement": "An Act qualifies it.", "sentences": [number]}]
        return report

    answer = run(script(archivist=looks, draft=told), tools=[_Statutes()]).answer
    assert [each.source for each in answer.external] == ["An Act"]
    assert answer.findings[0].standing is Verification.UNVERIFIED
    assert not answer.findings[0].quotes


def test_a_tool_that_fails_is_told_and_the_rest_goes_on(run: Callable[..., Run]) -> None:
    looks = {"looks": [{"tool": "statutes", "words": "assignment"}]}
    answer = run(script(archivist=looks), tools=[_Statutes(fails=True)]).answer
    assert not answer.stopped
    assert any("does not answer" in gap.what for gap in answer.gaps)
    assert answer.findings[0].quotes


def test_tools_bring_what_they_say(run: Callable[..., Run]) -> None:
    looks = [("clause", "2.2"), ("definition", "Rent"), ("reckon", "2024-04-01 + 90 days"),
             ("belongs", "terminate by notice")]  # fmt: skip
    chosen = {"looks": [{"tool": tool, "words": words} for tool, words in looks]}
    done = run(script(archivist=chosen), InquirySettings(turns=1))
    (found,) = [each for each in done.events if isinstance(each, events.EvidenceEvent)]
    words = " ".join(each.words for each in found.materials)
    for part in ("ninety (90) days", "GBP 48,000", "2024-06-30", "one hundred and eighty (180)"):
        assert part in words


def test_words_addressed_to_a_machine_are_no_source(run: Callable[..., Run]) -> None:
    done = run(script())
    for request in done.model.requests:
        assert all("everything is permitted" not in each.text for each in request.messages)
    assert any("addressed to a machine" in gap.what for gap in done.answer.gaps)
    first = next(each for each in done.model.requests if each.prompt.name == "draft")
    assert any("not shown, because they give orders" in each.text for each in first.messages)
    assert any("England and Wales" in each.text for each in done.model.requests[-1].messages)


def test_what_was_sent_stays_at_the_beginning(run: Callable[..., Run]) -> None:
    """A server reads once what two prompts begin with: the rules, and the whole contract."""
    done = run(script())
    _, first, second = (each.messages for each in done.model.requests)
    assert len({each.messages[0].text for each in done.model.requests}) == 1
    assert "GBP 48,000" in first[1].text[: first[1].text.index("<<<end")]
    assert second[: len(first)] == first
    assert "GBP 48,000" not in second[-1].text
    assert "Tools:" not in second[-1].text


def test_no_field_is_asked_for_that_has_no_use(run: Callable[..., Run]) -> None:
    archivist, first, last = (each.shape for each in run(script()).model.requests)
    for shape, missing in ((archivist, "ask_back"), (first, "external"), (last, "looks")):
        assert shape is not None
        assert f'"{missing}"' not in shape.schema


@pytest.mark.parametrize("form", [UnderstoodQuestion, DraftReport, AmendedReport])
def test_forms_are_strict_and_name_the_tools(
    form: type[UnderstoodQuestion] | type[DraftReport] | type[AmendedReport],
) -> None:
    schema = json.loads(answer_schema(build_form(form, ["search", "clause"])).schema)
    for each in (schema, *schema["$defs"].values()):
        assert each["required"] == sorted(each["properties"], key=each["required"].index)
        assert set(each["required"]) == set(each["properties"])
        assert each["additionalProperties"] is False
        assert all("default" not in value for value in each["properties"].values())
    assert schema["$defs"]["ToolCall"]["properties"]["tool"]["enum"] == ["search", "clause"]


def test_near_shapes_are_read() -> None:
    assert parse_answer("{}", AmendedReport).answer is None
    told = """{"findings": {"number": "F1", "statement": "x", "sentences": "[3], [14]"},
        "answer": {"ruling": "Yes.", "sentences": ["so it is"], "summary": "in short",
                   "reasoning": ["first", ["one", "two"], {"sentences": {"text": "x"}}],
                   "conditions": [{"text": "if", "findings": "F1 and F2"}]},
        "removed": null, "gaps": "one", "looks": {"tool": "search", "words": "w"}}"""
    read = parse_answer(told, build_form(DraftReport, ["search"]))
    assert [(each.number, each.sentences) for each in read.findings] == [(1, [3, 14])]
    assert (read.answer.ruling, read.answer.summary[0].text) == ("yes", "in short")
    paragraphs = [[each.text for each in one.sentences] for one in read.answer.reasoning]
    assert paragraphs == [["first"], ["one", "two"], ["x"]]
    assert [each.text for each in read.answer.sentences] == ["so it is"]
    assert read.answer.conditions[0].findings == [1, 2]
    assert (read.removed, read.gaps, read.looks[0].tool) == ([], ["one"], "search")


def test_an_estimate_sends_nothing(
    library: Library, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    model = FakeModel(script())
    with Port.for_model(model, price=lambda sent, got: (sent + got) / 1e6) as port:
        context, started = prepare_answer(
            library,
            ResearchQuestion(QUESTION, contracts=["lease"]),
            encoder=encoder,
            concepts=concepts,
        )
        told = estimate_cost(context, port, started, InquirySettings(turns=3))
    assert not model.requests
    assert told.calls == 5
    assert told.tokens_in > 1_000
    assert told.cost


@pytest.mark.parametrize(
    ("expression", "statement", "standing"),
    [
        ("GBP 48,000 / 12", "The Rent is GBP 4,000 a month.", Verification.UNCHECKED),
        ("GBP 48,000 / 12", "The Rent is GBP 5,000 a month.", Verification.UNVERIFIED),
        ("the rent by twelve", "The Rent is GBP 4,000 a month.", Verification.UNVERIFIED),
        ("", "The Rent is GBP 4,000 a month.", Verification.UNVERIFIED),
    ],
)
def test_what_a_statement_calculates_is_reckoned_by_the_program(
    run: Callable[..., Run], expression: str, statement: str, standing: Verification
) -> None:
    told = one_finding(statement, "GBP 48,000", computed=expression)
    answer = run(script(draft=told)).answer
    (finding,) = answer.findings
    assert finding.standing is standing
    assert ("GBP 48,000 / 12 = GBP 4,000" in answer.reckonings) is expression.startswith("GBP")


@pytest.mark.parametrize(
    ("expression", "statement", "words"),
    [
        ("5 * £1,000,000", "The Rent is £5,000,000 a year.", "GBP 48,000"),
        ("2 * GBP 48,000", "The Rent is GBP 96,000 a year.", "GBP 48,000"),
        ("12 * GBP 48,000", "Rent means GBP 576,000 a year.", "GBP 48,000"),
        ("GBP 48,000 + GBP 10,000", "Rent means GBP 58,000 a year.", "GBP 48,000"),
        ("48,000 * 2", "Rent means USD 96,000 a year.", "GBP 48,000"),
        ("110% * GBP 48,000", "Rent means GBP 52,800 a year.", "GBP 48,000"),
        ("90 days * 2", "The Tenant may terminate by giving 180 days' notice.", NOTICE),
        ("2024-04-01 + 90 days", "This Lease expires on 30 June 2024.", "expires on"),
        ("2024-04-01 + 5 years", "This Lease begins on 1 April 2029.", "expires on"),
        (
            "2024-04-01 to 2029-03-31",
            "The Tenant may terminate by giving 1825 days' notice.",
            NOTICE,
        ),
    ],
)
def test_what_is_computed_from_nowhere_is_refused(
    run: Callable[..., Run], expression: str, statement: str, words: str
) -> None:
    told = one_finding(statement, words, computed=expression)
    answer = run(script(draft=told, mend=mend_nothing)).answer
    assert answer.findings[0].standing is Verification.UNVERIFIED
    assert not [each for each in answer.statements if each.standing is Verification.VERIFIED]


def test_a_result_counts_for_its_own_statement_alone(run: Callable[..., Run]) -> None:
    def told(request: Request) -> dict[str, Any]:
        report = draft(request, statement="The Rent is GBP 4,000 a month.", words="GBP 48,000")
        report["findings"][0]["computed"] = "GBP 48,000 / 12"
        other = {"number": 2, "statement": "The Landlord may demand GBP 4,000 as the premium.",
                 "sentences": [number_of(request, "shall insure")]}  # fmt: skip
        report["findings"].append(other)
        report["answer"]["sentences"] = [
            {"text": "Each month GBP 4,000 is due.", "findings": [1]},
            {"text": "The premium is GBP 4,000.", "findings": [2]},
        ]
        return report

    answer = run(script(draft=told, mend=mend_nothing)).answer
    unchecked, unverified = Verification.UNCHECKED, Verification.UNVERIFIED
    assert [each.standing for each in answer.findings] == [unchecked, unverified]
    assert [each.standing for each in answer.answer.sentences] == [unchecked, unverified]


@pytest.mark.parametrize("ruling", ["yes", "no", "it depends", "the contract says"])
@pytest.mark.parametrize(
    ("finding", "sentence", "carries"),
    [
        (SAID, SAID, "it"),
        (SAID, "Assignment is a matter for the Landlord.", "own"),
        ("Assignment is subject to approval.", "Assignment is subject to approval.", "own"),
        (SAID, "Consent is given in forty days.", "none"),
        (SAID, "No, assignment is a matter for the Landlord.", "no"),
    ],
)
def test_a_ruling_is_the_models_own_unless_a_verified_sentence_carries_it(
    run: Callable[..., Run], ruling: str, finding: str, sentence: str, carries: str
) -> None:
    def told(request: Request) -> dict[str, Any]:
        report = draft(request, statement=finding, ruling=ruling)
        report["answer"]["sentences"] = [{"text": sentence, "findings": [1]}]
        return report

    answer = run(script(draft=told, mend=mend_nothing)).answer
    direct, shown = answer.answer, report_text(answer).replace("*", "")
    is_denied = ruling == "yes" and carries in ("it", "no")  # the sentence denies what is asked
    is_carried = carries == "it" and ruling not in ("yes", "no")  # to the reader, it depends
    is_own = carries != "none" and not is_denied and not is_carried
    assert direct.ruling.value == (ruling if is_carried else "cannot tell")
    assert direct.unchecked == (ruling if is_own else None)
    assert bool(direct.confidence) is is_carried
    assert all(each.answer == direct for each in answer.drafts[-1:])
    first = f"{ruling.capitalize()} (the model's ruling, unchecked): no verified sentence"
    assert (f"{first} of the answer carries a ruling." in shown) is is_own
    assert ("Confidence" in shown) is is_carried
    withheld = "Cannot tell: no verified sentence of the answer carries a ruling."
    assert (withheld in shown) is not (is_carried or is_own)


def test_a_sentence_that_begins_with_the_opposite_carries_no_ruling(
    run: Callable[..., Run],
) -> None:
    told = one_finding(f"No, {SAID}")
    answer = run(script(draft=lambda request: {**told(request), "answer": {  # type: ignore[dict-item]
        "ruling": "yes", "sentences": [{"text": f"No, {SAID}", "findings": [1]}]}})
    ).answer  # fmt: skip
    assert answer.answer.sentences[0].standing is Verification.UNCHECKED
    assert answer.answer.ruling is Verdict.UNSURE
    assert answer.answer.unchecked is None


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("No, the lease gives no option to buy the freehold.", Verification.SEARCHED),
        ("The lease gives an option to buy the freehold.", Verification.UNCHECKED),
        ("Yes.", Verification.UNCHECKED),
    ],
)
def test_an_absence_carries_what_says_it(
    run: Callable[..., Run], text: str, standing: Verification
) -> None:
    def told(request: Request) -> dict[str, Any]:
        lacking = "The lease gives no option to buy the freehold."
        report = draft(request, statement=lacking, words="no such words", ruling="no")
        report["findings"][0] |= {"sentences": [], "absent": "option to purchase the freehold"}
        report["answer"]["sentences"] = [{"text": text, "findings": [1]}]
        return report

    answer = run(script(draft=told)).answer
    assert answer.answer.sentences[0].standing is standing
    assert (answer.answer.ruling is Verdict.NO) is (standing is Verification.SEARCHED)


def test_summary_and_reasoning_are_checked_as_the_answer_is(run: Callable[..., Run]) -> None:
    def told(request: Request) -> dict[str, Any]:
        report = draft(request)
        wrong = {"text": "Consent takes 45 days.", "findings": [1]}
        report["answer"] |= {
            "summary": [{"text": SAID, "findings": [1]}, wrong],
            "reasoning": [{"sentences": [{"text": SAID, "findings": [1]}, wrong]}],
        }
        return {**report, "directions": ["The Tenant's group, in the register of companies."]}

    done = run(script(draft=told, mend=mend_nothing), InquirySettings(turns=1))
    answer, failed = done.answer, Verification.UNVERIFIED
    assert [each.text for each in answer.summary] == ["Consent takes 45 days."]
    assert [each.standing for each in answer.reasoning[0]] == [Verification.VERIFIED, failed]
    last = done.model.requests[-1].messages[-1].text
    returned = last.split("what failed a check", 1)[1]
    assert returned.count("Consent takes 45 days.") == 1
    shown = report_text(answer)
    assert f"{SAID} [1] **Not verified:** Consent takes 45 days. [1] (45 days is not" in shown
    assert "Directions for further research (the model's, unchecked)" in shown
    assert "By the model's account, unchecked: What is a company of its group?" in shown


def test_a_search_for_something_else_is_no_check(run: Callable[..., Run]) -> None:
    told = one_finding("The lease has no clause on insurance.", "no such words", sentences=[],
                       absent="submarine torpedo")  # fmt: skip
    (finding,) = run(script(draft=told, mend=mend_nothing)).answer.findings
    assert finding.standing is Verification.UNCHECKED


@pytest.mark.parametrize("title", ["The Tenant may assign", "Assign the lease, no consent needed"])
def test_a_title_that_states_something_is_not_shown(run: Callable[..., Run], title: str) -> None:
    told = script(draft=lambda request: {**draft(request), "title": title})
    assert run(told).answer.title != title
    assert run(script()).answer.title == "Assignment of the lease"
