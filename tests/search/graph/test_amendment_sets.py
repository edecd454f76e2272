"""Several amendments of one agreement, each in words of its own, beside agreements like it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.library.store import Library
from fourcorners.search.graph import AmendmentRelation, links_of

Put = Callable[..., str]

AGREEMENT = """{title}

This {title} is made as of {dated} by and between Alder Mills, Inc., a Delaware corporation
("Supplier"), and Birch Foods Limited, an English company ("Buyer").

1. Supplier shall supply {thing} to Buyer, and Buyer shall pay for it.
"""
CHANGE = """

1. Section 2 of the Agreement is deleted and replaced by: "2. The price is $6 a bag."

2. All else remains in full force.
"""
BY_DATE = {
    "first": """AMENDMENT NO. 1

This Amendment No. 1 (this "Amendment") is entered into as of May 1, 2016 by and between Alder
Mills, Inc. ("Supplier") and Birch Foods Limited ("Buyer").

WHEREAS, the parties entered into that certain Supply Agreement dated as of March 3, 2015 (the
"Agreement"), and wish to amend it.""",
    "second": """SECOND AMENDMENT TO SUPPLY AGREEMENT

This Second Amendment is made on May 1, 2017 between Alder Mills, Inc. and Birch Foods Limited.

A. The parties are party to a Supply Agreement dated March 3, 2015, as amended by Amendment No. 1
dated May 1, 2016 (together, the "Agreement").""",
    "third": """Third Amendment

Reference is made to the Supply Agreement dated March 3, 2015, as amended on May 1, 2016 (the
"Agreement"), between Alder Mills, Inc. ("Supplier") and Birch Foods Limited ("Buyer").""",
    "fourth": """FOURTH AMENDING AGREEMENT

THIS FOURTH AMENDING AGREEMENT is dated 1 May 2020

BETWEEN:

ALDER MILLS, INC. ("Supplier")

AND

BIRCH FOODS LIMITED ("Buyer")

WHEREAS the Supplier and the Buyer entered into a supply agreement dated as of March 3, 2015 (as
amended by a first amending agreement and a second amendment, the "Supply Agreement");""",
    "addendum": """ADDENDUM NO. 6

to the

SUPPLY AGREEMENT

dated March 3, 2015

between Alder Mills, Inc. (“Supplier”) and Birch Foods Limited (“Buyer”)

This Addendum is dated May 1, 2021.""",
    "letter": """May 1, 2022

Birch Foods Limited
4 Quay, London

Re: Amendment No. 7 to Supply Agreement dated March 3, 2015

Dear Sirs,

This letter amends the Supply Agreement dated March 3, 2015 between Alder Mills, Inc. and Birch
Foods Limited (the "Agreement").""",
    "deed": """DEED OF VARIATION (No. 8)

THIS DEED is dated 1 May 2023 and made between Alder Mills, Inc. (the Supplier) and Birch Foods
Limited (the Buyer).

BACKGROUND

(A) This deed is supplemental to a supply agreement dated 3 March 2015 made between the Supplier
and the Buyer (the "Agreement").""",
    "bare": """NINTH AMENDMENT TO AGREEMENT

This Ninth Amendment to Agreement is entered into as of May 1, 2024 by Alder Mills, Inc. and Birch
Foods Limited and amends the Agreement made between them as of March 3, 2015.""",
    "waiver": """WAIVER AND FIRST AMENDMENT

This Waiver and First Amendment, dated as of May 2, 2016, is among Alder Mills, Inc. and Birch Foods
Limited. Capitalized terms have the meanings in the Supply Agreement, dated as of March 3, 2015 (the
"Agreement"), between the parties, which is amended as follows:""",
    "effective": """AMENDMENT

Amendment effective May 5, 2016 to the Agreement dated March 3, 2015 between Alder Mills, Inc.
("Supplier") and Birch Foods Limited ("Buyer").""",
    "supplemental": """SUPPLEMENTAL AGREEMENT

