"""Rules of a playbook: what passes, what fails, and the words that show it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fourcorners.models.entailment.verdict import Label, Verdict
from fourcorners.playbooks.load import load_playbook, parse_playbook
from fourcorners.playbooks.playbook import Level, Playbook, Rule
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.scoring import PreparedProvision, default_calibration
from fourcorners.review.finding import (
    CANNOT_TELL,
    Author,
    CellState,
    Finding,
    RiskAnswer,
    Severity,
)
from fourcorners.review.risk import rules
from fourcorners.review.risk.rules import RuleJudge, is_passed, model_of
from tests.review.conftest import prepared

BALANCED = """MUTUAL NON-DISCLOSURE AGREEMENT

This Agreement is made on 3 June 2025 between Alder Optics Limited and Birch Robotics Limited, \
who wish to explore a joint product (the "Purpose").

1. Confidential Information. "Confidential Information" means all technical, financial, \
commercial and other information that one party (the "Disclosing Party") discloses to the other \
(the "Receiving Party") for the Purpose, whether in writing, orally, visually or in electronic \
form.

2. Exceptions. Confidential Information does not include information which (a) is or becomes \
public without breach of this Agreement; (b) the Receiving Party rightfully receives from a third \
party without restriction on disclosure; or (c) is independently developed by the Receiving Party \
without use of the Confidential Information.

3. Use. The Receiving Party shall not use the Confidential Information for any purpose other than \
the Purpose.

4. Disclosure. The Receiving Party may disclose Confidential Information to those of its \
employees, officers, consultants and professional advisors who need to know it for the Purpose \
and are bound by duties of confidentiality no less strict than these.

5. Compelled disclosure. If the Receiving Party is required by law, regulation or court order to \
disclose Confidential Information, it shall give the Disclosing Party prompt written notice so \
that the Disclosing Party may seek a protective order.

6. Secrecy of the talks. Neither party shall disclose to any person the fact that discussions or \
negotiations are taking place between them, or the existence or terms of this Agreement.

7. No licence. Nothing in this Agreement shall be construed as granting the Receiving Party any \
licence or other right in the Confidential Information, which remains the property of the \
Disclosing Party.

8. Samples. The Receiving Party shall not reverse engineer, decompile or disassemble any \
prototype, software or other tangible object that embodies the Confidential Information.

9. Return. Upon termination of this Agreement or at the Disclosing Party's request, the Receiving \
Party shall promptly return or destroy all Confidential Information. The Receiving Party may \
retain one archival copy for its legal files.

10. Survival. The obligations of confidentiality under this Agreement shall survive its \
termination for a period of five years.

11. Law. This Agreement is governed by the laws of Norway.
"""
ONE_SIDED = """CONFIDENTIALITY UNDERTAKING

By Cedar Foods GmbH (the "Recipient") for the benefit of Dogwood Brands Inc. (the "Company"), \
dated 9 May 2025.

1. "Confidential Information" means all business, financial, customer and technical information \
of the Company in any form, whether or not marked or otherwise identified as confidential.

2. The Recipient shall keep the Confidential Information strictly confidential and shall not \
disclose it to any third party.

3. The Recipient shall not make any copies of the Confidential Information.

4. Upon the Company's request or the termination of this undertaking the Recipient shall \
immediately return to the Company all Confidential Information without retaining any copies, \
extracts or other reproductions thereof.

5. For two years from the date hereof the Recipient shall not, directly or indirectly, solicit \
for employment or hire any employee, officer or representative of the Company.

6. This undertaking is governed by the laws of Austria.
"""
OTHER = """
id: house
name: House
version: "1"
provisions:
  - id: law
    name: Law
    definition: Which law governs the agreement.
    query: '["governed law"~4^8, "governing law"^6, "laws of"^4]'
    examples:
      - This agreement is governed by the law of France.
    rules:
      - id: a-law
        statement: Agreement is governed by the laws of some country.
        severity: low
        because: Courts would have to find the law that governs.
  - id: rent
    name: Rent
    definition: What a tenant pays for premises.
    query: '["monthly rent"~4^8, "rent"^5, "tenant"^4]'
    rules:
      - id: rent-paid
        statement: Tenant shall pay the rent every month in advance.
        severity: high
        because: The rent may come late.
        recommend: Add a date.
