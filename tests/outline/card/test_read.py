from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.documents.document import Document, Mark, MarkKind
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.read import read_card
from fourcorners.text.span import Span

Make = Callable[..., Document]


def card_of(document: Document) -> Card:
    return read_card(document, build_outline(document))


def spans(card: Card) -> list[Span]:
    facts = [card.title, card.type, card.agreement_date, card.effective_date, card.expiry_date]
    facts += [card.governing_law, card.amends, *card.parties]  # type: ignore[list-item]
    return [fact.span for fact in facts if fact]


def test_whole_card(document: Make, supply: str) -> None:
    card = card_of(document(supply))
    assert card.title is not None
    assert card.title.value == "SUPPLY AGREEMENT"
    assert card.type is not None
    assert card.type.value == "Supply"
    assert [(p.value.name, p.value.short, p.value.role) for p in card.parties] == [
        ("Alder Mills, Inc.", "Supplier", "Supplier"),
        ("Birch Foods Limited", "Buyer", "Buyer"),
    ]
    assert [p.span.text_in(supply) for p in card.parties] == [
        "Alder Mills, Inc.",
        "Birch Foods Limited",
    ]
    assert card.agreement_date is not None
    assert card.agreement_date.value == date(2021, 3, 3)
    assert card.agreement_date.span.text_in(supply) == "3 March 2021"
    assert card.effective_date is not None
    assert card.effective_date.value == date(2021, 4, 1)
    end = card.value("end")
    assert end is not None
    assert end.text == "2024-04-01"
    assert card.expiry_date is None or end.asserted
    assert card.governing_law is not None
    assert card.governing_law.value == "England and Wales"
    assert card.governing_law.span.text_in(supply) == "governed by the laws of England and Wales"
    assert card.amends is None


@pytest.mark.parametrize(
    ("words", "law"),
    [
        ("shall be governed by the laws of the State of Delaware, without regard", "Delaware"),
        ("governed by and construed under New York law", "New York"),
        ("is governed by English law", "England"),
        ("was signed in haste. The law of Portugal applies to it", "Portugal"),
        ("was signed in haste. The laws of Norway apply to all of it", "Norway"),
        ("was signed in haste. The law of Denmark governs and controls it", "Denmark"),
        ("construed in accordance with the laws of the Province of Ontario", "Ontario"),
        ("governed by the laws of the People's Republic of China", "China"),
        ("GOVERNED BY THE LAWS OF THE STATE OF NEW JERSEY", "New Jersey"),
    ],
)
def test_governing_law(document: Make, words: str, law: str) -> None:
    card = card_of(document(f"This Agreement {words}."))
    assert card.governing_law is not None
    assert card.governing_law.value == law


@pytest.mark.parametrize(
    "words",
    [
        "The fees are governed by Schedule 1. Supplier keeps the laws of nature.",
        "Supplier is a company organised under the laws of Delaware.",
        "The parties shall choose a governing law later.",
    ],
)
def test_no_governing_law(document: Make, words: str) -> None:
    assert card_of(document(words)).governing_law is None


def test_no_expiry_without_a_date(document: Make, supply: str) -> None:
    text = supply.replace("for three years from the Effective Date", "until either party ends it")
    assert card_of(document(text)).expiry_date is None


def test_stated_expiry(document: Make, supply: str) -> None:
    text = supply.replace("for three years from the Effective Date", "until 30 June 2022")
    card = card_of(document(text))
    assert card.expiry_date is not None
    assert card.expiry_date.value == date(2022, 6, 30)


def test_amendment(document: Make) -> None:
    text = (
        "AMENDMENT NO. 2 TO SUPPLY AGREEMENT\n\nThis Amendment No. 2 is made as of May 5, 2022 by "
        "and between Alder Mills, Inc. and Birch Foods Limited.\n\n1. The cap is two million.\n"
    )
    card = card_of(document(text))
    assert card.type is not None
    assert card.type.value == "Amendment"
    assert card.amends is not None
    assert card.amends.value == "SUPPLY AGREEMENT"
    assert card.amends.span.text_in(text) == "SUPPLY AGREEMENT"
    assert [party.value.name for party in card.parties] == [
        "Alder Mills, Inc.",
        "Birch Foods Limited",
    ]


