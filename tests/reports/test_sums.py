"""Which sums the summary of a report names for a contract."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fourcorners.reports.chapters.front import sum_runs
from fourcorners.reports.grid import Grid
from fourcorners.review.finding import CellState, Review, RiskAnswer


def sums(review: Review, text: str, amount: str = "") -> str:
    found = next(f for f in review.findings if f.state is CellState.FOUND)
    asked = RiskAnswer("How much?", amount, id="amount", value=amount)
    finding = replace(
        found, evidence=(), answers=(asked,) if amount else (), amendments=(), searched=None
    )
    document = replace(next(d for d in review.documents if d.id == found.document), text=text)
    (head,) = [each for each in review.columns if each.id == found.provision]
    grid = Grid(replace(review, documents=(document,), columns=(head,), findings=(finding,)))
    return "".join(run.text for run in sum_runs(grid.rows[0], document)).removeprefix(
        f"{head.name}: "
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The Buyer shall pay an Annual Fee of $35,000.", "Annual Fee: $35,000 (to be read)"),
        ("Charges paid and payable for a year and $5 million limit it.", ""),
        ("The monthly rent is £900.", "Monthly rent: £900 (to be read)"),
        (
            "The price for each further user is EUR 40. A deposit of EUR 500 is due on signature.",
            "Price: EUR 40; Deposit: EUR 500 (to be read)",
        ),
        (
            "A fee of $1 is due. A fee of $2 is due. A fee of $3, a fee of $4 and a fee of $5.",
            "Fee: $1; Fee: $2; Fee: $3; and 2 more (to be read)",
        ),
        ("The Seller's liability for Fees shall not exceed $35,000.", ""),
        ("Apart from the Price, a party is liable for $35,000.", ""),
        ("The Carrier insures the goods for $35,000.", ""),
        ("The Fee is two per cent per $1,000 traded.", ""),
    ],
)
def test_a_sum_is_named_if_it_is_called_a_fee_or_price(
    review: Review, text: str, wanted: str
) -> None:
    assert sums(review, text) == wanted


def test_what_answers_state_comes_first_and_is_not_to_be_read(review: Review) -> None:
    assert sums(review, "Nothing is paid.", "£2 million") == "£2 million"
    both = sums(review, "The rent is £900 a month.", "£2 million")
    assert both == "£2 million; Rent: £900 (to be read)"
