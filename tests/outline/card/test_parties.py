"""Parties as invented contracts introduce them: in lines, tables, schedules and brackets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card

FORMS = {
    "name-term": (
        """HALL HIRE DEED

Date: 4 June 2024

Parties

Name: Tamworth Halls Pty Ltd
ACN: 600 100 200
Term: Keeper
Address: 8 Wharf Road, Geelong, Victoria

Name: Bellbird Choir Incorporated
Term: Choir
Address: 2 Hill Street, Ballarat, Victoria

1. DUTIES
The Keeper shall keep the hall. The Choir shall pay GBP 40 a week.

2. LAW
This agreement is governed by the law of England and Wales.
""",
        [("Tamworth Halls Pty Ltd", "Keeper"), ("Bellbird Choir Incorporated", "Choir")],
    ),
    "name-short": (
        """HALL HIRE AGREEMENT

Party 1
Name: Tamworth Halls Pty Ltd
ABN: 12 600 100 200
Short form: the Keeper

Party 2
Name: Bellbird Choir Incorporated
Short form: the Choir

1. DUTIES
The Keeper shall keep the hall. The Choir shall pay GBP 40 a week.

2. LAW
This agreement is governed by the law of England and Wales.
""",
        [("Tamworth Halls Pty Ltd", "Keeper"), ("Bellbird Choir Incorporated", "Choir")],
    ),
    "bare": (
        """HALL HIRE AGREEMENT

This agreement is made on 4 June 2024 between
Drayton Playhouse Trust (the Theatre) and Sandra Okello (the Dancer).

1. DUTIES
The Theatre shall keep the hall. The Dancer shall pay GBP 40 a week.

2. LAW
This agreement is governed by the law of England and Wales.
""",
        [("Drayton Playhouse Trust", "Theatre"), ("Sandra Okello", "Dancer")],
    ),
    "hereinafter": (
        """HALL HIRE AGREEMENT

This agreement is made on 4 June 2024 between
Drayton Playhouse Limited, hereinafter: Drayton, and
Kite & Lantern Limited, hereinafter: Kite.

1. DUTIES
Drayton shall keep the hall. Kite shall pay GBP 40 a week.

2. LAW
This agreement is governed by the law of England and Wales.
""",
        [("Drayton Playhouse Limited", "Drayton"), ("Kite & Lantern Limited", "Kite")],
    ),
    "called": (
        """HALL HIRE AGREEMENT

This agreement is made on 4 June 2024 between
Drayton Playhouse Limited (called the Theatre in what follows) and
Kite & Lantern Limited (called Kite).

1. DUTIES
The Theatre shall keep the hall. Kite shall pay GBP 40 a week.

2. LAW
This agreement is governed by the law of England and Wales.
""",
        [("Drayton Playhouse Limited", "Theatre"), ("Kite & Lantern Limited", "Kite")],
    ),
    "called2": (
        """HALL HIRE AGREEMENT

This agreement is made on 4 June 2024 between
Drayton Playhouse Limited, called "Drayton", and Kite & Lantern Limited, called "Kite".

1. DUTIES
Drayton shall keep the hall. Kite shall pay GBP 40 a week.

2. LAW
This agreement is governed by the law of England and Wales.
""",
        [("Drayton Playhouse Limited", "Drayton"), ("Kite & Lantern Limited", "Kite")],
    ),
    "keyterms": (
        """HALL HIRE AGREEMENT

KEY TERMS

Hirer: Kite & Lantern Limited
Owner: Drayton Playhouse Trust
Hall: the Great Hall, Headcorn
Start date: 4 June 2024

1. The Owner lets the Hall to the Hirer.
2. The Hirer shall pay GBP 40 a week.
""",
        [("Kite & Lantern Limited", "Hirer"), ("Drayton Playhouse Trust", "Owner")],
    ),
    "table": (
        """HALL HIRE AGREEMENT

HH1 Date: 4 June 2024
HH2 Parties: Drayton Playhouse Trust (Theatre) and Kite & Lantern Limited (Hirer)
HH3 Hall: the Great Hall, Headcorn
HH4 Rent: GBP 40 a week

1. The Theatre lets the Hall to the Hirer.
2. The Hirer shall pay the Rent.
""",
        [("Drayton Playhouse Trust", "Theatre"), ("Kite & Lantern Limited", "Hirer")],
    ),
    "table2": (
        """LEASE OF A WORKSHOP

PRESCRIBED CLAUSES

LR1. Date of lease: 4 June 2024
LR2. Title number(s): K112233
LR3. Parties to this lease
Landlord: Drayton Playhouse Trust, of 4 High Street, Headcorn
Tenant: Kite & Lantern Limited, company number 06112233
LR4. Property: the workshop at Headcorn

1. The Landlord lets the Property to the Tenant.
2. The Tenant shall pay GBP 40 a week.
""",
        [("Drayton Playhouse Trust", "Landlord"), ("Kite & Lantern Limited", "Tenant")],
    ),
    "schedule": (
        """HALL HIRE AGREEMENT

This agreement is made on 4 June 2024 between the parties whose names are in Schedule 1.

1. The Owner lets the Hall to the Hirer.
2. The Hirer shall pay GBP 40 a week.

SCHEDULE 1
The parties
Owner: Drayton Playhouse Trust, 4 High Street, Headcorn
Hirer: Kite & Lantern Limited, 9 Mill Lane, Ashford

SCHEDULE 2
The Great Hall
""",
        [("Drayton Playhouse Trust", "Owner"), ("Kite & Lantern Limited", "Hirer")],
    ),
    "numbered": (
        """HALL HIRE AGREEMENT

Dated 4 June 2024

PARTIES

