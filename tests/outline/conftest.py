"""Contracts made of the tests' own words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.documents.document import Document, Mark, Page


@pytest.fixture(scope="session")
def document() -> Callable[..., Document]:
    """A document of plain text, made by hand."""

    def make(text: str, *, marks: tuple[Mark, ...] = (), pages: tuple[Page, ...] = ()) -> Document:
        return Document(
            id="0" * 16,
            name="contract.txt",
            path="contract.txt",
            sha256="0" * 64,
            media_type="text/plain",
            reader="test/1",
            text=text,
            pages=pages,
            marks=marks,
        )

    return make


@pytest.fixture(scope="session")
def supply() -> str:
    """A short agreement with recitals, articles, lists, signatures and a schedule."""
    return """SUPPLY AGREEMENT

This Supply Agreement (the "Agreement") is made as of 3 March 2021 between Alder Mills, Inc., a
Delaware corporation ("Supplier"), and Birch Foods Limited, a company registered in England and
Wales ("Buyer").

RECITALS

A. Supplier mills oats and other grains.

B. Buyer wishes to buy milled oats from Supplier.

NOW, THEREFORE, the parties agree as follows:

1. DEFINITIONS

1.1 "Effective Date" means 1 April 2021.

1.2 "Goods" means the milled oats described in Schedule 1.

2. SUPPLY

2.1 Orders. Buyer shall order the Goods in writing. Each order is subject to
Section 2.3 and no other terms apply to it.

2.2 Delivery. Supplier shall:

(a) deliver the Goods to the mill gate;

(b) insure them until delivery, whether or not

(i) the carrier has insured them, or

(ii) Buyer has; and

(c) tell Buyer when they leave.

2.3 Shortage. If Supplier cannot deliver it shall say so as Section 2.2(b)(i) provides.

3. TERM AND TERMINATION

3.1 Term. This Agreement runs for three years from the Effective Date.

3.2 Termination for Convenience. Either party may end this Agreement on ninety days' notice.

4. GENERAL

4.1 Governing Law. This Agreement is governed by the laws of England and Wales.

IN WITNESS WHEREOF, the parties have signed this Agreement.

ALDER MILLS, INC.

By: ______________________

BIRCH FOODS LIMITED

By: ______________________

SCHEDULE 1

The Goods

1. Rolled oats, milled to the customary grade.

2. Pinhead oats, milled to order.
"""