def test_nothing_stated(document: Make) -> None:
    assert card_of(document("")) == Card()
    assert card_of(document("Some words about oats and how they are milled.")) == Card()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *("AGREEMENT", "This Agreement is made as of", "May 5, 2022", "between", " and "),
                *("Alder, Inc.", '("Buyer")', "governed by", "the laws of", "Delaware", "\n\n"),
                *("term of two years from", "the Effective Date", '"Effective Date" means', "1. "),
            ]
        ),
        max_size=25,
    )
)
def test_facts_have_words(document: Make, parts: list[str]) -> None:
    text = " ".join(parts)
    for span in spans(card_of(document(text))):
        assert span
        assert span.end <= len(text)


@pytest.mark.corpus
def test_corpus_cards(document: Make, corpus: Path) -> None:
    cards = []
    for file in sorted((corpus / "cuad" / "contracts").glob("*.txt"))[::20]:
        text = file.read_text(encoding="utf-8")
        cards.append(card_of(document(text)))
        assert all(span and span.end <= len(text) for span in spans(cards[-1]))
    assert sum(card.title is not None for card in cards) >= 0.8 * len(cards)
    assert sum(card.governing_law is not None for card in cards) >= 0.7 * len(cards)


def names(card: Card) -> list[str]:
    return [fact.value.name for fact in card.parties]


@pytest.mark.parametrize(
    ("said", "parties"),
    [
        (
            "This Agreement is made between alder.com, inc. and Birch Foods GmbH.",
            ["alder.com, inc.", "Birch Foods GmbH"],
        ),
        (
            'THIS AGREEMENT is made between Alder (UK) Limited ("Alder") and iBirch LLC ("Birch").',
            ["Alder (UK) Limited", "iBirch LLC"],
        ),
        (
            'This Agreement is made between Joan Alder ("Alder") and Birch & Ash Co. ("Birch").',
            ["Joan Alder", "Birch & Ash Co."],
        ),
        (
            "This Agreement is between Alder Mills, Inc., Birch Foods Limited and Ash plc.",
            ["Alder Mills, Inc.", "Birch Foods Limited", "Ash plc"],
        ),
        (
            'This Agreement is between (1) Alder Ltd, and (2) the University of Birch ("UB").',
            ["Alder Ltd", "University of Birch"],
        ),
        (
            "CONTRACT\n\nParty A: Alder Mills Co., Ltd.\n\nParty B: Birch Foods Co., Ltd.\n",
            ["Alder Mills Co., Ltd.", "Birch Foods Co., Ltd."],
        ),
        (
            'This Agreement is made between Alder Mills, Inc. ("Alder") and ________ ("Buyer").',
            ["Alder Mills, Inc.", "Buyer"],
        ),
        (
            (
                'This Agreement is made between (1) Alder Ltd of Ash House ("Alder"); '
                "and Oak Court, "
                '1 Elm Road (2) Birch Ltd of Elm House ("Birch").'
            ),
            ["Alder Ltd", "Birch Ltd"],
        ),
        (
            (
                'This Agreement is made between 1. Alder Ltd ("Alder"), registered in England, and '
                'Birch A/S, registered in Denmark ("Birch").'
            ),
            ["Alder Ltd", "Birch A/S"],
        ),
        (
            "This Agreement is made between High Alder Mills and R. J. Birch Enterprises.",
            ["High Alder Mills", "R. J. Birch Enterprises"],
        ),
        (
            (
                'This Agreement is between Alder Mills, Inc. ("Alder") and Distributor, '
                "as set forth "
                "below.\n\nDistributor: Birch Foods Ltd.\nAddress: 1 Elm Road\n"
            ),
            ["Alder Mills, Inc.", "Birch Foods Ltd."],
        ),
        (
            (
                "Alder Mutual of Ohio, an Ohio corporation (AMO) and Birch, Ash & Elm, "
                "Inc., a Nevada "
                'corporation ("Agency"), agree as follows: AMO shall mill.'
            ),
            ["Alder Mutual of Ohio", "Birch, Ash & Elm, Inc."],
        ),
        (
            'BETWEEN:\n\nALDER MILLS, L.P.\n(called "Alder")\n\n- and -\n\nBIRCH INC.\n("Birch")\n',
            ["ALDER MILLS, L.P.", "BIRCH INC."],
        ),
    ],
)
def test_ways_to_name_parties(document: Make, said: str, parties: list[str]) -> None:
    assert names(card_of(document(f"MILLING AGREEMENT\n\n{said}\n\nWHEREAS, oats."))) == parties


