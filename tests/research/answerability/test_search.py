from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.research.answerability.search import concepts_in_focus, search_answer
from fourcorners.research.context import build_context
from fourcorners.search.concepts import Concept
from fourcorners.search.scope import QuestionScope
from fourcorners.search.sentences.retrieve import MAX_DOCUMENTS, SentenceRanking, retrieve_snippets
from fourcorners.settings import Settings


def test_a_question_is_searched_in_the_laws_words_and_read_as_it_was_put(
    library: Library, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[tuple[object, object]] = []

    def noted(library: Library, question: QuestionScope, **named: object) -> object:
        put.append((question, named["ranking"]))
        return retrieve_snippets(library, question, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("fourcorners.research.answerability.search.retrieve_snippets", noted)
    search_answer(build_context(library, ["lease"], encoder=encoder), "When does it run out?")
    ((scope, ranking),) = put
    assert isinstance(scope, QuestionScope)
    assert scope.question == "When does it run out? (expire)"
    assert isinstance(ranking, SentenceRanking)
    assert ranking.read_as == "When does it run out?"


def test_every_contract_that_was_found_in_is_judged(
    library: Library, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    context = build_context(library, encoder=encoder, concepts=concepts)
    found = search_answer(context, "On what notice may the Tenant end the lease?")
    assert set(found.judgements) >= {each.document for each in found.snippets}
    assert found.answers
    assert found.best.chance == max(each.chance for each in found.judgements.values())


def test_without_a_reader_the_search_alone_counts(library: Library) -> None:
    found = search_answer(build_context(library, ["lease"]), "Which laws govern this Lease?")
    (judgement,) = found.judgements.values()
    assert judgement.chance == pytest.approx(max(each.score for each in found.snippets))
    assert judgement.threshold == 0.005


def test_what_is_a_mere_circumstance_is_not_asked_for(concepts: Sequence[Concept]) -> None:
    asked = "Is compensation owed when the contract is terminated for convenience?"
    named = {each.id for each in concepts_in_focus(asked, concepts)}
    assert "termination-for-convenience" not in named
    plain = {
        each.id for each in concepts_in_focus("Is there termination for convenience?", concepts)
    }
    assert "termination-for-convenience" in plain


SUPPLY = """SUPPLY AGREEMENT

This Supply Agreement is made on {day} May 2024 between {supplier} (the "Supplier") and Tarn \
Mills Limited (the "Buyer").

1. TERM
1.1 This Agreement begins on {day} June 2024 and ends two years later.

2. LIABILITY
2.1 The liability of the Supplier under this Agreement is limited to the price of the goods.

3. GOVERNING LAW
3.1 This Agreement is governed by the laws of {law}.
"""


def test_all_contracts_under_the_law_that_is_named_are_heard_first(tmp_path: Path) -> None:
    under = MAX_DOCUMENTS + 2
    for at in range(under + 2):
        law = "Scotland" if at < under else "Texas"
        text = SUPPLY.format(day=at + 1, supplier=f"Firm {at} Ltd", law=law)
        (tmp_path / f"{at}.txt").write_text(text, "utf-8")
    with Library.open(tmp_path / "suppliers.db") as library:
        paths = sorted(tmp_path.glob("*.txt"))
        settings = Settings.load()
        added = add_files(library, paths, collection="Tarn", encoder=None, settings=settings)
        assert not added.failed
        asked = "Which contracts under Scottish law limit the liability of the Supplier?"
        found = search_answer(build_context(library, collection="Tarn"), asked, limit=100)
        heard = list(dict.fromkeys(each.document for each in found.snippets))
        cards = [library.card(each) for each in heard]
        laws = [card.governing_law.value for card in cards if card.governing_law]
        assert laws == ["Scotland"] * under + ["Texas"] * (len(heard) - under)
        quoted = [each.words for each in found.snippets if "laws of Scotland" in each.words]
        assert len(quoted) == under
