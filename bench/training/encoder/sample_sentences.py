"""Texts of contract language, from a few words to a long clause, to compare models on."""

from __future__ import annotations

import random

OPENINGS = (
    "Unless the parties agree otherwise in writing,",
    "Subject to clause {n}.{m},",
    "Notwithstanding anything to the contrary in this Agreement,",
    "During the Term and for {w} months after it ends,",
    "If a Change of Control of the {a} takes place,",
    "On the expiry of {w} days after receipt of a written notice,",
    "Except to the extent that applicable law provides differently,",
    "Without prejudice to its other rights,",
)
ACTS = (
    "the {a} shall indemnify the {b} against every loss arising from a breach of clause {n}.{m}",
    "the {a} may terminate this Agreement without giving a reason on {w} days' notice to the {b}",
    "neither party may assign or transfer its rights without the other's prior written consent",
    "the total liability of the {a} is limited to {w} times the fees paid in the preceding year",
    "the {a} shall keep accurate books and allow the {b} to inspect them once in a calendar year",
    "the {a} shall not appoint another distributor of the Products within the Territory",
    "this Agreement is governed by, and construed in accordance with, the laws of {p}",
    "the {a} grants the {b} a non-exclusive licence to use the Marks for the sale of the Products",
    "each party shall hold the other's Confidential Information in strict confidence",
    "the {b} shall pay each undisputed invoice within {w} days, failing which interest accrues",
    "this Agreement renews for successive periods of {w} months unless either party objects",
    "the {a} shall maintain public liability insurance of at least {p} currency units {w},000,000",
    "all intellectual property that results from the Services vests in the {b} upon creation",
    "a failure caused by flood, war, strike or an act of government is not a breach",
    "the {a} shall not solicit any employee of the {b} for {w} months",
    "the parties submit to the exclusive jurisdiction of the courts of {p}",
)
TAILS = (
    "",
    ", provided that the {b} has given prompt notice of the claim",
    ", save in the case of fraud, wilful default or death caused by negligence",
    " and this obligation survives termination",
    ", and any purported act to the contrary is void",
    " (and, where the {b} so requests, shall certify in writing that it has done so)",
    ", except for schedule {m}, which continues until {w} 31 December 20{n}",
)
SHORT = (
    "governing law",
    "termination for convenience",
    "12. LIMITATION OF LIABILITY",
    "Effective Date: 3 March 2021",
    "may the buyer walk away early?",
    "§ 7.2(a)(ii) – “Material Adverse Effect”",
    "Übertragung der Rechte",
    "IN WITNESS WHEREOF the parties have signed",
)
ROLES = ("Supplier", "Customer", "Licensor", "Licensee", "Company", "Distributor", "Lender")
PLACES = ("England and Wales", "the State of Delaware", "Ontario", "Singapore", "Ireland")


def sample_sentences(count: int = 200, *, seed: int = 20210303) -> list[str]:
    """Return `count` texts: short ones, single sentences, and clauses of up to ten sentences."""
    draw = random.Random(seed)

    def sentence() -> str:
        first, second = draw.sample(ROLES, 2)
        words = " ".join((draw.choice(OPENINGS), draw.choice(ACTS))) + draw.choice(TAILS) + "."
        return words.format(
            a=first,
            b=second,
            n=draw.randint(2, 29),
            m=draw.randint(1, 9),
            w=draw.choice((3, 6, 12, 30, 45, 60, 90)),
            p=draw.choice(PLACES),
        )

    texts = list(SHORT)
    while len(texts) < count:
        texts.append(" ".join(sentence() for _ in range(draw.choice((1, 1, 2, 3, 5, 10)))))
    return texts[:count]
