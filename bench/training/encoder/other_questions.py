"""Questions of kinds that no lesson asks: does the encoder still know what lies beyond them?

Sections of contracts are ranked without their headings; those whose heading names it answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from training.encoder.data import Array, Contract

FEWEST_SECTIONS = 8  # of a contract that is asked
OPENING = 400  # characters of a section that are encoded for questions of other kinds
QUESTIONS = {
    r"force majeure": "What if something beyond a party's control keeps it from performing?",
    r"notices?": "How do the parties send each other formal letters, and to which address?",
    r"(entire|whole) agreement|integration": "Do earlier talks and promises still count?",
    r"severab": "What becomes of the rest if a court strikes out one sentence?",
    r"counterparts?": "May each side sign its own copy?",
    r"(no )?waivers?": "Does letting one breach pass mean that a right is lost?",
    r"arbitration|dispute": "How are quarrels between the parties settled?",
    r"payments?( terms)?|invoic": "When must invoices be paid?",
    r"independent contractors?|relationship of": "Is one side the agent or employee of the other?",
    r"amendments?|modification": "How can the wording be changed later?",
    r"tax(es)?": "Who bears sales tax and duties?",
    r"publicity|press release": "May a party announce the deal to newspapers?",
    r"indemni": "Who pays when an outsider sues?",
    r"confidential": "Which secrets must be kept?",
    r"(dis)?claimer of warrant|warranty disclaimer|no warrant": "Is anything promised of quality?",
    r"headings|captions|interpretation": "Do titles of sections matter to their meaning?",
}
"""By what the heading of a section that answers begins with."""


def ranks(
    held: Sequence[Contract], encode: Callable[[Sequence[str]], Array]
) -> dict[str, list[tuple[str, float]]]:
    """Return for each question and contract, by its name, how the first right section ranks."""
    asked = encode(list(QUESTIONS.values()))
    vectors = encode([body[:OPENING] for contract in held for _, body in contract.headed])
    first, found = 0, dict[str, list[tuple[str, float]]]()
    for contract in held:
        own = vectors[first : first + len(contract.headed)]
        first += len(own)
        for wanted, question in zip(QUESTIONS, asked, strict=True):
            right = [re.match(wanted, heading, re.IGNORECASE) for heading, _ in contract.headed]
            if any(right) and len(own) >= FEWEST_SECTIONS:
                hits = np.array([each is not None for each in right])
                hits = hits[np.argsort(-(own @ question), kind="stable")]
                found.setdefault("first", []).append((contract.name, float(hits[0])))
                found.setdefault("in four", []).append((contract.name, float(hits[:4].any())))
                rank = 1 / (1 + int(hits.argmax()))
                found.setdefault("reciprocal rank", []).append((contract.name, rank))
    return found
