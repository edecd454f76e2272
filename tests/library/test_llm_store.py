from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fourcorners.library.llm_store import LibraryCache, LibraryLedger
from fourcorners.library.store import Library
from fourcorners.llm import Budget, FakeModel, Port, Role, fixed_price


def test_answers_are_kept_for_the_next_run(library: Library) -> None:
    with Port.for_model(FakeModel(["OK"]), cache=LibraryCache(library)) as port:
        assert port.ask("check", {}).value == "OK"
    with Port.for_model(FakeModel([]), cache=LibraryCache(library)) as port:
        reply = port.ask("check", {})
        assert (reply.value, reply.cached) == ("OK", True)
        cache = LibraryCache(library)
        cache.put(reply.key, "{}")
        assert cache.get(reply.key) == "{}"
        assert cache.get("other") is None
        assert (cache.clear(), cache.clear()) == (1, 0)


def test_answers_go_with_the_documents_whose_words_they_may_hold(
    library: Library, make: Callable[..., Any]
) -> None:
    parts = make()
    parts.add(library, "Larch")
    cache = LibraryCache(library)
    cache.put("key", "words of a contract")
    library.remove(parts.document.id)
    assert cache.get("key") is None


def test_a_job_that_goes_on_knows_what_it_has_spent(library: Library) -> None:
    price = fixed_price(1_000, 1_000)
    for run in range(2):
        ledger = LibraryLedger(library)
        with Port.for_model(
            FakeModel(lambda _: "OK"), ledger=ledger, job="j", price=price, budget=Budget(cost=100)
        ) as port:
            port.ask("check", {}, sample=run)
            assert port.spending.calls == run + 1
            calls = ledger.calls("j")
            assert ledger.job_spending("j") == port.spending
            assert port.spending.cost == sum(call.cost or 0 for call in calls) > 0
    assert [call.role for call in calls] == [Role.JUDGE, Role.JUDGE]
    assert str(calls[0].prompt) == "check@1"
    assert ledger.calls("other") == []
    assert ledger.calls() == calls


def test_what_the_port_writes_down_comes_back_as_it_was(library: Library) -> None:
    kept: list[object] = []

    class Both(LibraryLedger):
        def add(self, call: Any) -> None:
            kept.append(call)
            super().add(call)

    ledger = Both(library)
    with Port.for_model(
        FakeModel(lambda _: "OK"), ledger=ledger, cache=LibraryCache(library)
    ) as port:
        port.ask("check", {}, tag="cell 1")
        port.ask("check", {}, tag="cell 2")
    assert ledger.calls() == kept
    assert [call.outcome for call in ledger.calls()] == ["answered", "cached"]
