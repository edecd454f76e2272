from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel

from fourcorners.errors import (
    BudgetExceeded,
    ConfigError,
    LlmError,
    LlmNotConfigured,
    LlmRefused,
    LlmTimedOut,
    LlmUnparsable,
    LlmUnreachable,
)
from fourcorners.llm import (
    AttemptError,
    Budget,
    FakeModel,
    Finish,
    MemoryCache,
    MemoryLedger,
    Options,
    Port,
    PromptRequest,
    QuotedText,
    Request,
    Response,
    Role,
    Speaker,
    Value,
    fixed_price,
    total_spending,
)
from fourcorners.llm.exchange import OnPiece
from fourcorners.llm.offline import Answer


class Found(BaseModel):
    quote: str
    sure: Literal["yes", "no"]


RIGHT = Found(quote="The Supplier may assign.", sure="yes")
VALUES: dict[str, Value] = {
    "question": "May they assign?",
    "clauses": [QuotedText("The Supplier may assign.")],
}
BUSY = AttemptError(LlmUnreachable("fake: busy.", remedy="Wait."), may_pass=True)

Make = Callable[..., Port]


@pytest.fixture
def make(prompts: Path) -> Make:
    """Return what makes a port to a fake model, which does not wait between attempts."""

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    def made(answers: object, **given: object) -> Port:
        model = answers if isinstance(answers, FakeModel) else FakeModel(answers)  # type: ignore[arg-type]
        return Port.for_model(model, **{"prompts": prompts, "sleep": at_once, **given})  # type: ignore[arg-type]

    return made


def test_an_answer_is_a_value_with_what_it_cost(make: Make) -> None:
    model = FakeModel([RIGHT])
    with make(model, price=fixed_price(10, 100), job="larch", ledger=MemoryLedger()) as port:
        reply = port.ask("find", VALUES, Found)
    assert reply.value == RIGHT
    (request,) = model.requests
    assert request.prompt == reply.prompt
    assert str(reply.prompt) == "find@3"
    assert request.shape is not None
    assert request.shape.name == "Found"
    assert reply.key == request.key
    assert reply.cost == pytest.approx((reply.tokens_in * 10 + reply.tokens_out * 100) / 1e6)
    assert (reply.complete, reply.cached, reply.repaired) == (True, False, False)
    (call,) = port.ledger.calls  # type: ignore[attr-defined]
    assert (call.job, call.role, call.outcome) == ("larch", Role.EXTRACT, "answered")
    assert port.spending == port.ledger.job_spending("larch") == total_spending([call])
    assert "assign" not in repr(reply) + repr(request) + repr(call)


def test_a_wrong_answer_is_sent_back_once_with_what_was_wrong(make: Make) -> None:
    model = FakeModel(['{"quote": 5, "sure": "perhaps"}', RIGHT])
    with make(model) as port:
        reply = port.ask("find", VALUES, Found)
    assert reply.value == RIGHT
    assert reply.repaired
    assert [call.outcome for call in reply.calls] == ["unparsable", "answered"]
    first, second = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    answer, told = second.messages[-2:]
    assert (answer.speaker, told.speaker) == (Speaker.ASSISTANT, Speaker.USER)
    assert answer.text == '{"quote": 5, "sure": "perhaps"}'
    assert "quote" in told.text
    assert "'yes' or 'no'" in told.text
    assert reply.tokens_in == sum(call.tokens_in for call in reply.calls)


@pytest.mark.parametrize(
    "garbage", ["no", '{"quote": "The Supplier', "{" * 9_000, '{"quote": "x", "sure": "maybe"}']
)
def test_an_answer_that_stays_wrong_is_an_error(make: Make, garbage: str) -> None:
    with make([garbage, garbage]) as port, pytest.raises(LlmUnparsable) as caught:
        port.ask("find", VALUES, Found)
    assert "twice" in caught.value.message
    assert caught.value.remedy
    assert "Supplier" not in str(caught.value)
    assert [call.outcome for call in port.ledger.calls] == ["unparsable"] * 2  # type: ignore[attr-defined]


