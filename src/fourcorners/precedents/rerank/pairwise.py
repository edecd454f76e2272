"""Pairwise: a language model compares clauses two at a time, and a merge sort asks which.

Models prefer what stands first, or last (Qin et al., 2024). So each pair is asked in both orders,
and where the answers differ, or one is missing, the two stay in the order that they had. A merge
sort needs few comparisons (20 clauses at most 73), ends whatever is answered, and all merges of a
round ask at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from pydantic import BaseModel

from fourcorners.llm import Port, PromptRequest, QuotedText, Value
from fourcorners.precedents.verdict import ModelVerdict, parse_outcome, reorder

PROMPT = "prefer"
Pair: TypeAlias = tuple[int, int]
Compare: TypeAlias = "Callable[[Sequence[Pair]], Sequence[bool]]"
"""Tells for each pair whether its second comes before its first."""


class PreferenceAnswer(BaseModel):
    """The better of two clauses, and why."""

    reason: str
    better: Literal["A", "B"]


def rank_pairwise(
    wanted: Mapping[str, Value], texts: Sequence[str], port: Port
) -> tuple[list[int], list[ModelVerdict]]:
    """Return the order of clauses by the model's comparisons, and how each fared in them.

    One of which no question was answered stays at its place.

    Args:
        wanted: What the prompt says of the clause that is looked for.
        texts: The clauses, in the order that stands without the model.
        port: What asks.

    Raises:
        ConfigError: If the model is not configured, or prompts or settings are wrong.
    """
    verdicts = [ModelVerdict()] * len(texts)

    def compare(pairs: Sequence[Pair]) -> list[bool]:
        asks = [_ask(wanted, texts, *each) for pair in pairs for each in (pair, pair[::-1])]
        told: list[PreferenceAnswer | str] = [""] * len(asks)
        for outcome in port.ask_many(asks):
            told[outcome.index] = parse_outcome(outcome)
        turned = []
        for at, (one, two) in enumerate(pairs):
            answers = told[2 * at : 2 * at + 2]
            said = [each.better for each in answers if isinstance(each, PreferenceAnswer)]
            failures = [each for each in answers if isinstance(each, str)]
            turned.append(said == ["B", "A"])
            verdicts[one] = _counted(verdicts[one], said, ["A", "B"], failures)
            verdicts[two] = _counted(verdicts[two], said, ["B", "A"], failures)
        return turned

    order = merge_sorted(len(texts), compare)
    silent = [at for at, each in enumerate(verdicts) if each.is_empty]
    return reorder(order, silent), verdicts


def _ask(
    wanted: Mapping[str, Value], texts: Sequence[str], one: int, two: int
) -> PromptRequest[PreferenceAnswer]:
    values = {
        **wanted,
        "first": QuotedText(texts[one], "clause A"),
        "second": QuotedText(texts[two], "clause B"),
    }
    return PromptRequest(PROMPT, values, PreferenceAnswer, tag=f"clauses {one + 1} and {two + 1}")


def _counted(
    before: ModelVerdict, said: Sequence[str], won: Sequence[str], failures: Sequence[str]
) -> ModelVerdict:
    decided = len(said) == 2 and said[0] != said[1]
    return replace(
        before,
        better=before.better + (decided and said == won),
        worse=before.worse + (decided and said != won),
        undecided=before.undecided + (len(said) == 2 and not decided),
        asked=before.asked + len(said) + len(failures),
        failed=before.failed + len(failures),
        failure=before.failure or next(iter(failures), ""),
    )


def merge_sorted(count: int, compare: Compare) -> list[int]:
    """Return the numbers below `count` in the order that comparisons come to, stably."""
    runs = [[at] for at in range(count)]
    while len(runs) > 1:
        odd = runs[len(runs) // 2 * 2 :]
        pairs = zip(runs[::2], runs[1::2], strict=False)
        runs = _side_by_side([_merge(*each) for each in pairs], compare) + odd
    return runs[0] if runs else []


def _merge(left: list[int], right: list[int]) -> Generator[Pair, bool, list[int]]:
    """Merge two sorted runs; yields what is to be compared, and is sent the answer."""
    found = []
    one = two = 0
    while one < len(left) and two < len(right):
        if (yield left[one], right[two]):
            found.append(right[two])
            two += 1
        else:
            found.append(left[one])
            one += 1
    return [*found, *left[one:], *right[two:]]


def _side_by_side(
    merges: Sequence[Generator[Pair, bool, list[int]]], compare: Compare
) -> list[list[int]]:
    done: dict[int, list[int]] = {}
    waiting = {at: next(merge) for at, merge in enumerate(merges)}
    while waiting:
        numbers = list(waiting)
        for at, answer in zip(numbers, compare(list(waiting.values())), strict=True):
            try:
                waiting[at] = merges[at].send(answer)
            except StopIteration as end:
                done[at] = end.value
                del waiting[at]
    return [done[at] for at in range(len(merges))]
