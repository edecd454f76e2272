"""Obligations in sentences: whom they bind, to what, and what is none."""

from __future__ import annotations

import time

import pytest

from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.card.read import read_card
from fourcorners.outline.tree import Outline
from fourcorners.review.obligations.obligation import EACH, EITHER, UNNAMED, Obligation
from fourcorners.review.obligations.table import find_obligations
from fourcorners.text.span import Span
from fourcorners_bench.outline.references import text_document
from tests.review.obligations.contracts import CONTRACT

NO_OUTLINE = Outline((), 0.0, windows=True)
SUPPLIER, BUYER = "Supplier (Alder Mills, Inc.)", "Buyer (Birch Foods LLC)"


def _party(name: str, short: str) -> Fact[Party]:
    return Fact(Party(name, short, short), Span(0, 1), 1.0)


CARD = Card(parties=(_party("Alder Mills, Inc.", "Supplier"), _party("Birch Foods LLC", "Buyer")))


def found(text: str) -> list[Obligation]:
    return find_obligations(text, NO_OUTLINE, CARD)


def read(text: str) -> list[tuple[str, str, str]]:
    """Return whom, how and to what each sentence of a text binds."""
    return [
        (each.actor.name, each.kind.value, " ".join(each.action.text_in(text).split()))
        for each in found(text)
    ]


@pytest.mark.parametrize(
    ("text", "party", "action"),
    [
        ("Supplier shall deliver the goods.", SUPPLIER, "deliver the goods"),
        ("The Buyer will promptly pay the price.", BUYER, "pay the price"),
        ("Birch Foods must pay.", BUYER, "pay"),
        ("Supplier agrees to train Buyer's staff.", SUPPLIER, "train Buyer's staff"),
        ("Supplier hereby covenants and agrees to pay.", SUPPLIER, "pay"),
        ("Supplier, at its own cost, shall insure them.", SUPPLIER, "insure them"),
        ("Supplier and its affiliates shall comply.", SUPPLIER, "comply"),
        ("Buyer is required to pay.", BUYER, "pay"),
        ("Each party is responsible for its taxes.", EACH, "responsible for its taxes"),
        ("Supplier shall have the duty to warn.", SUPPLIER, "have the duty to warn"),
        ("Supplier and Buyer shall meet.", EACH, "meet"),
        ("The party receiving notice shall answer.", EITHER, "answer"),
        ("If it is late, Supplier shall pay.", SUPPLIER, "pay"),
        ("During the term of this Agreement Supplier shall insure.", SUPPLIER, "insure"),
        ("It shall be tested by Supplier.", SUPPLIER, "It shall be tested by Supplier"),
        ("Costs shall be the duty of Buyer.", BUYER, "Costs shall be the duty of Buyer"),
        ("The price shall be paid in dollars.", UNNAMED, "The price shall be paid in dollars"),
        ("4.1 Delivery Schedule Supplier shall deliver.", SUPPLIER, "deliver"),
        ("It is agreed that Supplier shall deliver.", SUPPLIER, "deliver"),
        ("Buyer agrees that it will pay.", BUYER, "pay"),
        ("After Supplier delivers, it shall install.", SUPPLIER, "install"),
        ("Supplier is to insure them.", SUPPLIER, "insure them"),
        ("Buyer has to clear the yard.", BUYER, "clear the yard"),
        ("Supplier promises to mend it.", SUPPLIER, "mend it"),
        ("Supplier binds itself to keep it secret.", SUPPLIER, "keep it secret"),
        ("Buyer has agreed to pay by cheque.", BUYER, "pay by cheque"),
        ("Buyer covenants to keep the roof dry.", BUYER, "keep the roof dry"),
        ("It is Buyer's responsibility to obtain visas.", BUYER, "obtain visas"),
        ("It shall be the duty of Supplier to warn.", SUPPLIER, "warn"),
        ("It is incumbent on Buyer to clear the site.", BUYER, "clear the site"),
        ("It is to be mended by Supplier.", SUPPLIER, "It is to be mended by Supplier"),
        ("Tests have to be run by Buyer.", BUYER, "Tests have to be run by Buyer"),
        ("Freight is payable by Buyer in May.", BUYER, "Freight is payable by Buyer in May"),
        ("Supplier shall mend and repaint the gate.", SUPPLIER, "mend and repaint the gate"),
    ],
)  # fmt: skip
def test_who_must_do_what(text: str, party: str, action: str) -> None:
    assert read(text) == [(party, "duty", action)]