def test_an_answer_that_was_cut_is_not_sent_back(make: Make) -> None:
    cut = Response('{"quote": "The', tokens_in=9, tokens_out=5, finish=Finish.LENGTH)
    model = FakeModel([cut, cut])
    with make(model, options=Options(max_tokens=5)) as port:
        with pytest.raises(LlmUnparsable, match="no end of its answer within 5 tokens"):
            port.ask("find", VALUES, Found)
        assert port.ask("find", VALUES).complete is False
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (LlmRefused("fake: no.", remedy="Ask otherwise."), LlmRefused),
        (Response("I cannot", finish=Finish.REFUSED), LlmRefused),
        ("", LlmUnparsable),
        (" \n ", LlmUnparsable),
    ],
)
def test_what_will_not_pass_is_asked_once(
    make: Make, answer: Answer, error: type[LlmError]
) -> None:
    model = FakeModel([answer, RIGHT])
    with make(model) as port, pytest.raises(error):
        port.ask("find", VALUES)
    assert len(model.requests) == 1
    (call,) = port.ledger.calls  # type: ignore[attr-defined]
    assert call.outcome == error.kind


def test_what_may_pass_is_asked_again_after_ever_longer(prompts: Path) -> None:
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(0)

    model = FakeModel([BUSY, BUSY, AttemptError(BUSY.error, may_pass=True, wait=0.01), RIGHT])
    with Port.for_model(model, prompts=prompts, sleep=note) as port:
        assert port.ask("find", VALUES, Found).value == RIGHT
    assert 0.7 < waits[0] < 1.3 < waits[1] < 2.6
    assert waits[2] == 0.01
    assert port.spending.calls == 4


def test_attempts_end_and_are_counted(make: Make) -> None:
    with make([BUSY] * 9, attempts=3) as port:
        with pytest.raises(LlmUnreachable, match="busy, 3 times") as caught:
            port.ask("find", VALUES)
        assert caught.value.remedy == "Wait."
        assert port.spending.calls == 3
        assert port.spending.tokens == 0


def test_a_server_that_asks_for_an_hour_is_not_waited_for(make: Make) -> None:
    later = AttemptError(BUSY.error, may_pass=True, wait=3_600)
    with make([later, RIGHT]) as port, pytest.raises(LlmUnreachable):
        port.ask("find", VALUES)
    assert port.spending.calls == 1


class Slow(FakeModel):
    """A model that takes its time, in which it notes how many ask at once."""

    def __init__(self, seconds: float, answer: Answer = RIGHT) -> None:
        super().__init__(lambda _: answer)
        self.seconds = seconds
        self.now = self.most = self.ended = 0

    async def send(self, request: Request, on_piece: OnPiece | None = None) -> Response:
        while on_piece is not None:
            on_piece("word ")
            await asyncio.sleep(self.seconds)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self.seconds)
            self.ended += 1
            return await super().send(request)
        finally:
            self.now -= 1


def test_what_takes_too_long_is_ended_and_charged_by_estimate(make: Make) -> None:
    began = time.monotonic()
    with make(Slow(30), timeout=0.05, attempts=2, price=fixed_price(1, 1)) as port:
        with pytest.raises(LlmTimedOut, match=r"0\.05 seconds, 2 times"):
            port.ask("find", VALUES)
        calls = port.ledger.calls  # type: ignore[attr-defined]
        assert [(call.outcome, call.measured) for call in calls] == [("timed out", False)] * 2
        assert all(call.tokens_in > 50 and call.cost for call in calls)
    assert time.monotonic() - began < 20


