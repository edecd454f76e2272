"""Rerank the first clauses with a language model, or expand a query with one.

Pointwise, the model gives stars to each clause separately, on the scale of ACORD's annotators
(table A-1), reworded. Pairwise, it compares clauses two at a time, as a merge sort requires. Models
prefer the first or the last item (Qin et al., 2024): so each pair is asked in both orders, and if
the answers differ, or one is missing, the two keep their order. A merge sort needs few comparisons
(at most 73 for 20 clauses), always ends, and all merges of a round run concurrently.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from fourcorners.errors import BudgetExceeded, LlmError
from fourcorners.llm import Outcome, Port, PromptRequest, QuotedText, Role, Value
from fourcorners.precedents.profile import Rerank
from fourcorners.precedents.rank import ModelVerdict, Ranked

M = TypeVar("M", bound=BaseModel)


def _parse_outcome(outcome: Outcome[M]) -> M | str:
    """Return the answer to a question, or why there is none.

    Raises:
        ConfigError: If the settings or the prompt are wrong: nothing will be answered.
    """
    error = outcome.error
    if isinstance(error, LlmError):
        return f"the language model failed ({error.kind}): {error.message}"
    if isinstance(error, BudgetExceeded):
        return error.message
    if error is not None:
        raise error
    if outcome.reply is None:
        raise RuntimeError("a question ended with neither answer nor error")
    return outcome.reply.value


def reorder(order: Sequence[int], silent: Collection[int]) -> list[int]:
    """Return an order in which some stay at their places, the others around them in theirs."""
    rest = iter([at for at in order if at not in silent])
    return [at if at in silent else next(rest) for at in range(len(order))]


WORDINGS_PROMPT = "wordings"
WORDINGS_ROLE = Role.WRITE
MOST_TERMS, MOST_WORDINGS = 12, 3
MAX_WORDING = 300
"""Characters of one term or wording that are taken."""


class WordingsAnswer(BaseModel):
    """The words of a clause."""

    terms: list[str]
    wordings: list[str]


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a language model adds to a query.

    Attributes:
        failure: Why there is nothing; empty if the model answered.
    """

    terms: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()
    failure: str = ""

    @property
    def text(self) -> str:
        return ". ".join(filter(None, (", ".join(self.terms), *self.wordings)))


def expand_query(query: str, port: Port, *, longer: str | None = None) -> Expansion:
    """Return the words in which contracts write a clause, as the model knows them.

    Raises:
        ConfigError: If the model is not configured, or prompts or settings are wrong.
    """
    port.role_model(WORDINGS_ROLE)
    values: dict[str, Value] = {"wanted": query, "longer": longer or ""}
    (outcome,) = port.ask_many(
        [PromptRequest(WORDINGS_PROMPT, values, WordingsAnswer, tag="expansion")]
    )
    reply = _parse_outcome(outcome)
    if isinstance(reply, str):
        return Expansion(failure=reply)
    return Expansion(_lines(reply.terms, MOST_TERMS), _lines(reply.wordings, MOST_WORDINGS))


def _lines(lines: Iterable[str], most: int) -> tuple[str, ...]:
    found = dict.fromkeys(" ".join(each.split())[:MAX_WORDING].strip(" .,;") for each in lines)
    return tuple(filter(None, found))[:most]


STARS_PROMPT = "stars"


class StarsAnswer(BaseModel):
    """How good a precedent a clause is, and why."""

    reason: str
    stars: Literal[1, 2, 3, 4, 5]


