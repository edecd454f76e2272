"""A small contract, a small playbook and a curve whose behaviour can be worked out by hand."""

from __future__ import annotations

import hashlib

import pytest

from fourcorners.documents.document import Document
from fourcorners.library.contract import Contract
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.load import parse_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.extract.scoring import DEFAULT, FEATURES, Calibration, Curve

TEXT = """SUPPLY AGREEMENT

This Supply Agreement is dated 4 March 2024 and made between Alder Components Limited
("Supplier") and Birch Retail Limited ("Customer").

1. SUPPLY

1.1 The Supplier shall supply the Goods on the terms of this Agreement. The Customer shall buy
all of its requirements of the Goods from the Supplier.

1.2 Quality control of the Goods is the Supplier's task.

2. TERM AND TERMINATION

2.1 This Agreement continues for three years.

2.2 The Customer may terminate this Agreement at once if there is a change of control of the
Supplier. It shall give notice in writing.

3. GENERAL

3.1 Neither party may assign this Agreement without the consent of the other.

3.2 This Agreement is governed by the laws of England and Wales.
"""

PLAYBOOK = """
id: small
name: Small
version: "1"
provisions:
  - id: change-of-control
    name: Change of control
    definition: What follows when control of a party changes.
    query: '["change control"~3^6, "control"^2]'
    avoid: '["quality control"~0^9]'
    questions:
      - id: terminate
        question: Can a party end the agreement?
        answer: yes_no
        options: {yes: may be ended, no: ''}
      - id: who
        question: Which party?
    severity:
      - when: found
        answers: {terminate: [yes]}
        severity: high
        because: It can be ended.
      - when: found
        severity: medium
        because: Something follows.
  - id: insurance
    name: Insurance
    definition: A duty to insure.
    query: '["insurance"^6]'
    severity:
      - when: not_found
        severity: low
        because: Nobody must insure.
"""


def document(text: str = TEXT, name: str = "supply.txt") -> Document:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(
        id=digest[:16],
        name=name,
        path=f"/contracts/{name}",
        sha256=digest,
        media_type="text/plain",
        reader="plain/1",
        text=text,
    )


@pytest.fixture(autouse=True, scope="module")
def in_one_process(one_process: None) -> None:
    """No test of this room is of the workers, but those that name them."""


@pytest.fixture
def playbook() -> Playbook:
    return parse_playbook(PLAYBOOK, "small.yaml")


def prepared(text: str = TEXT, name: str = "supply.txt") -> Contract:
    made = document(text, name)
    outline = build_outline(made)
    passages = cut_passages(made, outline)
    return Contract.build(made, outline, read_card(made, outline), passages, None)


@pytest.fixture
def reading() -> Contract:
    return prepared()


@pytest.fixture
def calibration() -> Calibration:
    """A sentence counts from 0.5: at words minus look-alikes of 4 and more."""
    weights = [0.0] * len(FEATURES)
    weights[FEATURES.index("words")] = 10.0
    weights[FEATURES.index("avoid")] = -10.0
    curve = Curve(tuple(weights), -4.0, 0.5, 0.5)
    curves = {DEFAULT: curve, "change-of-control": curve, "insurance": curve}
    return Calibration("by hand", curves, curves, frozenset())