@pytest.mark.parametrize(
    ("said", "parties"),
    [
        (
            'between Alder Mills, Inc., of Halle (Germany) ("Alder"), and Birch Ltd ("Birch").',
            [("Alder Mills, Inc.", "Alder"), ("Birch Ltd", "Birch")],
        ),
        (
            (
                "between Alder Ltd (hereinafter referred to as Party A) and Birch Ltd "
                "(hereinafter called the Buyer, which expression includes its successors)."
            ),
            [("Alder Ltd", "Party A"), ("Birch Ltd", "Buyer")],
        ),
        (
            'between Alder Ltd (“Disclosing Party") and Birch Ltd (the “Receiving Party).',
            [("Alder Ltd", "Disclosing Party"), ("Birch Ltd", "Receiving Party")],
        ),
        (
            'between Alder Ltd ("Alder\'s") and Birch Ltd "(Birch") (each a "Party").',
            [("Alder Ltd", "Alder's"), ("Birch Ltd", "")],
        ),
        (
            (
                "between\n\nALDER LTD\n\nAND\n\nBIRCH LTD\n\nin Elm on 3 May.\n\nAlder Ltd, a "
                'mill (the "Supplier"), sells to Birch Ltd, a shop (the "Buyer").'
            ),
            [("ALDER LTD", "Supplier"), ("BIRCH LTD", "Buyer")],
        ),
        (
            'among Alder Ltd (the "Company"), John Ash and Mary Oak (each, a "Stockholder").',
            [("Alder Ltd", "Company"), ("John Ash", "Stockholder"), ("Mary Oak", "Stockholder")],
        ),
        (
            'by Alder Ltd ("Guarantor") in favor of Birch Ltd ("Lender").',
            [("Alder Ltd", "Guarantor"), ("Birch Ltd", "Lender")],
        ),
        (
            'between Alder Ltd (``Supplier\'\') and Birch Ltd ("we," "us" or "Buyer").',
            [("Alder Ltd", "Supplier"), ("Birch Ltd", "Buyer")],
        ),
        (
            "among Alder Ltd, as Borrower, Birch Ltd, as Lender, and Oak Bank, N.A., as Agent.",
            [("Alder Ltd", "Borrower"), ("Birch Ltd", "Lender"), ("Oak Bank, N.A.", "Agent")],
        ),
        (
            (
                "among Alder Ltd, an English company, Elm LLC, a Texas limited liability company, "
                "and Oak Bank, N.A., a national association."
            ),
            [("Alder Ltd", ""), ("Elm LLC", ""), ("Oak Bank, N.A.", "")],
        ),
        (
            (
                "between Alder Ltd, together with its subsidiaries Elm Ltd and Ash LLC "
                '(collectively "Alder"), and Birch Ltd ("Birch").'
            ),
            [("Alder Ltd", "Alder"), ("Birch Ltd", "Birch")],
        ),
        (
            (
                'between Alder Ltd ("Alder")\n\nOF THE FIRST PART\n\n- and -\n\nBirch Ltd '
                '("Birch")\n\nOF THE SECOND PART'
            ),
            [("Alder Ltd", "Alder"), ("Birch Ltd", "Birch")],
        ),
        (
            (
                'by and between:\n\n1. Alder Ltd, of Elm, represented by Joan Ash ("Alder"); '
                'and\n\n2. Birch Ltd, of the Quay ("Birch").\n\n1. Oats. Alder shall mill.'
            ),
            [("Alder Ltd", "Alder"), ("Birch Ltd", "Birch")],
        ),
        (
            'by and between ______ (the "Vendor") and Birch Ltd, 4 Quay ("Birch").',
            [("Birch Ltd", "Birch"), ("Vendor", "Vendor")],
        ),
        (
            'by and between [INSERT COMPANY NAME] (the "Vendor") and Birch Ltd ("Birch").',
            [("Birch Ltd", "Birch"), ("Vendor", "Vendor")],
        ),
        (
            "between Alder Ltd, located at 1 Elm Road, and Birch Entertainment, located at 4 Quay.",
            [("Alder Ltd", ""), ("Birch Entertainment", "")],
        ),
    ],
)
def test_short_names(document: Make, said: str, parties: list[tuple[str, str]]) -> None:
    card = card_of(
        document(f"MILLING AGREEMENT\n\nThis Agreement is made {said}\n\nWHEREAS, oats.")
    )
    assert [(fact.value.name, fact.value.short) for fact in card.parties] == parties


