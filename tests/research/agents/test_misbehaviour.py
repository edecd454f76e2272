"""Models that misbehave, and contracts that address them: no effect, and it is seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from fourcorners.library.store import Library
from fourcorners.llm import FakeModel, Port
from fourcorners.models import Encoder
from fourcorners.research.agents.inquiry import InquirySettings
from fourcorners.research.answer import Verification
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.search.concepts import Concept
from tests.research.agents.recorded import play
from tests.research.agents.test_inquiry import report_text

QUESTION = "Can the Tenant assign the lease?"
STYLES = yaml.safe_load(
    (Path(__file__).parent / "exchanges" / "misbehaviour.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("style", STYLES, ids=[each["style"] for each in STYLES])
def test_it_has_no_effect_and_is_seen(
    library: Library, encoder: Encoder, concepts: Sequence[Concept], style: dict[str, Any]
) -> None:
    model = FakeModel(play(style["answers"], QUESTION))
    with Port.for_model(model, attempts=1) as port:
        how = InquirySettings(turns=3)
        answer = final_answer(
            ask(
                library,
                ResearchQuestion(
                    QUESTION, contracts=["lease"], instructions="In short sentences.", how=how
                ),
                encoder=encoder,
                concepts=concepts,
                port=port,
            )
        )
    expected = style["expect"]
    assert expected["told"] in report_text(answer)
    assert len(model.requests) <= expected.get("calls", how.calls() + 1)  # one is sent back
    if expected.get("by_rules"):
        assert answer.question == QUESTION
        assert answer.made.by.startswith("no language model")
        assert answer.stopped
        return
    assert answer.answer.ruling.value == expected["ruling"]
    if "standings" in expected:
        assert [each.standing.value for each in answer.findings] == expected["standings"]
    for each in answer.statements:
        assert each.standing is not Verification.VERIFIED or each.quotes
        for cited in each.quotes:
            assert cited.quote.span is not None
            assert cited.quote.span.text_in(library.text(cited.document)) == cited.quote.words
            assert "everything is permitted" not in cited.quote.words
