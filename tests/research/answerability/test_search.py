"""Which of two searches counts: for a question as it is put, or with the law's words as well."""

from __future__ import annotations

import pytest

from fourcorners.library.store import Library
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.answerability import search as looking
from fourcorners.research.answerability import similarity as near
from fourcorners.research.answerability.search import AnswerSearch, search_answer
from fourcorners.research.answerability.sufficiency import Judgement
from fourcorners.research.context import build_context
from fourcorners.search.scope import Scope

ASKED = "When does the Lease run out?"
KNOWN = tuple(default_concepts()[:1])
NEAR = near.default_weights().least


def looked(
    name: str, chance: float, *, is_near: bool = False, is_known: bool = False
) -> AnswerSearch:
    return AnswerSearch(
        question=name,
        snippets=(),
        judgements=(("lease", Judgement(chance, 0.5)),),
        concepts=KNOWN if is_known else (),
        read=1,
        similarity=NEAR if is_near else 0.0,
    )


def scoped(put: tuple[object, ...]) -> Scope:
    (scope,) = (each for each in put if isinstance(each, Scope))
    return scope


@pytest.mark.parametrize(
    ("plain", "told", "chosen"),
    [
        (looked("plain", 0.6), looked("told", 0.7), "told"),
        (looked("plain", 0.6), looked("told", 0.4), "plain"),
        (looked("plain", 0.1), looked("told", 0.7), "told"),
        (looked("plain", 0.1, is_near=True), looked("told", 0.1), "plain"),
        (looked("plain", 0.1), looked("told", 0.1, is_near=True), "told"),
        # The law's words ask for a known kind: its own rule tells more, unless it is close, too.
        (looked("plain", 0.1, is_near=True), looked("told", 0.1, is_known=True), "told"),
        (looked("plain", 0.1, is_near=True), looked("told", 0.4, is_known=True), "plain"),
    ],
)
def test_a_question_in_everyday_words_is_answered_by_the_better_of_two_searches(
    library: Library,
    monkeypatch: pytest.MonkeyPatch,
    plain: AnswerSearch,
    told: AnswerSearch,
    chosen: str,
) -> None:
    def found(*put: object) -> AnswerSearch:
        return told if scoped(put).question.endswith("(expire)") else plain

    monkeypatch.setattr(looking, "_look", found)
    assert search_answer(build_context(library, ["lease"]), ASKED).question == chosen


def test_a_question_in_the_laws_words_is_put_once(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def found(*put: object) -> AnswerSearch:
        asked.append(scoped(put).question)
        return looked("plain", 0.1)

    monkeypatch.setattr(looking, "_look", found)
    search_answer(build_context(library, ["lease"]), "When does the Lease expire?")
    assert len(asked) == 1
