"""Models that are driven by functions of what they are asked, and documents to ask about."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from fourcorners.library.contract import Contract
from fourcorners.llm import FakeModel, MemoryCache, MemoryLedger, Options, Port, Request, Response
from fourcorners.llm.ledger import Budget, Ledger
from fourcorners.llm.offline import Answer
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.scoring import Calibration, PreparedProvision
from fourcorners.review.finding import Finding
from fourcorners.review.prompting.reviewer import ModelReviewer
from fourcorners.review.prompting.settings import PromptProfile, PromptSettings
from tests.review.conftest import document

LEAVE = (
    "The Customer may terminate this Agreement at once if there is a change of control of the\n"
    "Supplier."
)
NOTICE = "It shall give notice in writing."
PAPER = PromptSettings(PromptProfile.PAPER, risks=False)
CLAUSES = PromptSettings(risks=False)

Said = str | Mapping[str, Any]
By = Mapping[str, Said | Callable[[Request], Any]]


async def at_once(_: float) -> None:
    """Wait for nothing."""


def port(by: By, *, ledger: Ledger | None = None, **more: Any) -> tuple[Port, FakeModel]:
    """Return a port whose model answers by the prompt's name."""

    def answer(request: Request) -> Answer:
        said = by[request.prompt.name]
        if callable(said):
            told = said(request)
            return json.dumps(told) if isinstance(told, Mapping) else told
        return said if isinstance(said, str) else json.dumps(said)

    model = FakeModel(answer)
    opened = Port.for_model(model, sleep=at_once, attempts=1, ledger=ledger, **more)
    return opened, model


def quoted(*words: str) -> dict[str, Any]:
    """Return the answer that quotes some words."""
    return {"found": bool(words), "passages": [{"where": "", "words": each} for each in words]}


def weighed(*belongs: int, added: tuple[str, ...] = (), rejected: tuple[int, ...] = ()) -> Said:
    """Return the answer that judges proposals."""
    verdicts = [{"proposal": each, "belongs": True} for each in belongs]
    verdicts += [{"proposal": each, "belongs": False} for each in rejected]
    return {"verdicts": verdicts, "added": [{"words": each} for each in added]}


def reading_of(text: str) -> Contract:
    """Return a text, read."""
    made = document(text)
    outline = build_outline(made)
    return Contract.build(
        made, outline, read_card(made, outline), cut_passages(made, outline), None
    )


def drafts(reading: Contract, playbook: Playbook, calibration: Calibration) -> list[Finding]:
    """Return what the local reader finds."""
    prepared = [PreparedProvision(provision, None) for provision in playbook.provisions]
    return extract_findings(reading, prepared, calibration)


def outside_fences(prompt: str) -> str:
    """Return what stands outside of all fences, checking that each is closed with its own mark."""
    left = re.sub(
        r'<<<data ([0-9a-f]{24}) "[^"\n]*">>>\n.*?\n<<<end \1>>>', "⟦data⟧", prompt, flags=re.S
    )
    assert "<<<end" not in left.replace("<<<end MARK>>>", "")
    return left


__all__ = [
    "CLAUSES",
    "LEAVE",
    "NOTICE",
    "PAPER",
    "Budget",
    "MemoryCache",
    "MemoryLedger",
    "ModelReviewer",
    "Options",
    "Response",
    "drafts",
    "outside_fences",
    "port",
    "quoted",
    "reading_of",
    "weighed",
]