@pytest.mark.parametrize(
    "name",
    [
        *("Alder, Birch, Ash & Elm Incorporated", "Alder Pharma S.A. de C.V."),
        *(
            "Alder Holdings GmbH & Co. KG",
            "Alder S.à r.l.",
            "Alder Sdn. Bhd.",
            "Alder India Pvt. Ltd.",
        ),
        *("Alder d.o.o.", "Alder a.s.", "Alder sp. z o.o.", "Alder Kft.", "Alder Ltda."),
        *("Alder de México, S. de R.L. de C.V.", "Alder Bank, National Association"),
        *("Alder Limited Liability Company", "State of Elm Department of Mills", "County of Elm"),
    ],
)
def test_forms_of_companies(document: Make, name: str) -> None:
    said = f'between {name}, at 1 Elm Road ("Supplier"), and Birch Ltd ("Buyer").'
    card = card_of(document(f"MILLING AGREEMENT\n\nThis Agreement is {said}\n\nWHEREAS, oats."))
    assert names(card) == [name, "Birch Ltd"]


def test_parties_beside_the_opening(document: Make) -> None:
    headed = (
        "HAULAGE CONTRACT\n\nDate 3 May 2021\n\nSENDER   ALDER LIMITED\n\nSHIPPER   BIRCH S.A.\n"
    )
    roles = [(fact.value.name, fact.value.short) for fact in card_of(document(headed)).parties]
    assert roles == [("ALDER LIMITED", "Sender"), ("BIRCH S.A.", "Shipper")]
    registered = (
        "HAULAGE CONTRACT\n\n1. Haulage. Loads are hauled.\n\nALDER LIMITED (Company no 1234567) "
        "of Elm Road\n\nBIRCH LIMITED (company no 7654321) of the Quay\n"
    )
    assert names(card_of(document(registered))) == ["ALDER LIMITED", "BIRCH LIMITED"]
    letter = (
        'AFFILIATE AGREEMENT\n\nThe undersigned is a holder of Alder Mills Ltd ("AML") and of '
        'Birch Foods Ltd ("BFL") under it, by and among BFL, Oak Ltd ("Oak") and AML.\n\nWHEREAS.'
    )
    assert names(card_of(document(letter))) == ["Birch Foods Ltd", "Oak Ltd", "Alder Mills Ltd"]


