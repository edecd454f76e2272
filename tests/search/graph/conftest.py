"""A room of small contracts that amend, restate, define and except, read as files are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from fourcorners.documents.document import Document
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages

Put = Callable[..., str]

SUPPLY = """SUPPLY AGREEMENT

This Supply Agreement is dated 4 March 2021 and made between Alder Components Limited
("Supplier") and Birch Retail Limited ("Customer").

1. DEFINITIONS

1.1 In this Agreement:

"Change of Control" means that a person who did not control the Supplier comes to control it.

"Goods" means the valves listed in Schedule 1.

"Rejected Lot" means a lot of Goods that fails a test under clause 3.1.

2. SUPPLY

2.1 The Supplier shall sell the Goods and the Customer shall buy them, subject to clause 4.1.

2.2 The Customer may return a Rejected Lot within thirty days.

3. TESTS

3.1 Each lot is tested for leaks before it leaves the works of the Supplier.

4. ENDING

4.1 The Customer may terminate this Agreement at once upon a Change of Control.

4.2 Notwithstanding clause 4.1, nobody may terminate this Agreement before 1 May 2022.

5. PRICE

5.1 The price of a valve is nine pounds.

SCHEDULE 1

Valves of brass and of steel.
"""

AMENDMENT = """AMENDMENT NO. 2 TO THE SUPPLY AGREEMENT

This Amendment No. 2 is made on 9 June 2023 between Alder Components Limited and Birch Retail
Limited.

WHEREAS the parties entered into a Supply Agreement dated 4 March 2021, and wish to amend it.

1. Words defined in the Supply Agreement bear the same meaning here.

2. Clause 5.1 of the Supply Agreement is hereby deleted and replaced with the following:

"5.1 The price of a valve is eleven pounds."

3. The following is added as clause 2.3:

"2.3 The Customer shall inspect each Rejected Lot with care."

4. All else remains in full force.
"""

OTHER = """SUPPLY AGREEMENT

This Supply Agreement is dated 7 July 2020 and made between Cedar Mills Limited ("Supplier") and
Birch Retail Limited ("Customer").

1. SUPPLY

1.1 The Supplier shall sell flour to the Customer.
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "room.db") as opened:
        yield opened


@pytest.fixture
def put(library: Library) -> Put:
    """Add a contract as it is added from a file; return its id."""

    def one(name: str, text: str, collection: str = "Larch") -> str:
        digest = sha256(f"{name}{text}".encode()).hexdigest()
        document = Document(
            id=digest[:16],
            name=name,
            path=f"room/{name}",
            sha256=digest,
            media_type="text/plain",
            reader="plain/1",
            text=text,
        )
        outline = build_outline(document)
        card = read_card(document, outline)
        library.add(
            document, outline, card, cut_passages(document, outline), None, collection=collection
        )
        return library.document_with(document.sha256, collection) or ""

    return one


@pytest.fixture
def room(put: Put) -> dict[str, str]:
    """The ids of three contracts: two supply agreements and the amendment of the first."""
    return {
        "supply": put("supply.txt", SUPPLY),
        "amendment": put("second-amendment.txt", AMENDMENT),
        "other": put("flour.txt", OTHER),
    }