@pytest.mark.parametrize(
    ("text", "party"),
    [
        ("pebblr shall host the shop.", "pebblr (pebblr GmbH)"),
        ("If it is late, pebblr shall pay.", "pebblr (pebblr GmbH)"),
        ("It shall be tested by pebblr.", "pebblr (pebblr GmbH)"),
        ("pebblr GmbH must pay.", "pebblr (pebblr GmbH)"),
        ("oneLoft and pebblr shall meet.", EACH),
        ("oneLoft agrees not to resell.", "oneLoft (oneLoft B.V.)"),
        ("Neither oneLoft nor pebblr shall assign it.", EACH),
        ("Costs shall be the duty of oneLoft.", "oneLoft (oneLoft B.V.)"),
    ],
)
def test_a_party_may_begin_with_a_small_letter(text: str, party: str) -> None:
    card = Card(parties=(_party("pebblr GmbH", "pebblr"), _party("oneLoft B.V.", "oneLoft")))
    assert [each.actor.name for each in find_obligations(text, NO_OUTLINE, card)] == [party]


def test_such_a_party_needs_no_short_name() -> None:
    card = Card(parties=(_party("pebblr GmbH", ""), _party("Alder Mills, Inc.", "Supplier")))
    (made,) = find_obligations("pebblr shall host the shop.", NO_OUTLINE, card)
    assert made.actor.parties == ("pebblr GmbH",)


def test_a_word_in_small_letters_is_no_party_of_that_name() -> None:
    card = Card(parties=(_party("Target, Inc.", "Target"), _party("oneLoft B.V.", "oneLoft")))
    assert not find_obligations("The target shall be reached in May.", NO_OUTLINE, card)
    assert not find_obligations("The oneloft will be cleaned.", NO_OUTLINE, card)


@pytest.mark.parametrize(
    ("text", "party", "action"),
    [
        ("Supplier shall not sell them.", SUPPLIER, "sell them"),
        ("Buyer may not resell.", BUYER, "resell"),
        ("Buyer agrees not to resell.", BUYER, "resell"),
        ("In no event shall Supplier sell them.", SUPPLIER, "sell them"),
        ("Neither party shall assign it.", EACH, "assign it"),
        ("Neither Supplier nor Buyer shall assign it.", EACH, "assign it"),
        ("Supplier shall be prohibited from selling.", SUPPLIER, "selling"),
        ("It may not be assigned by Buyer.", BUYER, "It may not be assigned by Buyer"),
        ("Buyer agrees not to copy or to lend it.", BUYER, "copy or to lend it"),
        ("Buyer shall neither copy nor lend it.", BUYER, "copy nor lend it"),
        ("Buyer is not to copy it.", BUYER, "copy it"),
        ("Buyer is forbidden from copying it.", BUYER, "copying it"),
        ("Buyer is not permitted to copy it.", BUYER, "copy it"),
        ("Neither party is allowed to copy it.", EACH, "copy it"),
        ("In no circumstances is Buyer to copy it.", BUYER, "copy it"),
        ("No copy is to be made by Buyer.", BUYER, "No copy is to be made by Buyer"),
    ],
)  # fmt: skip
def test_what_is_forbidden(text: str, party: str, action: str) -> None:
    assert read(text) == [(party, "prohibition", action)]


