"""Invented contracts whose terms end, renew and are changed."""

from __future__ import annotations

OPENING = """DISTRIBUTION AGREEMENT

This Distribution Agreement (the "Agreement") is made and entered into as of {dated} (the
"Effective Date") by and between {seller}, Inc., a Delaware corporation ("Supplier"), and Birch
Foods LLC, a New York limited liability company ("Distributor").

WHEREAS, Supplier mills oats, and Distributor wishes to sell them;

NOW, THEREFORE, the parties agree as follows:

1. APPOINTMENT

1.1 Supplier appoints Distributor as its distributor of the Products in the Territory.

1.2 Distributor shall pay each invoice within thirty (30) days after it is received.

2. TERM AND TERMINATION

2.1 Term. {term}

2.2 Termination. Either party may terminate this Agreement for a material breach that is not cured
within sixty (60) days after written notice of it.

3. MISCELLANEOUS

3.1 This Agreement shall be governed by the laws of the State of New York.

IN WITNESS WHEREOF, the parties have executed this Agreement as of the Effective Date.

By: /s/ A. Alder
By: /s/ B. Birch
"""
RENEWS = (
    "The initial term of this Agreement shall commence on the Effective Date and shall continue "
    'until October 31, 2026 (the "Initial Term"). Thereafter, this Agreement shall automatically '
    "renew for successive one (1) year terms unless either party gives the other party written "
    "notice of non-renewal at least ninety (90) days prior to the end of the then current term."
)
ENDS = (
    "The term of this Agreement shall commence on the Effective Date and shall continue in full "
    "force and effect until May 31, 2027, unless earlier terminated as provided herein."
)
VAGUE = (
    "This Agreement lasts for as long as the mill stands, and is renewed by itself each year with "
    "the harvest."
)
AMENDMENT = """AMENDMENT NO. 1 TO THE DISTRIBUTION AGREEMENT

This Amendment No. 1 to the Distribution Agreement is dated May 2, 2026 and made between Cedar
Mills, Inc. ("Supplier") and Birch Foods LLC ("Distributor"). It amends the Distribution Agreement
dated June 1, 2025.

1. In clause 2.1, the words “until May 31, 2027” are replaced by “until May 31, 2029”.

2. All other terms remain in force.
"""


def contract(term: str, *, dated: str = "March 1, 2025", seller: str = "Alder Mills") -> str:
    """Return a contract with a clause on its term."""
    return OPENING.format(dated=dated, seller=seller, term=term)