def test_a_date_between_a_name_and_its_signature(document: Make) -> None:
    text = (
        "SPONSORSHIP AGREEMENT\n\nThis Agreement is made by and among Alder LLC, a mill "
        '("Purchaser"), and each other party identified on the signature page(s) hereto (each, a '
        '"Sponsor").\n\nIN WITNESS WHEREOF, signed.\n\nAlder LLC    Date: July 16, 2012 By:  /s/ '
        "J. Ash\n\nBirch Fund I LP    Date: July 16, 2012 By:   /s/ M. Oak\nK*ELM CORP.,\n"
        "a Delaware Corporation\n\nBy: /s/ T. Fir\n"
    )
    found = [(fact.value.name, fact.value.short) for fact in card_of(document(text)).parties]
    assert found == [
        ("Alder LLC", "Purchaser"),
        ("Birch Fund I LP", "Sponsor"),
        ("K*ELM CORP.", "Sponsor"),
    ]


def test_a_letter_names_writer_and_reader(document: Make) -> None:
    text = (
        "AGENCY AGREEMENT\n\nMay 5, 2020\n\nBirch & Ash, Inc.\n1 Elm Road\n\nDear Sirs:\n\n"
        'The undersigned, Alder Mills, Inc. of Ohio, a mill (the "Miller"), Oak Mills Inc., and '
        'Elm Mills Inc. (the "Helpers"), insured by the Grain Fund ("GF"), agree with Birch & Ash, '
        'Inc. ("Agent"). Agent shall sell oats.\n'
    )
    assert names(card_of(document(text))) == [
        "Alder Mills, Inc. of Ohio",
        "Oak Mills Inc.",
        "Elm Mills Inc.",
        "Birch & Ash, Inc.",
    ]


SIGNED = (
    "\n\nIN WITNESS WHEREOF, the parties sign.\n\nALDER MILLS, INC.          BIRCH LLC\n\n"
    "By: ____________          By: ____________\n\nELM FUND (OHIO), L.P.\nBy: Elm GP, LLC, its "
    "general partner\nBy: /s/ Joan Elm\nTitle: General Counsel\n"
)


def test_signers_stand_where_the_preamble_leaves_it_to_them(document: Make) -> None:
    top = (
        'MILLING AGREEMENT\n\nThis Agreement is made by Alder Mills, Inc. ("Alder") and '
        "each of the "
        'the persons named on the signature page (each, an "Investor").\n\nWHEREAS, oats.\n\n'
    )
    card = card_of(document(top + "1. Oats are milled. " * 60 + SIGNED))
    assert [(fact.value.name, fact.value.role) for fact in card.parties] == [
        ("Alder Mills, Inc.", ""),
        ("BIRCH LLC", "Investor"),
        ("ELM FUND (OHIO), L.P.", "Investor"),
    ]


def test_who_neither_signs_nor_has_a_short_name_is_no_party(document: Make) -> None:
    top = (
        'MILLING AGREEMENT\n\nThis Agreement is made between Alder Mills, Inc. ("Alder"), listed '
        'on the board of trade; and Oat Exchange of Ohio Limited, Birch LLC ("Birch") and Elm Fund '
        '(Ohio), L.P. ("Elm").\n\nWHEREAS, oats.\n\n'
    )
    found = names(card_of(document(top + "1. Oats are milled. " * 60 + SIGNED)))
    assert found == ["Alder Mills, Inc.", "Birch LLC", "Elm Fund (Ohio), L.P."]


def test_persons_who_sign_for_themselves(document: Make) -> None:
    text = (
        "JOINT FILING AGREEMENT\n\nThe undersigned agree.\n\nDated: May 5, 2020\n\nALDER FUND II "
        "L.P. By: /s/ Joan Ash Name: Joan Ash Title: Authorized Signatory ALDER GROUP "
        "MANAGEMENT LLC "
        "By: /s/ Joan Ash JÖRG ELM /s/ Jorg Elm"
    )
    found = names(card_of(document(text)))
    assert found == ["ALDER FUND II L.P.", "ALDER GROUP MANAGEMENT LLC", "JÖRG ELM"]