@pytest.mark.parametrize(
    "text",
    [
        "This Agreement shall be governed by the laws of Ohio.",
        "This Agreement shall terminate on May 1, 2030.",
        "“Goods” shall mean what Supplier sells.",
        "The notice shall be deemed given by Buyer.",
        "Buyer may inspect the mill.",
        "Supplier shall be entitled to interest.",
        "Supplier shall have the right to inspect.",
        "Supplier shall have no obligation to repair.",
        "Supplier shall not be liable for delay.",
        "Buyer shall not be required to pay.",
        "Buyer shall receive a copy.",
        "If Buyer shall fail to pay, interest accrues.",
        "The goods that Supplier shall deliver are oak.",
        "The obligations of Supplier shall survive.",
        "The arbitrator shall decide.",
        "All notices shall be in writing and shall be delivered by hand.",
        "WHEREAS, Supplier will deliver the goods;",
        "At the request of Buyer, the price will change.",
        "No third party shall enforce it.",
        "Supplier and Buyer agree that the price shall be fair.",
        "Buyer is not required to pay.",
        "Buyer does not have to pay.",
        "Supplier is under no obligation to mend it.",
        "Supplier is permitted to enter the yard.",
        "Supplier is at liberty to enter the yard.",
        "Supplier will not accept any liability for frost.",
        "Supplier shall assume no liability for frost.",
        "No liability is accepted by Supplier for frost.",
        "“Count Days” shall be June 1 and December 1 in each year.",
        "Title to the goods is retained by Supplier.",
        "The price is payable in dollars.",
        "The parties agree that it is to their mutual benefit that disputes be short.",
        "Buyer has to this day no licence. It is to such an end that Supplier sells.",
        "In no event shall Supplier be liable for claims that the use has led or may lead to it.",
        "Under no circumstances shall Buyer be liable for frost that has hurt or will hurt it.",
        "Supplier shall no longer have any obligation to grant a discount.",
        "Buyer may end it if, in its reasonable opinion, Supplier will not meet the quota.",
    ],
)
def test_what_is_none(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Supplier delivers a crate every Monday.", [(SUPPLIER, "duty")]),
        ("Buyer pays the fee by the tenth of the month.", [(BUYER, "duty")]),
        ("If it rains, Buyer promptly covers the crates.", [(BUYER, "duty")]),
        ("The parties meet every Monday.", [(EACH, "duty")]),
        ("Supplier makes paint and owns three mills.", []),
        ("Buyer acknowledges the plan of May 1, 2025.", []),
        ("Supplier hereby grants Buyer a licence for two years.", []),
        ("The crate that Supplier delivers every Monday is oak.", []),
        ("If Buyer pays within ten days, the price falls.", []),
        ("Supplier wishes to sell by May 1, 2025.", []),
    ],
)
def test_a_clause_in_the_present_tense_binds(text: str, made: list[tuple[str, str]]) -> None:
    assert [each[:2] for each in read(f"1. {text}")] == made


@pytest.mark.parametrize(
    ("text", "kind", "action"),
    [
        ("Buyer shall not unreasonably withhold its consent.", "prohibition",
         "unreasonably withhold its consent"),
        ("Supplier may not knowingly sell copies.", "prohibition", "knowingly sell copies"),
        ("Neither party shall directly or indirectly lend it.", "prohibition",
         "directly or indirectly lend it"),
        ("Buyer shall not, without the prior written consent of Supplier, assign it.",
         "prohibition", "without the prior written consent of Supplier, assign it"),
        ("Buyer shall only use it at home.", "duty", "only use it at home"),
        ("Supplier will reasonably cooperate.", "duty", "reasonably cooperate"),
        ("Supplier shall hereby promptly mend it.", "duty", "mend it"),
        ("Supplier shall not only deliver but also install them.", "duty",
         "not only deliver but also install them"),
    ],
)  # fmt: skip
def test_words_that_limit_what_must_be_done_are_part_of_it(
    text: str, kind: str, action: str
) -> None:
    assert [each[1:] for each in read(text)] == [(kind, action)]