1 Drayton Playhouse Trust of 4 High Street, Headcorn, Kent (Theatre)

2 Kite & Lantern Limited of 9 Mill Lane, Ashford, Kent (Hirer)

AGREED TERMS

1. The Theatre lets the Hall to the Hirer.
2. The Hirer shall pay GBP 40 a week.
""",
        [("Drayton Playhouse Trust", "Theatre"), ("Kite & Lantern Limited", "Hirer")],
    ),
    "place": (
        """HALL HIRE AGREEMENT

This agreement is made at Victoria on 4 June 2024 between
Drayton Playhouse Trust, Headcorn ("Drayton"), and
Kite & Lantern Limited, Ashford ("Kite").

1. DUTIES
Drayton shall keep the hall. Kite shall pay GBP 40 a week.

2. LAW
This agreement is governed by the law of England and Wales.
""",
        [("Drayton Playhouse Trust", "Drayton"), ("Kite & Lantern Limited", "Kite")],
    ),
    "place2": (
        """HALL HIRE AGREEMENT

Between
Drayton Playhouse Trust
4 High Street
Headcorn
and
Kite & Lantern Limited
9 Mill Lane
Ashford

1. Drayton lets the hall to Kite.
2. Kite shall pay GBP 40 a week.
""",
        [("Drayton Playhouse Trust", ""), ("Kite & Lantern Limited", "")],
    ),
    "table-pipe": (
        """HALL HIRE AGREEMENT

Item | Particulars
Owner | Drayton Playhouse Trust, Headcorn
Hirer | Kite & Lantern Limited, Ashford
Rent | GBP 40 a week

1. The Owner lets the Hall to the Hirer.
2. The Hirer shall pay the Rent.
""",
        [("Drayton Playhouse Trust", "Owner"), ("Kite & Lantern Limited", "Hirer")],
    ),
    "table-tab": (
        """HALL HIRE AGREEMENT

Owner	Drayton Playhouse Trust
Hirer	Kite & Lantern Limited
Rent	GBP 40 a week

1. The Owner lets the Hall to the Hirer.
2. The Hirer shall pay the Rent.
""",
        [("Drayton Playhouse Trust", "Owner"), ("Kite & Lantern Limited", "Hirer")],
    ),
    "labels": (
        """HALL HIRE AGREEMENT

Owner: Drayton Playhouse Trust
Tenant: Kite & Lantern Limited
Insurer: Oak Mutual plc
Auditor: Reed & Rush LLP
Invoice: Sum Ledgers Limited
Delivery Address: Gate Stores Limited, 4 Quay Street

1. The Tenant shall pay. The Insurer shall pay for damage. The Invoice shall be paid at once.
2. The Auditor shall certify the accounts. The Delivery Address may be changed.
""",
        [("Drayton Playhouse Trust", "Owner"), ("Kite & Lantern Limited", "Tenant")],
    ),
    "no duties": (
        """HALL HIRE AGREEMENT

Keeper: Drayton Playhouse Trust
Choir: Kite & Lantern Limited
Invoice: Sum Ledgers Limited
Delivery Address: Gate Stores Limited, 4 Quay Street

1. The Keeper shall keep the hall. The Choir shall pay GBP 40 a week.
2. The Invoice shall be paid at once. The Delivery Address may be changed. Invoice totals are final.
""",
        [("Drayton Playhouse Trust", "Keeper"), ("Kite & Lantern Limited", "Choir")],
    ),
    "registered": (
        """HALL HIRE AGREEMENT

This agreement is made on 4 June 2024 between
Alder Mills Limited (Registered in England) ("Supplier") and
Brook Bakers Limited (Registered in England) ("Buyer").

1. The Supplier shall deliver. The Buyer shall pay. Registered users may log in.
""",
        [("Alder Mills Limited", "Supplier"), ("Brook Bakers Limited", "Buyer")],
    ),
    "places": (
        """HALL HIRE AGREEMENT

This agreement is made on 4 June 2024 between
Alder Mills Limited (London) and Brook Bakers Limited (Leeds).

1. London offices are closed on Sunday. Leeds opens daily. Each may end this agreement.
""",
        [("Alder Mills Limited", ""), ("Brook Bakers Limited", "")],
    ),
    "place and name": (
        """HALL HIRE AGREEMENT

This agreement is made on 4 June 2024 between
Alder Mills Limited (England), the "Seller", and Brook Bakers Limited (England), the "Buyer".

1. The Seller shall deliver. The Buyer shall pay. England takes part in the fair.
""",
        [("Alder Mills Limited", ""), ("Brook Bakers Limited", "")],
    ),
    "form": (
        """HALL HIRE AGREEMENT

This agreement is made between Alder Halls Limited ("Owner") and ____________ ("Hirer").

1. The Owner shall keep the hall. The Hirer shall pay GBP 40 a week.

IN WITNESS WHEREOF the parties have signed.

ALDER HALLS LIMITED

By: ____________

OAK MUTUAL LIMITED

By: ____________
""",
        [("Alder Halls Limited", "Owner"), ("Hirer", "Hirer")],
    ),
    "titles": (
        """HALL HIRE AGREEMENT

1. The hall is kept clean.

Name: Jane Roe
Title: Trustee

Name: Tom Ash
Title: Manager

2. The Manager shall keep the keys.
""",
        [],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_parties_are_read_in_every_form(document: Callable[..., Document], form: str) -> None:
    text, wanted = FORMS[form]
    made = document(text)
    parties = read_card(made, build_outline(made)).parties
    assert [(each.value.name, each.value.short) for each in parties] == wanted
    named = [each for each in parties if not each.value.is_blank]
    assert all(each.span.text_in(text).split() == each.value.name.split() for each in named)