"""


def filled(text: str, playbook: Playbook) -> dict[str, Finding]:
    asked = [PreparedProvision(provision, None) for provision in playbook.provisions]
    return {
        cell.provision: cell
        for cell in extract_findings(prepared(text), asked, default_calibration())
    }


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    return load_playbook("nda-review")


@pytest.fixture(scope="module")
def balanced(playbook: Playbook) -> dict[str, Finding]:
    return filled(BALANCED, playbook)


@pytest.fixture(scope="module")
def one_sided(playbook: Playbook) -> dict[str, Finding]:
    return filled(ONE_SIDED, playbook)


def ruled(cells: dict[str, Finding], provision: str) -> RiskAnswer:
    asked = {one.id for each in load_playbook("nda-review").provisions for one in each.questions}
    (answer,) = [each for each in cells[provision].answers if each.id and each.id not in asked]
    return answer


def test_every_provision_has_a_rule_of_its_own(playbook: Playbook) -> None:
    statements = [rule.statement for each in playbook.provisions for rule in each.rules]
    assert len(statements) == len(set(statements)) == 17


@pytest.mark.parametrize(
    ("provision", "words"),
    [
        ("oral-information", "orally"),
        ("limited-use", "shall not use"),
        ("sharing-with-employees", "employees"),
        ("sharing-with-third-parties", "advisors"),
        ("independent-development", "independently developed"),
        ("information-from-third-parties", "third party"),
        ("compelled-disclosure", "prompt written notice"),
        ("confidentiality-of-agreement", "negotiations"),
        ("no-licence", "construed as granting"),
        ("no-reverse-engineering", "decompile"),
        ("return-or-destruction", "return or destroy"),
        ("retention", "archival copy"),
        ("survival", "five years"),
    ],
)
def test_what_the_contract_says_passes_with_its_words(
    balanced: dict[str, Finding], provision: str, words: str
) -> None:
    answer = ruled(balanced, provision)
    assert answer.answer.startswith("Pass: entailed"), answer
    assert any(words in quote.words for quote in answer.quotes), answer.quotes


def test_what_is_not_there_is_not_mentioned_and_quotes_nothing(
    balanced: dict[str, Finding], one_sided: dict[str, Finding]
) -> None:
    poaching = ruled(balanced, "non-solicitation")
    assert poaching.answer.startswith("Pass: not mentioned")
    assert not poaching.quotes
    for provision in ("no-reverse-engineering", "compelled-disclosure", "independent-development"):
        answer = ruled(one_sided, provision)
        assert answer.answer.startswith("Fail: not mentioned"), answer
        assert not answer.quotes


@pytest.mark.parametrize(
    ("provision", "answer", "words"),
    [
        ("explicit-identification", "Fail", "whether or not marked"),
        ("permitted-copies", "Fail: contradicted", "shall not make any copies"),
        ("retention", "Fail: contradicted", "without retaining any copies"),
        ("non-solicitation", "Fail: entailed", "solicit for employment"),
        ("technical-information-only", "Pass: contradicted", "business, financial"),
        ("return-or-destruction", "Pass: entailed", "immediately return"),
    ],
)
def test_what_is_against_a_rule_is_told_with_its_words(
    one_sided: dict[str, Finding], provision: str, answer: str, words: str
) -> None:
    found = ruled(one_sided, provision)
    assert found.answer.startswith(answer), found
    shown = found.quotes or found.against_quotes
    assert any(words in quote.words for quote in shown), shown


def test_a_failure_gives_the_cell_its_severity_and_its_reason(
    one_sided: dict[str, Finding], balanced: dict[str, Finding], playbook: Playbook
) -> None:
    failed, rule = one_sided["non-solicitation"], playbook.provision("non-solicitation").rules[0]
    assert failed.severity is Severity.MEDIUM
    assert failed.reason == f"Entailed: {rule.because}"
    assert failed.recommendation == rule.recommend
    assert balanced["non-solicitation"].severity is Severity.NONE
    assert one_sided["compelled-disclosure"].severity is Severity.MEDIUM


def test_a_cell_quotes_what_its_rule_is_answered_by(
    balanced: dict[str, Finding], one_sided: dict[str, Finding]
) -> None:
    returned = balanced["return-or-destruction"]
    assert returned.state is CellState.FOUND
    assert "return or destroy" in " ".join(each.quote.words for each in returned.evidence)
    absent = one_sided["no-reverse-engineering"]
    assert absent.state is CellState.NOT_FOUND
    assert absent.searched is not None
    assert absent.searched.best is not None
    assert absent.searched.best.score < absent.searched.threshold == 0.5


@pytest.mark.parametrize("text", [BALANCED, ONE_SIDED])
def test_every_quote_stands_in_the_text(text: str, playbook: Playbook) -> None:
    quotes = [
        quote
        for cell in filled(text, playbook).values()
        for answer in cell.answers
        for quote in (*answer.quotes, *answer.against_quotes)
    ]
    assert len(quotes) >= 8
    for quote in quotes:
        assert quote.span is not None
        assert quote.span.text_in(text) == quote.words


def test_answers_say_who_gave_them_and_how_surely(balanced: dict[str, Finding]) -> None:
    answer = ruled(balanced, "survival")
    assert (answer.author, answer.id) == (Author.RULE, "outlives")
    assert "%" in answer.answer
    assert "entailed is expected" in answer.reason
    assert "a person should check" in answer.reason


def test_other_statements_are_answered_with_less_certainty() -> None:
    cells = filled(BALANCED, parse_playbook(OTHER, "house.yaml"))
    law, rent = ruled(cells, "law"), ruled(cells, "rent")
    assert "Norway" in (*law.quotes, *law.against_quotes)[0].words
    assert not law.answer.startswith("Fail")
    assert not rent.answer.startswith("Pass")
    assert not any("Norway" in quote.words for quote in rent.quotes)


def test_a_playbook_without_rules_asks_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "fourcorners.models.entailment.model.load_entailment", lambda: pytest.fail("was read")
    )
    playbook = load_playbook("due-diligence")
    bare = [replace(each, rules=()) for each in playbook.provisions]
    made = RuleJudge(prepared(BALANCED), bare)
    cell = Finding("nda", bare[0].id, CellState.NOT_FOUND)
    assert made.assess(cell, bare[0]) == cell
    assert model_of(replace(playbook, provisions=tuple(bare))) == ""


def test_the_model_that_judges_is_named(playbook: Playbook) -> None:
    assert model_of(playbook).startswith("entailment/")


def test_a_text_that_is_too_long_is_left_to_a_person(
    monkeypatch: pytest.MonkeyPatch, playbook: Playbook
) -> None:
    monkeypatch.setattr(rules, "MAX_SPANS", 3)
    answer = ruled(filled(BALANCED, playbook), "survival")
    assert answer.answer == "Cannot tell from the document"
    assert "too long" in answer.reason


@pytest.mark.parametrize(
    ("expects", "scores", "margin", "passed"),
    [
        ("entailed", (0.8, 0.1, 0.1), 0.5, True),
        ("entailed", (0.6, 0.1, 0.3), 0.5, None),
        ("entailed", (0.1, 0.1, 0.8), 0.5, False),
        ("contradicted", (0.1, 0.8, 0.1), 0.5, True),
        ("not_contradicted", (0.45, 0.1, 0.45), 0.5, True),
        ("not_entailed", (0.9, 0.0, 0.1), 0.5, False),
        ("not_entailed", (0.4, 0.3, 0.3), 0.0, True),
    ],
)
def test_a_rule_is_decided_by_what_it_expects(
    expects: str, scores: tuple[float, float, float], margin: float, passed: bool | None
) -> None:
    rule = Rule("r", "It is so.", expects)  # type: ignore[arg-type]
    assert is_passed(rule, Verdict(Label.ENTAILMENT, scores, (), (), margin)) is passed


@pytest.mark.parametrize(
    ("level", "severity"),
    [("high", Severity.TO_READ), ("medium", Severity.TO_READ), ("low", Severity.LOW)],
)
def test_a_rule_that_is_left_to_a_person_leaves_the_finding_to_be_read(
    playbook: Playbook, level: Level, severity: Severity
) -> None:
    provision = playbook.provisions[0]
    asked = replace(provision, rules=(replace(provision.rules[0], severity=level),))
    left = RiskAnswer("It says so.", CANNOT_TELL, id=asked.rules[0].id)
    cell = Finding("d", asked.id, CellState.FOUND, severity=Severity.LOW, answers=(left,))
    told = rules.raise_by_rules(cell, asked)
    assert told.severity is severity
    grave = replace(cell, severity=Severity.HIGH)
    assert rules.raise_by_rules(grave, asked) == grave
    medium = rules.raise_by_rules(replace(cell, severity=Severity.MEDIUM), asked)
    assert medium.severity is Severity.MEDIUM
    assert (medium.possible_severity is Severity.HIGH) is (level == "high")