def test_the_same_request_is_answered_once(make: Make) -> None:
    model, cache, ledger = FakeModel([RIGHT, "again"]), MemoryCache(), MemoryLedger()
    with make(model, cache=cache, ledger=ledger, price=fixed_price(1, 1)) as port:
        first = port.ask("find", VALUES, Found)
        assert port.estimate("find", VALUES, Found).cached
        second = port.ask("find", VALUES, Found)
        assert (second.value, second.cached, second.cost) == (first.value, True, 0.0)
        assert (second.tokens_in, second.tokens_out, second.seconds) == (0, 0, 0.0)
        assert not port.estimate("find", VALUES).cached
        assert port.ask("find", VALUES).value == "again"
    assert len(model.requests) == 2
    spent = ledger.job_spending("")
    assert (spent.calls, spent.cached) == (2, 1)
    with make([], cache=cache) as other:
        assert list(other.stream("find", VALUES)) == ["again"]


@pytest.mark.parametrize(
    "change",
    [
        {"options": Options(temperature=0.5)},
        {"options": Options(max_tokens=99)},
        {"options": Options(seed=1)},
        {"name": "fake:other"},
    ],
)
def test_another_request_is_another_answer(make: Make, change: dict[str, object]) -> None:
    cache = MemoryCache()
    with make(["one"], cache=cache) as port:
        port.ask("find", VALUES)
    with make(["two"], cache=cache, **change) as port:
        assert port.ask("find", VALUES).value == "two"


def test_the_ledger_has_the_callers_own_name_for_a_question(make: Make) -> None:
    ledger = MemoryLedger()
    with make(lambda _: "x", ledger=ledger, cache=MemoryCache()) as port:
        port.ask("find", VALUES, tag="archivist/1")
        list(port.ask_many([PromptRequest("find", VALUES, str, sample=1, tag="researcher/2")]))
        list(port.stream("find", VALUES, tag="archivist/1"))
    calls = [(call.tag, call.outcome) for call in ledger.calls]
    assert sorted(calls) == [
        ("archivist/1", "answered"),
        ("archivist/1", "cached"),
        ("researcher/2", "answered"),
    ]


def test_samples_are_kept_apart_and_roles_are_not(make: Make) -> None:
    with make(["one", "two"], cache=MemoryCache()) as port:
        assert port.ask("find", VALUES, sample=0).value == "one"
        assert port.ask("find", VALUES, sample=1).value == "two"
        assert port.ask("find", VALUES, sample=1, role=Role.JUDGE).value == "two"


def test_what_failed_or_was_cut_is_not_kept(make: Make) -> None:
    cache = MemoryCache()
    cut = Response("half", finish=Finish.LENGTH)
    with make([cut, "garbage", "garbage", "whole"], cache=cache) as port:
        assert port.ask("find", VALUES).text == "half"
        with pytest.raises(LlmUnparsable):
            port.ask("find", VALUES, Found)
        assert len(cache) == 0
        assert port.ask("find", VALUES).text == "whole"
        assert len(cache) == 1


def test_a_damaged_cache_is_asked_anew(make: Make) -> None:
    class Damaged(MemoryCache):
        def get(self, key: str) -> str | None:
            return super().get(key) and "{nonsense"

    with make(["one", "two"], cache=Damaged()) as port:
        assert [port.ask("find", VALUES).value for _ in range(2)] == ["one", "two"]