def test_a_limit_before_a_list_limits_its_points() -> None:
    text = "Buyer shall not knowingly: (a) copy the plans; or (b) lend them."
    assert [each[1:] for each in read(text)] == [
        ("prohibition", "copy the plans"),
        ("prohibition", "lend them"),
    ]
    assert [each.opening.text_in(text) for each in found(text) if each.opening] == [
        "knowingly:"
    ] * 2


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Supplier shall pack (and shall cause its agents to pack) the goods.",
         [(SUPPLIER, "pack (and shall cause its agents to pack) the goods"),
          (SUPPLIER, "cause its agents to pack")]),
        ("Prices are exclusive of (and Buyer shall pay) all taxes.", [(BUYER, "pay) all taxes")]),
        ("Buyer shall inform Supplier in time (and shall help it) to avert loss.",
         [(BUYER, "inform Supplier in time (and shall help it) to avert loss"),
          (BUYER, "help it")]),
        ("Supplier shall bear it (in which case Buyer shall refund the price).",
         [(SUPPLIER, "bear it (in which case Buyer shall refund the price)"),
          (BUYER, "refund the price")]),
        ("Supplier shall send the list (if it has one) and the plans to Buyer.",
         [(SUPPLIER, "send the list (if it has one) and the plans to Buyer")]),
        ("Supplier warrants that i) it is new, and ii) it shall mend it (at cost).",
         [(SUPPLIER, "mend it (at cost)")]),
    ],
)  # fmt: skip
def test_what_brackets_say_ends_with_them(text: str, made: list[tuple[str, str]]) -> None:
    assert [(each[0], each[2]) for each in read(text)] == made


def test_a_condition_among_the_words_that_bind() -> None:
    for text, condition in (
        ("Supplier shall, if Buyer asks for it, deliver a plan.", "if Buyer asks for it"),
        ("Supplier agrees, if the roof is wet, to mend it.", "if the roof is wet"),
        ("Buyer shall not, except as the law requires, show it.", "except as the law requires"),
        ("Buyer shall pay the freight (unless it is late) and the tax.", "unless it is late"),
    ):
        (one,) = found(text)
        assert [each.text_in(text) for each in one.conditions] == [condition]


def test_the_subject_of_a_clause_to_which_another_agrees() -> None:
    for text, party in (
        ("Supplier agrees that, save for tests, Buyer is not free to sell and will not lend it.",
         BUYER),
        ("Supplier agrees that Buyer has no licence, and shall not copy it.", BUYER),
        ("Supplier agrees that the goods are new and shall deliver them.", SUPPLIER),
        ("Buyer agrees that the list of Supplier is secret and shall not show it.", BUYER),
        ("Supplier shall try to meet the plan, and before accepting it, will quote the price.",
         SUPPLIER),
    ):  # fmt: skip
        assert read(text)[-1][0] == party


def test_the_thing_that_a_relative_clause_gives_to_a_party() -> None:
    text = (
        "Supplier agrees to use commercially reasonable efforts to meet requests for another day of"
        " delivery (sooner and later) of the goods, and before it accepts a request, will quote"
        " in writing any applicable charges that result from changes in its costs of wood, labour"
        " and freight, which charges shall be the sole responsibility of Buyer."
    )
    assert read(text)[-1] == (
        BUYER,
        "duty",
        "which charges shall be the sole responsibility of Buyer",
    )


def test_verbs_that_go_on_have_the_subject_before_them() -> None:
    assert read("Supplier shall deliver the goods, and shall promptly install them.") == [
        (SUPPLIER, "duty", "deliver the goods"),
        (SUPPLIER, "duty", "install them"),
    ]
    text = "Supplier shall give notice as shall be necessary, and shall help."
    assert [each[2] for each in read(text)] == ["give notice as shall be necessary", "help"]
    assert read("The price shall be fair and shall be fixed.") == []


def test_each_point_of_a_list_is_one() -> None:
    text = "Supplier shall: (a) test the goods; (b) keep records; and (c) report."
    assert read(text) == [
        (SUPPLIER, "duty", "test the goods"),
        (SUPPLIER, "duty", "keep records"),
        (SUPPLIER, "duty", "report"),
    ]
    assert [each.lead.text_in(text) for each in found(text) if each.lead] == ["Supplier shall:"] * 3
    agreed = "Each party agrees (1) to hold it in secret, (2) to use it for this purpose only."
    assert [each[2] for each in read(agreed)] == [
        "hold it in secret",
        "use it for this purpose only",
    ]
    grounds = "Supplier shall indemnify Buyer against claims out of: (a) breach; and (b) injury."
    (one,) = found(grounds)
    assert one.quote.text_in(grounds).endswith("(b) injury.")
    own = "Supplier shall do the following things: (a) Supplier shall test; (b) Buyer shall pay."
    assert [each[:2] for each in read(own)] == [(SUPPLIER, "duty"), (BUYER, "duty")]


