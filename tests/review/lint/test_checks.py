"""Drafting lint, on small contracts with one slip each."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fourcorners.documents.document import Document
from fourcorners.documents.read import read_document
from fourcorners.outline.build import build_outline
from fourcorners.review.finding import Severity
from fourcorners.review.lint import Check, LintReport, lint_contract

CLEAN = """MILLING AGREEMENT

This Milling Agreement (the "Agreement") is made as of 3 March 2021 between Alder Mills, Inc.
("Miller") and Birch Foods Limited ("Buyer").

1. DEFINITIONS

1.1 "Goods" means the milled oats described in Schedule 1.

1.2 "Mill Gate" means the gate of the mill at Alder.

1.3 "Order" means an order made under Section 2.1.

2. SUPPLY

2.1 Orders. Buyer shall make each Order for the Goods in writing.

2.2 Delivery. Miller shall deliver the Goods to the Mill Gate, and Section 2.1 applies.

2.3 Price. The price of the Goods is in Schedule 1.

3. TERM

3.1 Term. This Agreement runs for three years, unless ended under Section 3.2.

3.2 End. Either party may end it by notice, as Section 2.2 and clause 3.1 say.

IN WITNESS WHEREOF, the parties have signed this Agreement.

By: ______________________

SCHEDULE 1

The Goods

1. Rolled oats, milled to the customary grade.