def test_bold_parties(document: Make) -> None:
    text = (
        "# Milling Agreement\n\nBetween **Alder Mills, Inc.**, a Delaware corporation (“Alder”), "
        "and **Birch Foods LLC** (“Birch”).\n\n**1. Goods**\n\nOats.\n"
    )
    assert names(card_of(document(text))) == ["Alder Mills, Inc.", "Birch Foods LLC"]


def test_parties_that_only_sign(document: Make) -> None:
    text = (
        "JOINT FILING AGREEMENT\n\nThe undersigned agree.\n\nDated: May 5, 2020\n\n"
        "ALDER FUND L.P.\n\nBy: /s/ Joan Ash\nName: Joan Ash\nTitle: Director\n\n"
        "ALDER MANAGEMENT LLC\n\nBy: /s/ Joan Ash\nName: Joan Ash\n"
    )
    assert names(card_of(document(text))) == ["ALDER FUND L.P.", "ALDER MANAGEMENT LLC"]


@pytest.mark.parametrize(
    ("top", "title"),
    [
        ("Exhibit 10.5 MILLING AGREEMENT This Milling Agreement (this", "MILLING AGREEMENT"),
        (
            "ALDER MILLS, INC.\n\nMILLING AGREEMENT\n\nThis Milling Agreement is",
            "MILLING AGREEMENT",
        ),
        (
            "ALDER MILLS, INC. MILLING AGREEMENT\n\nThis Milling Agreement is made",
            "MILLING AGREEMENT",
        ),
        (
            "EXCLUSIVE MILLING AGREEMENT\n\nThis Milling Agreement is made",
            "EXCLUSIVE MILLING AGREEMENT",
        ),
        ("Agreement Number 12\n\nMILLING AGREEMENT\n\nThis Agreement is", "MILLING AGREEMENT"),
    ],
)
def test_titles(document: Make, top: str, title: str) -> None:
    card = card_of(document(f"{top} made between Alder Mills, Inc. and Birch LLC.\n\n1. Oats.\n"))
    assert card.title is not None
    assert card.title.value == title


@pytest.mark.parametrize(
    ("first", "rest", "title"),
    [
        ("Supply of Flour", "This agreement is made between", "Supply of Flour"),
        ("Hire of Boats", "Agreement\n\nThis agreement is between", "Hire of Boats"),
        ("Alder Mills, Inc.", "MILLING AGREEMENT\n\nThis is between", "MILLING AGREEMENT"),
        ("Project Oak", "Milling Agreement\n\nThis is between", "Milling Agreement"),
        ("DRAFT 3", "Milling Agreement\n\nThis is between", "Milling Agreement"),
    ],
)
def test_a_first_paragraph_styled_as_a_title_is_one(
    document: Make, first: str, rest: str, title: str
) -> None:
    style = Mark(MarkKind.HEADING, Span(0, len(first)), "0")
    text = f"{first}\n\n{rest} Alder Mills, Inc. and Birch LLC.\n\n1. Oats.\n"
    card = card_of(document(text, marks=(style,)))
    assert card.title is not None
    assert card.title.value == title


def test_a_letter_is_called_by_its_subject(document: Make) -> None:
    text = "Alder Mills\n\n5 May 2020\n\nDear Joan\n\nConsulting on oats\n\nThis is agreed.\n"
    place = text.index("Consulting")
    bold = Mark(MarkKind.BOLD, Span(place, place + len("Consulting on oats")))
    assert card_of(document(text)).title is None
    card = card_of(document(text, marks=(bold,)))
    assert card.title is not None
    assert card.title.value == "Consulting on oats"
    assert card.type is not None
    assert card.type.value == "Consulting"
    assert card.agreement_date is not None
    assert card.agreement_date.value == date(2020, 5, 5)


def test_the_date_of_signing_stands_for_a_missing_one(document: Make, supply: str) -> None:
    text = supply.replace("is made as of 3 March 2021 between", "is made between")
    text = text.replace(
        "By: ______________________", "By: /s/ J. Ash\nName: Joan Ash\nDate: May 9, 2021"
    )
    card = card_of(document(text))
    assert card.agreement_date is not None
    assert card.agreement_date.value == date(2021, 5, 9)