This Supplemental Agreement dated 5 May 2016 is made between Alder Mills, Inc. (“Supplier”) and
Birch Foods Limited (“Buyer”) and is supplemental to the supply agreement made between them on 3
March 2015 (the “Original Agreement”).""",
    "modification": """MODIFICATION AGREEMENT NO. 3

This Modification Agreement No. 3 is between Alder Mills, Inc. and Birch Foods Limited, who signed a
Supply Agreement on March 3, 2015 (the "Agreement") and now modify it.""",
    "side": """SIDE LETTER

May 3, 2016

Alder Mills, Inc. and Birch Foods Limited have a Supply Agreement of March 3, 2015 (the
"Agreement"), to which this letter belongs.""",
    "correction": """LETTER OF CORRECTION

Dated May 4, 2016

Alder Mills, Inc. and Birch Foods Limited have found a mistake in the Supply Agreement that they
made on March 3, 2015 (the "Agreement").""",
    "headed": """Alder Mills, Inc.
3 Weir Street, Leeds

May 6, 2016

Birch Foods Limited

Dear Madam,

Supply Agreement dated March 3, 2015

We write about this Agreement.""",
    "varied": """DEED OF VARIATION

THIS DEED is dated 7 May 2016 and made between ALDER MILLS, INC. (the Supplier) and BIRCH FOODS
LIMITED (the Buyer).

(A) The parties concluded a supply agreement on 3 March 2015 (the Agreement).""",
}
BY_TITLE = {
    "number": """AMENDMENT NUMBER FOUR TO THE SUPPLY AGREEMENT

This Amendment Number Four, effective as of May 1, 2019, amends the Supply Agreement (the
"Agreement") between Alder Mills, Inc. ("Supplier") and Birch Foods Limited ("Buyer").""",
    "sign": """AMENDMENT #10 TO SUPPLY AGREEMENT

This Amendment #10 ("Amendment 10") to the Supply Agreement ("Agreement") is between Alder Mills,
Inc. ("Supplier") and Birch Foods Limited ("Buyer") and is effective May 1, 2025.""",
}


@pytest.fixture
def agreement(put: Put) -> str:
    put(
        "licence.txt",
        AGREEMENT.format(title="Licence Agreement", dated="May 1, 2014", thing="a mark"),
    )
    return put(
        "supply.txt",
        AGREEMENT.format(title="Supply Agreement", dated="March 3, 2015", thing="flour"),
    )


def test_all_amendments_of_a_set_are_linked(library: Library, put: Put, agreement: str) -> None:
    amendments = {
        put(f"{name}.txt", words + CHANGE): name for name, words in (BY_DATE | BY_TITLE).items()
    }
    found = links_of(library).amended_by(agreement)
    assert {amendments[each.document] for each in found} == {*BY_DATE, *BY_TITLE}
    assert {each.relation for each in found} == {AmendmentRelation.AMENDS}


def test_a_later_agreement_of_the_same_name_is_another(
    library: Library, put: Put, agreement: str
) -> None:
    later = put(
        "supply-2.txt",
        AGREEMENT.format(title="Supply Agreement", dated="April 9, 2018", thing="oats"),
    )
    amendments = {
        put(f"{name}.txt", words + CHANGE): name for name, words in (BY_DATE | BY_TITLE).items()
    }
    links = links_of(library)
    assert {amendments[each.document] for each in links.amended_by(agreement)} == {*BY_DATE}
    assert links.amended_by(later) == []


@pytest.mark.parametrize(
    "words",
    [
        "Dear Madam,\n\nThe flour under our Supply Agreement dated March 3, 2015 came late again.",
        "Dear Madam,\n\nWe pay what clause 2 of the Supply Agreement dated March 3, 2015 asks.",
    ],
)
def test_a_letter_that_changes_nothing_is_no_amendment(
    library: Library, put: Put, agreement: str, words: str
) -> None:
    put("letter.txt", f"Alder Mills, Inc.\n\nMay 6, 2016\n\nBirch Foods Limited\n\n{words}\n")
    assert links_of(library).amended_by(agreement) == []