2. Pinhead oats, milled to order.
"""


def linted(text: str) -> LintReport:
    document = Document(
        id="0" * 16,
        name="contract.txt",
        path="contract.txt",
        sha256="0" * 64,
        media_type="text/plain",
        reader="test/1",
        text=text,
    )
    return lint_contract(document, build_outline(document))


def found(text: str) -> list[tuple[Check, str]]:
    return [(slip.check, slip.span.text_in(text)) for slip in linted(text).issues]


def test_a_clean_contract_has_no_slips() -> None:
    result = linted(CLEAN)
    assert result.issues == ()
    assert result.unchecked == ()


def test_a_reference_to_a_section_that_is_not_there() -> None:
    text = CLEAN.replace("ended under Section 3.2", "ended under Section 3.9")
    (slip,) = linted(text).issues
    assert (slip.check, slip.severity) == (Check.DANGLING, Severity.HIGH)
    assert slip.span.text_in(text) == "Section 3.9"
    assert "unless ended under Section 3.9" in " ".join(slip.around.text_in(text).split())
    assert slip.page is None


def test_the_same_number_is_told_once() -> None:
    text = CLEAN.replace("Section 2.1", "Section 2.7")
    (slip,) = linted(text).issues
    assert slip.places == 2


def test_an_attachment_that_is_not_there() -> None:
    text = CLEAN.replace("oats described in Schedule 1", "oats described in Exhibit B")
    assert found(text) == [(Check.MISSING, "Exhibit B")]


def test_an_attachment_with_the_same_letter_is_named_beside() -> None:
    (slip,) = linted(CLEAN.replace("described in Schedule 1", "described in Exhibit 1")).issues
    assert slip.message.endswith("is not in this document; there is Schedule 1.")


@pytest.mark.parametrize(
    "elsewhere",
    [
        "Section 409A of the Code",
        "Section 14.2 of the Lease",
        "Rule 10b-5 and Section 13(d) of the Exchange Act",
        "Sections 7.1 and 7.2 of the Escrow Agreement",
        "Article 6 GDPR",
    ],
)
def test_other_documents_are_left_alone(elsewhere: str) -> None:
    assert found(CLEAN.replace("as Section 2.2 and", f"as {elsewhere} and")) == []


def test_a_term_that_is_not_used() -> None:
    text = CLEAN.replace("to the Mill Gate", "to the yard")
    (slip,) = linted(text).issues
    assert (slip.check, slip.severity) == (Check.UNUSED, Severity.LOW)
    assert slip.span.text_in(text) == "Mill Gate"


def test_a_plural_is_a_use() -> None:
    assert found(CLEAN.replace("to the Mill Gate", "to the Mill Gates")) == []


def test_a_term_that_is_defined_twice() -> None:
    again = '2.3 Price. "Goods" means anything that Miller mills. The price'
    assert found(CLEAN.replace("2.3 Price. The price", again)) == [(Check.DEFINED_TWICE, "Goods")]


def test_a_term_that_nothing_defines() -> None:
    more = "3.3 Committee. In June the Oat Panel meets, and the Oat Panel reports to the parties. "
    more += "If the Oat Panel is late, the parties wait until the Oat Panel reports.\n\n"
    more += '3.4 "Panel Fee" means ten dollars, and the Panel Fee is due in June.\n\n'
    text = CLEAN.replace("IN WITNESS", f"{more}IN WITNESS")
    assert found(text) == [(Check.UNDEFINED, "Oat Panel")]


def test_terms_of_another_document_are_not_missed_here() -> None:
    more = "3.3 Capitalised terms used but not defined here have the meanings given in the Lease. "
    more += "In June the Oat Panel meets, the Oat Panel reports, the Oat Panel and the Oat Panel.\n"
    result = linted(CLEAN.replace("IN WITNESS", f"{more}\nIN WITNESS"))
    assert result.issues == ()
    assert any("another" in why for why in result.unchecked)


def test_a_number_left_out() -> None:
    text = CLEAN.replace("2.2 Delivery", "2.3 Delivery").replace("2.3 Price", "2.4 Price")
    text = text.replace("Section 2.2", "Section 2.3")
    assert [check for check, _ in found(text)] == [Check.GAP]


def test_an_unsure_outline_is_told_instead_of_judged() -> None:
    result = linted("Some words about oats, see Section 9. " * 40)
    assert result.issues == ()
    assert any("outline" in why for why in result.unchecked)


def test_slips_are_in_order_of_severity() -> None:
    text = CLEAN.replace("ended under Section 3.2", "ended under Section 3.9")
    text = text.replace("to the Mill Gate", "to the yard").replace(
        "oats described in Schedule 1", "oats described in Exhibit B"
    )
    ranks = [slip.severity for slip in linted(text).issues]
    assert ranks == [Severity.HIGH, Severity.MEDIUM, Severity.LOW]


def test_the_example_contracts_are_clean(dataroom: Path) -> None:
    for name in ("01-northmere-master-services-agreement.docx", "02-cordovan-supply-agreement.pdf"):
        document = read_document(dataroom / name)
        assert lint_contract(document, build_outline(document)).issues == ()


def test_a_long_contract_takes_linear_time() -> None:
    text = CLEAN + ('"Goods" and the Oat Panel see Section 9.9 and (a). ' * 4_000)
    start = time.process_time()
    linted(text)
    assert time.process_time() - start < 10


@pytest.mark.corpus
def test_findings_stay_few(corpus: Path) -> None:
    files = sorted((corpus / "cuad" / "contracts").glob("*.txt"))[::12]
    grave = 0
    for file in files:
        text = file.read_bytes().decode("utf-8")
        result = linted(text)
        grave += sum(slip.severity is Severity.HIGH for slip in result.issues)
        for slip in result.issues:
            assert slip.span
            assert slip.around.contains(slip.span)
            assert slip.around.end <= len(text)
    assert grave <= len(files)


def test_a_measure_that_nothing_defines_counts_once() -> None:
    more = "2.4 Minimum. Buyer shall order ten tons in each Contract Year.\n\n3. TERM"
    assert found(CLEAN.replace("3. TERM", more)) == [(Check.UNDEFINED, "Contract Year")]
    for known in ("each Calendar Year", "each Contract Year, as defined in the Lease"):
        assert found(CLEAN.replace("3. TERM", more.replace("each Contract Year", known))) == []


COURTS = "3.3 Courts. The courts of Ohio have exclusive jurisdiction over any dispute."
ARBITRATION = "3.4 Arbitration. Any dispute shall be finally settled by arbitration in Oslo."


def test_courts_and_arbitration_side_by_side() -> None:
    text = CLEAN.replace("IN WITNESS", f"{COURTS}\n\n{ARBITRATION}\n\nIN WITNESS")
    ((check, words),) = found(text)
    assert check is Check.FORUMS
    assert "courts of Ohio" in words
    for apart in (
        text.replace("in Oslo.", "in Oslo. A court may grant an injunction."),
        text.replace("shall be finally", "may be finally"),
        text.replace("3.3 Courts. The", "3.3 Courts. Subject to Section 3.4, the"),
    ):
        assert found(apart) == []


@pytest.mark.parametrize(
    ("words", "is_slip"),
    [
        ("Neither party shall not assign it", True),
        ("Miller shall not make no change of the Goods", True),
        ("No waiver of a breach shall not be in writing", True),
        ("Nothing in this Agreement shall not bind Buyer", True),
        ("Miller shall not be liable if no notice is given", False),
        ("Notice shall not be given later than no more than a day before", False),
        ("It does not apply and no such consent is needed", False),
        ("Consent shall not be unreasonably withheld", False),
    ],
)
def test_words_that_deny_twice(words: str, is_slip: bool) -> None:
    text = CLEAN.replace("IN WITNESS", f"3.3 Rest. {words}.\n\nIN WITNESS")
    assert [check for check, _ in found(text)] == [Check.NEGATIVES] * is_slip