def test_the_date_of_another_contract_is_not_this_ones(document: Make) -> None:
    text = (
        "AMENDMENT\n\nThis Amendment amends the Supply Agreement dated 3 March 2019 and is made on "
        "5 May 2022 between Alder Mills, Inc. and Birch Foods Limited.\n"
    )
    card = card_of(document(text))
    assert card.agreement_date is not None
    assert card.agreement_date.value == date(2022, 5, 5)


@pytest.mark.parametrize(
    ("words", "law"),
    [
        ("is governed by the laws of the United States and of the State of Texas.", "Texas"),
        ("is made in the State of Nevada and is governed by the laws thereof.", "Nevada"),
        ("is governed by PRC laws.", "China"),
    ],
)
def test_other_wordings_of_law(document: Make, words: str, law: str) -> None:
    card = card_of(document(f"This Agreement {words}"))
    assert card.governing_law is not None
    assert card.governing_law.value == law


@pytest.mark.parametrize(
    "words",
    [
        "The laws of the State of Ohio shall govern this Agreement.",
        "Ohio law applies to this deed.",
    ],
)
def test_a_law_before_its_verb(document: Make, words: str) -> None:
    card = card_of(document(words))
    assert card.governing_law is not None
    assert card.governing_law.value == "Ohio"


@pytest.mark.parametrize(
    ("words", "law"),
    [
        ("Norwegian law applies.", "Norway"),
        ("The law of Latvia governs this deed.", "Latvia"),
        ("South African law shall govern this agreement.", "South Africa"),
        ("This agreement is governed by Polish law.", "Poland"),
        ("The laws of Alberta control this lease.", "Alberta"),
    ],
)
def test_laws_in_either_order(document: Make, words: str, law: str) -> None:
    card = card_of(document(f"SUPPLY AGREEMENT\n\n1. Law. {words}"))
    assert card.governing_law is not None
    assert card.governing_law.value == law


@pytest.mark.parametrize(
    ("top", "title"),
    [
        (
            (
                'CHANGE ORDER NO. 3\n\n"Kiln Lease Agreement" means that agreement of 4 May '
                "2021.\n\nThis Change Order is made on 6 June 2022."
            ),
            "CHANGE ORDER NO. 3",
        ),
        (
            (
                "“Main Contract” means the contract of 4 May 2021.\n\nGLAZING AGREEMENT\n\n"
                "This Glazing Agreement is made on 6 June 2022."
            ),
            "GLAZING AGREEMENT",
        ),
        (
            "Terms for Firing Pottery\n\nThese terms are agreed between Kilnhouse Ltd and you.",
            "Terms for Firing Pottery",
        ),
        ('"POTTERY AGREEMENT"\n\nbetween Kilnhouse Ltd and Clay Ltd', "POTTERY AGREEMENT"),
    ],
)
def test_a_title_is_not_a_definition(document: Make, top: str, title: str) -> None:
    card = card_of(document(top))
    assert card.title is not None
    assert card.title.value == title


def test_the_contract_that_says_when_it_is_made_decides(document: Make) -> None:
    card = card_of(
        document(
            'TASK ORDER 9\n\n"Kiln Lease Agreement" means the agreement made on 4 May 2021.\n\n'
            "This Order is made on 6 June 2022 between Kilnhouse Ltd and Clay Ltd.\n"
        )
    )
    assert card.agreement_date is not None
    assert card.agreement_date.value == date(2022, 6, 6)


def test_the_date_of_a_version_is_not_the_contracts(document: Make) -> None:
    card = card_of(
        document(
            "Kilnhouse Ltd\nTerms for Firing Pottery\n\nIssue 7 (changed on 12 January 2025)\n\n"
            "These terms bind Kilnhouse Ltd and whoever brings it clay, when they do.\n"
        )
    )
    assert card.agreement_date is None
    assert card.effective_date is None
