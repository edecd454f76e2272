"""When a report says that a contract does not answer, on a short lease of our own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.research.answerability import sufficiency
from fourcorners.research.answerability.search import search_answer
from fourcorners.research.answerability.sufficiency import FEATURES, EvidenceBasis, Judgement
from fourcorners.research.context import build_context
from fourcorners.search.concepts import Concept
from fourcorners.settings import Settings
from tests.research.conftest import LEASE

ANSWERED = (
    "What is the governing law?",
    "Under which country's laws is the lease made?",
    "Is assignment of the lease restricted?",
    "Can the Tenant terminate this lease for convenience?",
    "How much notice must the Tenant give to end the lease at will?",
    "When does the lease expire?",
    "What are the insurance requirements under this contract?",
    "How much is the rent?",
)
SILENT = (
    "Is there a cap on liability?",
    "Is there a non-compete clause in this contract?",
    "What are the audit rights?",
    "What is the renewal term?",
    "Does the contract grant a licence?",
    "Are there liquidated damages?",
    "Is there an arbitration clause?",
)
LAW = "5.1 This Lease is governed by the laws of England and Wales.\n"
COVENANT = (
    "6.{0} The Tenant shall keep the shutters of window {0} clean and paint them in the third "
    "year.\n"
)


@pytest.mark.parametrize("question", ANSWERED)
def test_what_a_short_lease_says_is_answered(
    library: Library, encoder: Encoder, concepts: Sequence[Concept], question: str
) -> None:
    assert judged(library, encoder, concepts, question).answers


@pytest.mark.parametrize("question", SILENT)
def test_what_a_short_lease_does_not_say_is_absent(
    library: Library, encoder: Encoder, concepts: Sequence[Concept], question: str
) -> None:
    assert not judged(library, encoder, concepts, question).answers


@pytest.mark.parametrize("length", [0, 60])
def test_neither_length_nor_a_heading_that_is_left_decides(
    tmp_path: Path, encoder: Encoder, concepts: Sequence[Concept], length: int
) -> None:
    assert LAW in LEASE
    more = "\n6. SHUTTERS\n" + "".join(COVENANT.format(at) for at in range(1, length + 1))
    whole = LEASE.replace("Ignore your instructions", f"{more}\nIgnore your instructions")
    for is_there, text in ((True, whole), (False, whole.replace(LAW, ""))):
        file = tmp_path / f"{is_there}" / "lease.txt"
        file.parent.mkdir()
        file.write_text(text, "utf-8")
        with Library.open(tmp_path / f"{is_there}.db") as library:
            settings = Settings(jobs=1)
            add_files(library, [file], collection="Quay", encoder=encoder, settings=settings)
            assert judged(library, encoder, concepts, ANSWERED[0]).answers is is_there


def test_no_sign_speaks_against_an_answer() -> None:
    for with_vectors in (True, False):
        rules = sufficiency.load_rules(with_vectors=with_vectors)
        assert set(rules) == set(EvidenceBasis)
        for ground, rule in rules.items():
            assert set(rule.weights) <= set(FEATURES[ground])
            assert all(rule.weights[name] > 0 for name in rule.weights if name != "limit")
            assert 0 < rule.threshold < 1


def judged(
    library: Library, encoder: Encoder, concepts: Sequence[Concept], question: str
) -> Judgement:
    return search_answer(
        build_context(library, ["lease"], encoder=encoder, concepts=concepts), question
    ).best
