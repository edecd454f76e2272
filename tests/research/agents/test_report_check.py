"""A claim that a contract lacks something, where the report quotes words that a search finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.research.agents.report_check import ReportCheck
from fourcorners.research.agents.schemas import AnswerClaim, Claims, FindingClaim
from fourcorners.research.agents.sentence_list import SentenceList
from fourcorners.research.answer import Statement, Verification
from fourcorners.research.context import build_context
from fourcorners.research.run import ResearchQuestion, prepare_answer
from fourcorners.settings import Settings

INSURES = "The Miller shall insure the barn against fire."
GRINDS = "The Miller shall grind all corn before Easter."
LACKS = "Nothing is said on who shall insure the barn."
WANTED = "insure the barn"
DEED = """MILL DEED

This Mill Deed is made between {name} Lands Limited (the "Owner") and Weir Limited (the "Miller").

1. WORK
1.1 {work}

2. WATER
2.1 The Owner shall keep the sluice clear of weed.
"""
LONG = f"The Owner lends the barn. {INSURES} The cover starts in May. It ends with this Deed."


@pytest.fixture(scope="module")
def mills(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("mills")
    assert len(GRINDS) == len(INSURES)  # so that both are in the same place
    works = {"north": GRINDS, "south": INSURES, "lower": LONG}
    for name, work in works.items():
        (folder / f"{name}.txt").write_text(DEED.format(name=name.title(), work=work), "utf-8")
    with Library.open(folder / "mills.db") as library:
        add_files(library, sorted(folder.glob("*.txt")), collection="Mills", encoder=encoder,
                  settings=Settings(jobs=1))  # fmt: skip
        yield library


Check = Callable[[list[str], str], Statement]


@pytest.fixture
def check(mills: Library, encoder: Encoder) -> Check:
    return partial(check_absence, mills, encoder)


def check_absence(
    library: Library, encoder: Encoder, contracts: list[str], quoted: str
) -> Statement:
    """Check that something is lacking, in a report that also quotes a sentence."""
    context = build_context(library, contracts, encoder=encoder)
    sentences = SentenceList(context)
    sentences.add_contracts(10_000)
    number = next(each.number for each in sentences if quoted in each.source.words)
    claims = Claims(
        {
            1: FindingClaim(number=1, statement=quoted, sentences=[number]),
            2: FindingClaim(number=2, statement=LACKS, sentences=[], absent=WANTED),
        },
        AnswerClaim(ruling="no"),
    )
    asked = ResearchQuestion("Who shall insure the barn?", contracts=contracts)
    _, started = prepare_answer(library, asked)
    return ReportCheck(context, sentences).check(started, (), claims).findings[2]


@pytest.mark.parametrize("contract", ["south", "lower"])
def test_a_sentence_that_the_report_quotes_refutes_no_absence(check: Check, contract: str) -> None:
    found = check([contract], INSURES)
    assert found.standing is Verification.UNCHECKED
    assert "the report quotes the words" in found.problem


def test_another_sentence_of_the_clause_that_is_quoted_does_not_count(check: Check) -> None:
    found = check(["lower"], "It ends with this Deed.")
    assert found.standing is Verification.UNVERIFIED


def test_what_is_quoted_from_the_same_place_of_another_contract_does_not_count(
    check: Check,
) -> None:
    found = check(["north", "south"], GRINDS)
    assert found.standing is Verification.UNVERIFIED
    assert INSURES in found.quotes[0].quote.words
