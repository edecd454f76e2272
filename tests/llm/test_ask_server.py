"""An inquiry led by a real, tiny model: whatever it says, a report comes out that can be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.llm import open_port
from fourcorners.models import default_encoder
from fourcorners.research.agents.inquiry import InquirySettings
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.settings import LlmSettings, Settings
from fourcorners.text import evidence

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
FEW = 60  # tokens of an answer: too few for a draft, whatever the model says
TEXT = """CARRIAGE AGREEMENT

This Agreement is made on 2 May 2024 between Larch Freight Ltd (the "Carrier") and Rowan Grain Ltd \
(the "Owner").

1. INSURANCE
1.1 The Carrier shall insure the grain against fire for GBP 200,000.

2. GOVERNING LAW
2.1 This Agreement is governed by the laws of Norway.
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A library with one short contract."""
    file = tmp_path / "carriage.txt"
    file.write_text(TEXT, "utf-8")
    library = Library.open(tmp_path / "firm.db")
    report = add_files(
        library,
        [file],
        collection="Freight",
        encoder=default_encoder(threads=1),
        settings=Settings(jobs=1),
    )
    assert not report.failed
    return library


def test_what_a_tiny_model_leaves_undone_is_said_in_a_report_that_verifies(
    llama: str, library: Library
) -> None:
    settings = LlmSettings(
        model="smollm2",
        url=llama,
        max_tokens=FEW,
        attempts=1,
        timeout=240,
        seed=7,
        cache=False,
    )
    encoder = default_encoder(threads=1)
    question = "Who must insure the grain?"
    with library, open_port(settings) as port:
        run = ask(
            library,
            ResearchQuestion(question, how=InquirySettings(turns=1)),
            encoder=encoder,
            port=port,
        )
        answer = final_answer(run)
        shown = [cited for each in answer.statements for cited in each.quotes]
        for cited in shown:
            evidence.verify_quote(cited.quote, library.text(cited.document))
    assert any("insure the grain against fire" in cited.quote.words for cited in shown)
    assert answer.counts.verified == len(answer.statements) > 0
    assert answer.asked == question
    assert answer.calls >= 1
    failed = [step for step in answer.record if step.outcome != "done"]
    assert failed[-1].did == "draft"
    assert failed[-1].outcome in answer.stopped
    assert answer.made.by.startswith("no language model, for it failed")
    assert "did not get as far as a draft" in answer.gaps[0].what
