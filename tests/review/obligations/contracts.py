"""An invented contract with obligations of many kinds."""

from __future__ import annotations

CONTRACT = """SUPPLY AGREEMENT

This Supply Agreement (the "Agreement") is made and entered into as of March 1, 2025 (the
"Effective Date") by and between Alder Mills, Inc., a Delaware corporation ("Supplier"), and Birch
Foods LLC, a New York limited liability company ("Buyer").

NOW, THEREFORE, the parties agree as follows:

1. TERM

1.1 Term. The term of this Agreement shall commence on the Effective Date and shall continue in full
force and effect until May 31, 2027, unless earlier terminated as provided herein.

2. SUPPLY

2.1 Delivery. Supplier shall deliver the Panels within ten (10) days after receipt of an order, and
shall install them. Supplier shall: (a) test each Panel; (b) keep records of the tests; and (c) not
later than the first day of each month, report them to Buyer.

2.2 Plan. Within thirty (30) days after the Effective Date, Supplier shall deliver a plan of supply.
Buyer shall give its comments on or before April 15, 2025.

2.3 Exclusivity. In no event shall Supplier sell Panels to others in the Territory. Buyer may not
resell them unless Supplier consents.

2.4 Return. Buyer agrees to return the moulds within sixty (60) days after the end of the term.

3. PAYMENT

3.1 Price. All invoices shall be paid within thirty (30) days after receipt. Taxes shall be borne by
Buyer.

4. GENERAL

4.1 Secrets. Each party shall keep the other's secrets. Neither party shall assign this Agreement.
The party receiving notice of a claim must inform the other party promptly.

4.2 Law. This Agreement shall be governed by the laws of the State of New York. "Panel" shall mean a
panel of oak. Buyer may inspect the mill. Supplier shall be entitled to interest, and shall not be
liable for delay.

IN WITNESS WHEREOF, the parties have executed this Agreement as of the Effective Date.

By: /s/ A. Alder
By: /s/ B. Birch
"""
AMENDMENT = """AMENDMENT NO. 1 TO THE SUPPLY AGREEMENT

This Amendment No. 1 to the Supply Agreement is dated May 2, 2025 and made between Alder Mills, Inc.
("Supplier") and Birch Foods LLC ("Buyer"). It amends the Supply Agreement dated March 1, 2025.

1. In clause 2.2, the words “April 15, 2025” are replaced by “May 15, 2025”.

2. In clause 1.1, the words “until May 31, 2027” are replaced by “until May 31, 2029”.

3. All other terms remain in force.
"""
