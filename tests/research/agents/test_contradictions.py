"""Figures of statements for which quotes have different ones."""

from __future__ import annotations

import pytest

from fourcorners.research.agents.contradictions import contradicting_figures
from fourcorners.research.agents.figures import find_figures
from fourcorners.research.agents.statement_check import check_quotes
from fourcorners.research.answer import Verification


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        (
            "Liability shall not exceed £5,000,000.",
            "The liability shall not exceed £500,000 a year.",
        ),
        ("The fee is USD 96,000 a year.", "The annual fee is USD48,000 a year, payable monthly."),
        ("The Term ends on 1 May 2030.", "The Term ends on 1 May 2029."),
        ("It bears interest at 12% a year.", "It bears interest at 1.2% a year."),
        ("Notice of 60 days is due.", "A notice of thirty (30) days is due."),
        ("The Fee is £200 and the Bond is £100.", "The Fee is £100 and the Bond is £200."),
        ("Liability is limited to £9 in any year.", "The liability is limited to £5 a year."),
        (
            "The Mill pays £9 on loading and £3 on unloading.",
            "The Mill shall pay £3 on loading and £9 on unloading.",
        ),
    ],
)
def test_a_figure_in_the_place_of_another_contradicts_it(statement: str, quote: str) -> None:
    known = find_figures(statement)  # as if it were computed, or said
    standing, problem = check_quotes(statement, [quote], known)
    assert standing is Verification.UNVERIFIED
    assert "not what the words quoted have there" in problem


def test_a_computed_figure_contradicts_one_of_the_same_role() -> None:
    quote = "The annual fee is EUR 40,000, payable in monthly instalments of EUR 4,000."
    known = find_figures("12 * EUR 4,000 = EUR 48,000")
    statement = "The fee is EUR 48,000 a year."
    assert contradicting_figures(statement, [quote], known) == ["EUR 48,000 per year"]


@pytest.mark.parametrize(
    ("calculation", "statement", "quote"),
    [
        ("12 * £100 = £1,200", "The service charge is £1,200 a year.",
         "The annual rent is £12,000 and the service charge is £100 a month."),
        ("5 * £12,000 = £60,000", "The total rent is £60,000.",
         "The rent is £12,000 a year for five years. The rent deposit is £3,000."),
        ("12 * £100 = £1,200", "The Fee is £1,200 a year.", "The Fee is £100 a month."),
        ("£100 * 104% = £104", "The monthly Fee is £104.",
         "The monthly Fee is £100. It rises by four per cent each year."),
        ("12 * £100 = £1,200", "The Depositor pays £1,200 a year for storage.",
         "The annual rent is £12,000. Storage of goods costs the Depositor £100 a month."),
        ("£100 + £20 = £120", "The Fee and the charge are £120 a year.",
         "The annual Fee is £100 and the charge is £20 a year."),
    ],
)  # fmt: skip
def test_a_computed_figure_is_not_what_it_is_computed_from(
    calculation: str, statement: str, quote: str
) -> None:
    assert contradicting_figures(statement, [quote], find_figures(calculation)) == []


@pytest.mark.parametrize(
    ("calculation", "statement", "quote"),
    [
        ("3 * 90 days = 270 days", "The Tenant may leave by giving 270 days' written notice.",
         "The Tenant may leave by giving 90 days' written notice."),
        ("12 * £100 = £1,200", "The monthly Fee is £1,200.",
         "The monthly Fee is £100. Arrears bear interest at 4%."),
    ],
)  # fmt: skip
def test_a_computed_figure_in_the_place_of_its_source_contradicts_it(
    calculation: str, statement: str, quote: str
) -> None:
    assert contradicting_figures(statement, [quote], find_figures(calculation))


@pytest.mark.parametrize(
    "amendment",
    [
        "In clause 15, “£5,000” is replaced by “£9,000”.",
        "The cover in clause 15 is increased from £5,000 to £9,000.",
        "Instead of £5,000 the parties agree £9,000 for clause 15.",
    ],
)
def test_an_amended_figure_does_not_contradict_the_one_in_its_place(amendment: str) -> None:
    cover = "15. The Supplier shall maintain cover of not less than £5,000 for each claim."
    statement = "The Supplier shall maintain cover of not less than {} for each claim."
    quotes = [cover, f"{amendment} The fee of £8,000 stays."]
    assert contradicting_figures(statement.format("£9,000"), quotes) == []
    assert contradicting_figures(statement.format("£8,000"), quotes) == ["£8,000"]
    assert contradicting_figures(statement.format("£9,000"), [cover, "A fee of £9,000."])


# What a quote says, what else it says, and what is true by both and what is not.
PLACED = (
    ("The fee is €40 in the first year. It then rises to €50.",
     "After the first year the fee is €50.", "In the first year the fee is €50."),
    ("The toll is £3 before the bridge opens, and drivers pay £8 afterwards.",
     "After the bridge opens the toll is £8.", "Before the bridge opens the toll is £8."),
    ("The discount is 4% during the first three months and 9% after the first three months.",
     "After the first three months the discount is 9%.",
     "After the first three months the discount is 4%."),
    ("The deposit is $70 in year 1. Guests staying on pay $90.",
     "In year 2, the deposit is $90.", "In year 1, the deposit is $90."),
    ("Notice of 30 days is due in the initial term and of 60 days after the initial term.",
     "After the initial term, 60 days' notice is due.",
     "After the initial term, 30 days' notice is due."),
    ("The salary is £900. The salary is raised to £950 after the second year.",
     "From the third year, the salary is £950.", "After the second year, the salary is £900."),
    ("The rent is £500 until the 2nd quarter. It becomes £650 thereafter.",
     "After the second quarter the rent is £650.", "Until the 2nd quarter the rent is £650."),
    ("The cap is £2 million for 2031, £3 million for 2032 and £4 million for 2033.",
     "The cap is £4 million in 2033.", "The cap is £3 million in 2033."),
    ("The cap is £2 million for 2031 and £3 million for 2032.",
     "The cap is £3 million in 2032 and £2 million in 2031.",
     "The cap is £3 million in 2031 and £2 million in 2032."),
    ("The quota is 500 crates in fiscal years 2031 and 2032 and 700 crates in fiscal year 2033.",
     "In fiscal year 2032 the quota is 500 crates.",
     "In fiscal year 2033 the quota is 500 crates."),
    ("Before 2031, the toll is 30 cents, and the toll is 40 cents after 2031.",
     "After 2031 the toll is 40 cents.", "After 2031 the toll is 30 cents."),
    ("The fee is £4 in the first year and £5 in the second year.",
     "The fee is £5 in the second year and £4 in the first year.",
     "The fee is £5 in the first year and £4 in the second year."),
)  # fmt: skip