def _rank_pointwise(
    wanted: Mapping[str, Value], texts: Sequence[str], port: Port
) -> tuple[list[int], list[ModelVerdict]]:
    """Return the order of clauses by the stars that the model gives, and its verdict on each.

    Equal ones stay in the order given, and one without an answer at its place.
    """
    asks = [
        PromptRequest(
            STARS_PROMPT,
            {**wanted, "clause": QuotedText(text, "clause")},
            StarsAnswer,
            tag=f"clause {at}",
        )
        for at, text in enumerate(texts, start=1)
    ]
    verdicts = [ModelVerdict()] * len(asks)
    for outcome in port.ask_many(asks):
        reply = _parse_outcome(outcome)
        verdicts[outcome.index] = (
            ModelVerdict(asked=1, failed=1, failure=reply)
            if isinstance(reply, str)
            else ModelVerdict(stars=reply.stars, reason=" ".join(reply.reason.split()), asked=1)
        )
    stars = [each.stars or 0 for each in verdicts]
    order = sorted(range(len(texts)), key=lambda at: -stars[at])
    return reorder(order, [at for at, each in enumerate(stars) if not each]), verdicts


PREFERENCE_PROMPT = "prefer"
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
    """
    verdicts = [ModelVerdict()] * len(texts)

    def compare(pairs: Sequence[Pair]) -> list[bool]:
        asks = [_ask(wanted, texts, *each) for pair in pairs for each in (pair, pair[::-1])]
        replies: list[PreferenceAnswer | str] = [""] * len(asks)
        for outcome in port.ask_many(asks):
            replies[outcome.index] = _parse_outcome(outcome)
        turned = []
        for at, (one, two) in enumerate(pairs):
            answers = replies[2 * at : 2 * at + 2]
            preferences = [each.better for each in answers if isinstance(each, PreferenceAnswer)]
            failures = [each for each in answers if isinstance(each, str)]
            turned.append(preferences == ["B", "A"])
            verdicts[one] = _count_wins(verdicts[one], preferences, ["A", "B"], failures)
            verdicts[two] = _count_wins(verdicts[two], preferences, ["B", "A"], failures)
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
    return PromptRequest(
        PREFERENCE_PROMPT, values, PreferenceAnswer, tag=f"clauses {one + 1} and {two + 1}"
    )


def _count_wins(
    before: ModelVerdict, preferences: Sequence[str], won: Sequence[str], failures: Sequence[str]
) -> ModelVerdict:
    decided = len(preferences) == 2 and preferences[0] != preferences[1]
    return replace(
        before,
        better=before.better + (decided and preferences == won),
        worse=before.worse + (decided and preferences != won),
        undecided=before.undecided + (len(preferences) == 2 and not decided),
        asked=before.asked + len(preferences) + len(failures),
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


MAX_RERANKED = 20
"""How many of the first are read by default."""
MAX_LENGTH = 12_000
"""Characters of a clause that are read: 3,000 tokens, and all of ACORD's 3,200 but one."""
ROLE = Role.JUDGE


def rerank_clauses(
    query: str,
    found: Sequence[Ranked],
    port: Port,
    how: Rerank,
    *,
    longer: str | None = None,
    first: int = MAX_RERANKED,
) -> list[Ranked]:
    """Return clauses with the first of them in the model's order, each with its verdict.

    One that the model did not answer for stays at its place, and its verdict says why.

    Raises:
        ConfigError: If the model is not configured, or prompts or settings are wrong.
    """
    texts = [each.clause.text for each in found[:first]]
    order, verdicts = rerank_texts(query, texts, port, how, longer=longer)
    read = [replace(found[at], verdict=verdicts[at]) for at in order]
    return [*read, *found[first:]]


def rerank_texts(
    query: str, texts: Sequence[str], port: Port, how: Rerank, *, longer: str | None = None
) -> tuple[list[int], list[ModelVerdict]]:
    """Return the order of clauses by the model, and its verdict on each as they were given.

    Raises:
        ConfigError: If the model is not configured, or prompts or settings are wrong.
    """
    port.role_model(ROLE)  # what is not configured is said before the work
    wanted: dict[str, Value] = {"wanted": query, "longer": longer or ""}
    cut = [text[:MAX_LENGTH] for text in texts]
    return (_rank_pointwise if how is Rerank.POINTWISE else rank_pairwise)(wanted, cut, port)
