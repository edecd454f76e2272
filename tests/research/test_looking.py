"""Which of two searches counts: for a question as it is put, or with the law's words as well."""

from __future__ import annotations

import pytest

from fourcorners.library.store import Library
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research import looking, near
from fourcorners.research.desk import lay_out
from fourcorners.research.looking import Looked, look
from fourcorners.research.sufficiency import Judgement
from fourcorners.search.scope import Scope

ASKED = "When does the Lease run out?"
KNOWN = tuple(default_concepts()[:1])
NEAR = near.fitted().least


def looked(name: str, chance: float, *, is_near: bool = False, is_known: bool = False) -> Looked:
    return Looked(
        asked=name,
        snippets=(),
        judged=(("lease", Judgement(chance, 0.5)),),
        concepts=KNOWN if is_known else (),
        read=1,
        near=NEAR if is_near else 0.0,
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
    library: Library, monkeypatch: pytest.MonkeyPatch, plain: Looked, told: Looked, chosen: str
) -> None:
    def found(*put: object) -> Looked:
        return told if scoped(put).asked.endswith("(expire)") else plain

    monkeypatch.setattr(looking, "_look", found)
    assert look(lay_out(library, ["lease"]), ASKED).asked == chosen


def test_a_question_in_the_laws_words_is_put_once(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def found(*put: object) -> Looked:
        asked.append(scoped(put).asked)
        return looked("plain", 0.1)

    monkeypatch.setattr(looking, "_look", found)
    look(lay_out(library, ["lease"]), "When does the Lease expire?")
    assert len(asked) == 1
