from __future__ import annotations

import pytest

from fourcorners.precedents.terms import ClauseTerms, Holder, query_terms


@pytest.mark.parametrize(
    ("query", "holder", "figures"),
    [
        ("customer's termination on 30 days' notice", Holder.PAYING, ["30 days"]),
        ("audit of the supplier by the customer", Holder.PAYING, []),
        ("vendor indemnity", Holder.PAID, []),
        ("supplier not to solicit the customer's staff", Holder.PAID, []),
        ("cap on the landlord's liability at £1m", Holder.PAID, ["£1m"]),
        ("mutual confidentiality for five years", Holder.EACH, ["five years"]),
        ("net 45 payment terms", None, ["45 days"]),
        ("termination for the supplier's insolvency", None, []),
        ("assignment with the landlord's consent", None, []),
        ("customer-friendly indemnity", None, []),
        ("a party's liability for fraud", None, []),
    ],
)
def test_a_query_names_who_acts_and_its_figures(
    query: str, holder: Holder | None, figures: list[str]
) -> None:
    wanted = query_terms(query)
    assert wanted.holder is holder
    assert [each.text for each in wanted.figures] == figures


@pytest.mark.parametrize(
    ("text", "holder"),
    [
        ("On ten days' notice the Customer may audit the Supplier's records.", Holder.PAYING),
        ("If Supplier is in breach, Customer may terminate.", Holder.PAYING),
        ("Vendor may, upon 30 days' notice to Client, terminate.", Holder.PAID),
        ("This Agreement may be terminated by either party.", Holder.EACH),
        ("In no event shall the total liability of the Licensor exceed the fees.", Holder.PAID),
        ("The term is renewed for one year.", None),
        ("Tenant may terminate this Lease early. Landlord shall repay the rent.", Holder.PAYING),
    ],
)
def test_the_sentence_about_the_subject_says_who_acts(text: str, holder: Holder | None) -> None:
    assert ClauseTerms(text).holder(query_terms("right to terminate or audit early")) is holder


@pytest.mark.parametrize(
    ("text", "mutual"),
    [
        ("In no event shall either party's total liability exceed the fees paid.", True),
        ("Each Party shall keep it secret. The duty shall not apply to public facts.", True),
        ("Neither party may assign. Assignment shall not affect accrued rights.", True),
        ("Each Party shall keep it secret. The Recipient shall return it.", False),
        ("Larkfield may terminate at any time. Either party may terminate for breach.", False),
        ("The parties agree as follows. The Supplier shall deliver.", False),
        ("Notices are deemed received by the parties after two days.", False),
        ("Supplier shall indemnify Customer. The parties are independent.", False),
    ],
)
def test_a_clause_is_mutual_only_if_all_that_it_says_is(text: str, mutual: bool) -> None:
    assert ClauseTerms(text).is_mutual is mutual


@pytest.mark.parametrize(
    ("text", "agrees"),
    [
        ("on thirty (30) days' notice", 1.0),
        ("on one (1) month's notice", 1.0),
        ("on 60 days' notice", -1.0),
        ("a fee of 30%", -0.5),
    ],
)
def test_figures_agree_by_value_and_kind(text: str, agrees: float) -> None:
    assert ClauseTerms(text).figure_agreement(query_terms("30 days' notice")) == agrees
