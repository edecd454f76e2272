"""A contract in the making of which nothing is left to chance, and what changes it."""

from __future__ import annotations

import hashlib

from fourcorners.comparison.compare import compare_documents
from fourcorners.comparison.comparison import ClauseChange, Comparison
from fourcorners.documents.document import Document

CLAUSES = (
    "SUPPLY AGREEMENT",
    'This Agreement is made on 1 March 2024 by Acme (the "Supplier") and Bolt plc (the "Buyer").',
    "1. DEFINITIONS",
    "1.1 In this Agreement the Goods are the pumps that are listed in Schedule 1.",
    "1.2 A Working Day is a day on which banks in London are open for business.",
    "2. SUPPLY",
    "2.1 The Supplier shall deliver the Goods to the Buyer within thirty (30) days of each order.",
    "2.2 The Buyer may inspect the Goods at the works of the Supplier before they are dispatched.",
    "2.3 Risk in the Goods passes on delivery. Title in the Goods passes when they are paid for.",
    "2.4 The Supplier shall keep spare parts for the Goods in stock for as long as they are sold.",
    "3. PRICE",
    "3.1 The price of each pump is $10,000 and is fixed for the first year of this Agreement.",
    "3.2 The Buyer shall pay each invoice as Section 2.1 says, and no later than the month's end.",
    "3.3 Interest of 4% a year runs on sums that are overdue, from the day on which they are due.",
    "4. LIABILITY",
    "4.1 Neither party limits its liability for death or for injury that its negligence causes.",
    "4.2 The Supplier is liable for the loss that a defect in the Goods causes to the Buyer.",
    "5. GENERAL",
    "5.1 This Agreement may be ended by either party on ninety (90) days' notice in writing.",
    "5.2 Neither party shall assign this Agreement without the consent of the other party.",
    "5.3 This Agreement is governed by the law of England and its courts have jurisdiction.",
)


def document(text: str, name: str = "contract.txt") -> Document:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(digest[:16], name, name, digest, "text/plain", "plain", text)


def contract(*clauses: str) -> Document:
    return document("\n\n".join(clauses or CLAUSES) + "\n")


def compare(*changed: str, before: tuple[str, ...] = CLAUSES) -> Comparison:
    return compare_documents(contract(*before), contract(*changed))


def replaced(old: str, new: str) -> tuple[str, ...]:
    """Return the clauses with some words replaced, which must be there once."""
    text = "\n\n".join(CLAUSES)
    assert text.count(old) == 1, old
    return tuple(text.replace(old, new).split("\n\n"))


def differing(comparison: Comparison) -> list[ClauseChange]:
    return [
        each
        for each in comparison.clauses
        if each.relation != "same" or each.is_moved or each.is_renumbered
    ]


def words(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return what each change of words is about, and the words that went and came."""
    return [
        (
            change.aspect.value,
            change.before.text_in(comparison.before.text),
            change.after.text_in(comparison.after.text),
        )
        for each in comparison.clauses
        for change in each.changes
    ]