def test_a_budget_of_tokens_stops_before_the_call(make: Make) -> None:
    model = FakeModel(lambda _: "x" * 40)
    with make(model, options=Options(max_tokens=10), budget=Budget(tokens=700)) as port:
        one = port.estimate("find", VALUES).most_tokens
        assert 150 < one < 300
        for sample in range(700 // one):
            port.ask("find", VALUES, sample=sample)
        with pytest.raises(BudgetExceeded, match="of 700") as caught:
            port.ask("find", VALUES, sample=9)
        assert "budget_tokens" in caught.value.remedy
    assert len(model.requests) == 700 // one
    assert port.spending.tokens <= 700


def test_a_budget_in_money_counts_what_the_job_spent_before(make: Make) -> None:
    ledger = MemoryLedger()
    answer = Response("x", tokens_in=1_000_000, tokens_out=0)
    given = {"price": fixed_price(2, 0), "ledger": ledger, "budget": Budget(cost=3.0)}
    with make(lambda _: answer, job="a", **given) as port:
        port.ask("find", VALUES)
        assert port.spending.cost == 2.0
    with make(lambda _: answer, job="a", **given) as port:
        assert port.spending.cost == 2.0
        port.ask("find", VALUES, sample=1)
        with pytest.raises(BudgetExceeded):
            port.ask("find", VALUES, sample=2)
        other = port.for_job("b")
        other.ask("find", VALUES)
        assert (other.spending.cost, ledger.job_spending("b").cost) == (2.0, 2.0)
        assert port.for_job("c", Budget(cost=0.0)).budget.cost == 0.0


def test_a_budget_in_money_needs_a_price(make: Make) -> None:
    with (
        make([RIGHT], budget=Budget(cost=1)) as port,
        pytest.raises(ConfigError, match="price of fake:model is not known"),
    ):
        port.ask("find", VALUES)


def test_many_at_once_never_pass_the_budget(make: Make) -> None:
    model = Slow(0.01, "x" * 40)
    with make(
        model, options=Options(max_tokens=10), budget=Budget(tokens=1_000), concurrency=4
    ) as port:
        asks = [PromptRequest("find", VALUES, str, sample=n) for n in range(20)]
        outcomes = list(port.ask_many(asks))
        spent = port.spending.tokens
    errors = [outcome.error for outcome in outcomes if outcome.error]
    assert all(isinstance(error, BudgetExceeded) for error in errors)
    assert len(outcomes) == 20
    assert 700 < spent <= 1_000
    assert len(model.requests) == 20 - len(errors)


def test_many_come_as_they_end_and_an_error_stops_no_other(make: Make) -> None:
    def answer(request: Request) -> Answer:
        return LlmRefused("fake: no.") if "three" in request.messages[-1].text else "yes"

    words = ["one", "two", "three", "four", "five"]
    asks = [PromptRequest("again", {"question": word}, str, tag=word) for word in words]
    broken: PromptRequest[str] = PromptRequest("again", {}, str, tag="broken")
    with make(answer, cache=MemoryCache()) as port:
        outcomes = {o.ask.tag: o for o in port.ask_many([*asks, broken, asks[0]])}
        assert isinstance(outcomes["three"].error, LlmRefused)
        assert isinstance(outcomes["broken"].error, ConfigError)
        good = [outcomes[word].reply for word in ("one", "two", "four", "five")]
        assert all(reply is not None and reply.value == "yes" for reply in good)
        assert len(port.ledger.calls) >= 5  # type: ignore[attr-defined]


def test_many_go_at_once_and_no_more_than_allowed(make: Make) -> None:
    model = Slow(0.1)
    asks = [PromptRequest("find", VALUES, Found, sample=n) for n in range(12)]
    with make(model, concurrency=3) as port:
        assert sum(outcome.reply is not None for outcome in port.ask_many(asks)) == 12
    assert model.most == 3


def test_questions_are_taken_as_they_are_needed(make: Make) -> None:
    taken: list[int] = []

    def asks() -> Iterator[PromptRequest[str]]:
        for number in range(1_000):
            taken.append(number)
            yield PromptRequest("again", {"question": str(number)}, str)

    with make(Slow(0.001, "x"), concurrency=2) as port:
        outcomes = port.ask_many(asks())
        for _ in range(3):
            next(outcomes)
        outcomes.close()  # type: ignore[attr-defined]
        assert len(taken) < 12
        assert len(port.ledger.calls) <= len(taken)  # type: ignore[attr-defined]


class Hesitant(FakeModel):
    """A model that is busy when asked first, and slow when asked again; not for other samples."""

    def __init__(self) -> None:
        super().__init__(lambda request: "yes" if request.sample else BUSY)
        self.is_slow = False

    async def send(self, request: Request, on_piece: OnPiece | None = None) -> Response:
        if not request.sample and any(not each.sample for each in self.requests):
            self.is_slow = True
            await asyncio.sleep(30)
        return await super().send(request, on_piece)

    def wait(self) -> None:
        while not self.is_slow:
            time.sleep(0.01)


def test_attempts_of_questions_that_are_given_up_are_written_down(make: Make) -> None:
    model = Hesitant()
    asks = [PromptRequest("find", VALUES, str, sample=n) for n in range(2)]
    with make(model, concurrency=2) as port:
        outcomes = port.ask_many(asks)
        assert next(outcomes).reply
        model.wait()
        outcomes.close()  # type: ignore[attr-defined]
        calls = [call.outcome for call in port.ledger.calls]  # type: ignore[attr-defined]
        assert calls == ["answered", "unreachable"]
        assert port.spending.calls == 2


def test_attempts_of_a_stream_that_is_closed_are_written_down(make: Make) -> None:
    model = Hesitant()
    with make(model) as port, port.stream("find", VALUES) as stream:
        model.wait()
        stream.close()
        calls = [call.outcome for call in port.ledger.calls]  # type: ignore[attr-defined]
        assert calls == ["unreachable"]


def test_it_may_be_asked_in_several_threads(make: Make) -> None:
    model = Slow(0.01)
    with make(model, concurrency=2) as port:
        threads = [
            threading.Thread(target=port.ask, args=("find", VALUES, Found), kwargs={"sample": n})
            for n in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (model.ended, model.most) == (6, 2)
    assert port.spending.calls == 6


def test_cache_and_ledger_are_used_in_the_thread_that_asks(make: Make) -> None:
    seen: set[int] = set()

    class Noting(MemoryCache):
        def put(self, key: str, value: str) -> None:
            seen.add(threading.get_ident())
            super().put(key, value)

    with make(lambda _: "x", cache=Noting()) as port:
        port.ask("again", {"question": "1"})
        list(port.ask_many([PromptRequest("again", {"question": "2"}, str)]))
        list(port.stream("again", {"question": "3"}))
    assert seen == {threading.get_ident()}


def test_a_stream_tells_words_and_then_the_whole(make: Make) -> None:
    with make(["one two\nthree"]) as port, port.stream("find", VALUES) as stream:
        pieces = list(stream)
        assert len(pieces) == 3
        assert "".join(pieces) == stream.reply.value == "one two\nthree"
        assert stream.reply.complete
        assert list(stream) == []


def test_a_stream_without_end_is_cut(make: Make) -> None:
    with make(Slow(0), options=Options(max_tokens=10)) as port:
        stream = port.stream("find", VALUES)
        told = "".join(stream)
        assert len(told) == 160
        assert stream.reply.text == told
        assert not stream.reply.complete
        assert not stream.reply.calls[0].measured


def test_a_stream_without_end_is_ended_in_time_too(make: Make) -> None:
    with make(Slow(0.01), timeout=0.1, attempts=3) as port:
        stream = port.stream("find", VALUES)
        with pytest.raises(LlmTimedOut):
            list(stream)
    assert port.spending.calls == 1  # what was told cannot be told again


def test_a_stream_that_nobody_reads_is_ended(make: Make) -> None:
    with make(Slow(0.01)) as port:
        stream = port.stream("find", VALUES)
        next(iter(stream))
        stream.close()
        with pytest.raises(RuntimeError, match="closed"):
            _ = stream.reply


def test_a_stream_begins_again_where_nothing_was_told(make: Make) -> None:
    with make([BUSY, "words"]) as port:
        assert list(port.stream("find", VALUES)) == ["words"]


def test_a_question_can_follow_an_answer(make: Make) -> None:
    model = FakeModel(["none", RIGHT, "third"])
    with make(model) as port:
        first = port.ask("find", VALUES)
        second = port.ask("again", {"question": "Look again."}, Found, after=first)
        port.ask("again", {"question": "And?"}, after=second)
        with pytest.raises(ConfigError, match="has a system part"):
            port.ask("find", VALUES, after=first)
    told = model.requests[1].messages
    assert [each.speaker.value for each in told] == ["system", "user", "assistant", "user"]
    assert told[:2] == model.requests[0].messages
    assert [each.text for each in told[2:]] == ["none", "Look again."]
    assert len(model.requests[2].messages) == 6
    assert model.requests[1].role is Role.FOLLOW_UP


def test_the_rule_on_fences_stands_at_the_head_however_late_they_come(make: Make) -> None:
    model = FakeModel(lambda _: "x")
    with make(model) as port:
        first = port.ask("again", {"question": "Hello."})
        port.ask("mixed", {"parts": [{"title": "A", "words": QuotedText("B")}]}, after=first)
    told = model.requests[1].messages
    assert [each.speaker.value for each in told] == ["system", "user", "assistant", "user"]
    assert "is data taken from documents" in told[0].text


def test_an_estimate_learns_what_a_token_is(make: Make) -> None:
    answer = Response("x", tokens_in=1_000, tokens_out=1)
    with make([answer], price=fixed_price(1, 3), options=Options(max_tokens=100)) as port:
        before = port.estimate("find", VALUES)
        assert 150 < before.tokens_in < 260
        assert before.tokens_out == 50
        assert before.cost == pytest.approx((before.tokens_in + 150) / 1e6)
        assert before.most_tokens == before.tokens_in + 100
        port.ask("find", VALUES)
        after = port.estimate("find", VALUES)
        assert after.tokens_in == pytest.approx(1_000, rel=0.05)
    assert port.spending.calls == 1


def test_a_role_without_a_model_is_said() -> None:
    with Port({}) as port:
        assert not port.has(Role.JUDGE)
        with pytest.raises(LlmNotConfigured, match="to follow up") as caught:
            port.ask("check", {}, role=Role.FOLLOW_UP)
        assert "FOURCORNERS_LLM_MODEL" in caught.value.remedy
        assert list(port.ask_many([])) == []


def test_a_closed_port_is_closed(make: Make) -> None:
    port = make([RIGHT])
    port.close()
    with pytest.raises(RuntimeError, match="closed"):
        port.ask("find", VALUES)
    used = make(Slow(30), concurrency=1)
    stream = used.stream("find", VALUES)
    assert next(iter(stream))
    used.close()
    assert not any(each.name == "fourcorners-llm" for each in threading.enumerate())


def test_a_mistake_of_the_program_is_not_hidden(make: Make) -> None:
    def broken(_: Request) -> Answer:
        raise ZeroDivisionError

    with make(broken) as port, pytest.raises(ZeroDivisionError):
        port.ask("find", VALUES)


def test_the_key_is_the_same_on_every_machine(make: Make) -> None:
    model = FakeModel(lambda _: "x")
    with make(model) as port:
        port.ask("again", {"question": "Hello."})
    (request,) = model.requests
    changed = {"role": Role.WRITE}
    assert Request(**{**_fields(request), **changed}).key == request.key  # type: ignore[arg-type]
    keys = {
        Request(**{**_fields(request), **change}).key  # type: ignore[arg-type]
        for change in (
            {},
            {"model": "other:model"},
            {"sample": 1},
            {"options": Options(max_tokens=1)},
            {"messages": request.messages[:0]},
        )
    }
    assert len(keys) == 5
    assert all(len(key) == 64 for key in keys)
    assert all(first != second for first, second in pairwise(sorted(keys)))


def _fields(request: Request) -> dict[str, object]:
    names = ("role", "model", "options", "messages", "prompt", "shape", "sample")
    return {name: getattr(request, name) for name in names}