def test_conditions_are_apart_from_what_must_be_done() -> None:
    text = "If a panel is late, Supplier shall refund it unless Buyer has agreed to wait."
    (one,) = found(text)
    assert one.action.text_in(text) == "refund it"
    assert [each.text_in(text) for each in one.conditions] == [
        "If a panel is late",
        "unless Buyer has agreed to wait",
    ]


@pytest.mark.parametrize(
    ("duty", "exception"),
    [
        ("Neither party may assign this Agreement without consent",
         "except that Buyer may assign it to an Affiliate"),
        ("Neither party may assign it", "except that Buyer may, on notice, assign it to a lender"),
        ("Supplier shall not resell the Panels", "provided that Buyer may permit it"),
        ("Supplier shall not resell the Panels",
         "provided, however, that the Buyer may permit it, and Supplier may ask for it"),
        ("Buyer shall not disclose the report", "save that it may show it to its lenders"),
        ("Buyer shall not disclose it", "other than that Buyer may show it to its lenders"),
        ("Buyer shall store the Panels", "unless Supplier must move them at once"),
    ],
)  # fmt: skip
def test_an_exception_with_a_subject_is_whole(duty: str, exception: str) -> None:
    text = f"{duty}, {exception}; and Supplier shall keep records."
    one = found(text)[0]
    assert [each.text_in(text) for each in one.conditions] == [exception]
    assert duty.endswith(one.action.text_in(text))


def test_a_duty_after_a_condition_is_no_part_of_it() -> None:
    text = "Supplier shall insure them, provided that it is paid, and Buyer shall bear the cost."
    insured, borne = found(text)
    assert [each.text_in(text) for each in insured.conditions] == ["provided that it is paid"]
    assert (borne.action.text_in(text), borne.conditions) == ("bear the cost", ())


def test_a_whole_contract() -> None:
    document = text_document("supply.txt", CONTRACT)
    outline = build_outline(document)
    made = find_obligations(CONTRACT, outline, read_card(document, outline))
    actions = [" ".join(each.action.text_in(CONTRACT).split()) for each in made]
    assert [(each.actor.name, action) for each, action in zip(made, actions, strict=True)] == [
        (SUPPLIER, "deliver the Panels within ten (10) days after receipt of an order"),
        (SUPPLIER, "install them"),
        (SUPPLIER, "test each Panel"),
        (SUPPLIER, "keep records of the tests"),
        (SUPPLIER, "not later than the first day of each month, report them to Buyer"),
        (SUPPLIER, "deliver a plan of supply"),
        (BUYER, "give its comments on or before April 15, 2025"),
        (SUPPLIER, "sell Panels to others in the Territory"),
        (BUYER, "resell them"),
        (BUYER, "return the moulds within sixty (60) days after the end of the term"),
        (UNNAMED, "All invoices shall be paid within thirty (30) days after receipt"),
        (BUYER, "Taxes shall be borne by Buyer"),
        (EACH, "keep the other's secrets"),
        (EACH, "assign this Agreement"),
        (EITHER, "inform the other party promptly"),
    ]
    for each in made:
        assert each.quote.contains(each.action)
        assert 0 <= each.quote.start < each.quote.end <= len(CONTRACT)


HOSTILE = (
    "Supplier shall deliver the goods to Buyer within ten (10) days after receipt of the order. ",
    "and Supplier shall deliver, and the agency will ",
    "Supplier shall: (a) deliver; (b) test; ",
    "it shall, (the ( shall, , , ",
    "Supplier agrees that it will not be paid by Buyer which is given to the ",
    "neither Supplier nor Buyer shall, if Supplier, by March 1, 2020 and ",
    "the party seeking Supplier quickly ",
)


@pytest.mark.parametrize("sentence", HOSTILE)
def test_long_texts_take_linear_time(sentence: str) -> None:
    taken = []
    for count in (250, 1_000):
        start = time.process_time()
        found(sentence * count)
        taken.append(time.process_time() - start)
    assert taken[1] < 10 * taken[0] + 1  # four times the text; sixteen would be quadratic


def test_thirty_thousand_sentences() -> None:
    start = time.process_time()
    assert len(found(HOSTILE[0] * 30_000)) == 30_000
    assert time.process_time() - start < 30