@pytest.mark.parametrize(("quote", "true", "false"), PLACED)
def test_figures_are_compared_at_the_same_time(quote: str, true: str, false: str) -> None:
    assert contradicting_figures(true, [quote]) == []
    assert contradicting_figures(false, [quote])


SWAPPED = (
    ("Interest is 2% a month on rent and 5% a year on charges.",
     "Charges bear interest of 5% a year.", "Interest is 5% a year on rent."),
    ("The levy is 2% for glass and 5% for timber.",
     "For timber the levy is 5%.", "The levy is 5% for glass and 2% for timber."),
    ("The Broker receives 3% of each sale, the Agent 7% of each lease.",
     "The Agent receives 7% of each lease.", "The Broker receives 7% of each sale."),
    ("A Guide earns £90 a day on the river, and £400 a week on the lake.",
     "On the lake, a Guide earns £400 a week.", "On the river, a Guide earns £400 a week."),
)  # fmt: skip


DINER = (
    "If the Diner finds a fault, the Diner shall, within such thirty (30) day period, give the "
    "Farm written notice of such fault: Unless the Farm objects, within 20 working days from the "
    "notice by the Diner, to the fault the Diner returns the milk."
)
BUYER = (
    "Within thirty (30) days after delivery, the Buyer may reject the seed by notice to the "
    "Grower. The Grower shall, within 20 working days of the notice, replace the seed."
)
FERRY = (
    "The Ferry sails, (a) on 60 days' notice by the Port, without penalty, or (b) on 90 days' "
    "notice by the Owner."
)
SET_OFF = (
    (DINER, "The Diner gives the Farm written notice of the fault within the thirty day period.",
     "The Diner gives the Farm written notice of the fault within 20 working days."),
    ("The Carrier shall, within 10 days, return the pallets and, within two months, repair racks.",
     "The Carrier shall return the pallets within 10 days.",
     "The Carrier shall return the pallets within two months."),
    (BUYER, "The Grower shall replace the seed within 20 working days.",
     "The Grower shall replace the seed within thirty days."),
    (FERRY, "It may sail without penalty, but the Owner gives 90 days' notice.",
     "It may sail without penalty, but the Owner gives 60 days' notice."),
)  # fmt: skip


@pytest.mark.parametrize(("quote", "true", "false"), [*SWAPPED, *SET_OFF])
def test_a_figure_belongs_to_the_nearest_words(quote: str, true: str, false: str) -> None:
    assert contradicting_figures(true, [quote]) == []
    assert contradicting_figures(false, [quote])


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("Timber and glass bear a levy of 5% and 2% respectively.",
         "Glass and timber bear a levy of 2% and 5% respectively."),
        ("Boats pay €90 and cars €30.", "Cars and boats pay, respectively, €30 and €90."),
    ],
)  # fmt: skip
def test_figures_in_the_order_of_other_words_are_not_compared(statement: str, quote: str) -> None:
    assert contradicting_figures(statement, [quote]) == []


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The Rent is GBP 4,000 a month.", "The Rent is GBP 48,000 a year, payable monthly."),
        ("Liability for death shall not exceed £9,000.",
         "Liability shall not exceed £5,000, and for death shall not exceed £9,000."),
        ("The Landlord pays £9,000 for death.",
         "The Landlord pays £5,000 for loss and £9,000 for death."),
        ("Orders over £2,000 have a discount of 8%.",
         "Discounts: 5% for orders over £900 and 8% for orders over £2,000."),
        ("Children pay £50.", "A fee of £100 applies to adults, £50 to children."),
        ("The Fee is £1,200 for 12 months.", "The Fee is £100 a month."),
        ("The rent is £4 a month.", "The rent is £48 a year, due as rent of £4 a month."),
        ("The Guide lists the Harbour Act 1903 among its sources.",
         "The Guide lists the Pilots Act 1925 among its sources, the Harbour Act 1903 and others."),
        ("The fee is €900 a month.", "The fee is €9,000 a year, in instalments of €900 a month."),
    ],
)  # fmt: skip
def test_a_figure_in_another_place_does_not(statement: str, quote: str) -> None:
    assert contradicting_figures(statement, [quote]) == []


def test_the_nearest_words_say_what_a_figure_measures() -> None:
    measured = "storage of chilled goods in the northern warehouse costs"
    quote = (
        "Where the carrier, its agents and insurers agree on routes, vessels, crews and ports of "
        f"refuge without delay or protest {measured} EUR 900 per pallet."
    )
    statement = (
        "Whatever the consignee believes, prefers or demands when invoices arrive late from "
        f"brokers abroad {measured} EUR 700 per pallet."
    )

    assert contradicting_figures(statement, [quote])
