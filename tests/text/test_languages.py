import pytest

from fourcorners.text.languages import detect_language

TEXTS = {
    "en": (
        "The Supplier shall deliver the goods to the Buyer, and the Buyer shall pay for them "
        "within thirty days of the invoice. This agreement is governed by the law of England and "
        "any dispute that arises from it shall be heard by the courts of that country and by no "
        "other."
    ),
    "de": (
        "Der Lieferant ist verpflichtet, die Ware an den Käufer zu liefern, und der Käufer wird "
        "die Rechnung innerhalb von dreißig Tagen bezahlen. Die Parteien sind sich einig, dass "
        "das Recht der Bundesrepublik für diesen Vertrag gilt und dass eine Änderung nicht ohne "
        "Schriftform möglich ist."
    ),
    "fr": (
        "Le fournisseur livre les marchandises à l'acheteur et celui-ci paie la facture dans les "
        "trente jours qui suivent. Les parties conviennent que le droit français est applicable "
        "pour tous les litiges qui sont nés du contrat, et que les tribunaux de Paris sont seuls "
        "compétents."
    ),
    "es": (
        "El proveedor entregará los bienes al comprador y este pagará la factura en los treinta "
        "días que siguen a la fecha de la misma. Las partes acuerdan que la ley de España se "
        "aplica al contrato y que los tribunales de Madrid son los competentes para los litigios "
        "que surjan."
    ),
    "it": (
        "Il fornitore consegna le merci al compratore e il compratore paga la fattura non oltre i "
        "trenta giorni dalla data della stessa. Le parti convengono che il contratto è regolato "
        "dalla legge italiana e che per le controversie è competente il foro di Milano, con "
        "esclusione di ogni altro."
    ),
    "ru": (
        "Поставщик обязуется передать товар покупателю, а покупатель обязуется оплатить его в "
        "течение тридцати дней. Договор регулируется правом Российской Федерации, и все споры "
        "передаются в суд."
    ),
    "ja": (
        "売主は買主に対して商品を引き渡し、買主はその代金を三十日以内に支払うものとする。本契約は"
        "日本法に準拠し、本契約に関する紛争は東京地方裁判所を専属的合意管轄とする。"
    ),
}


@pytest.mark.parametrize("tag", sorted(TEXTS))
def test_names_the_language(tag: str) -> None:
    found = detect_language(TEXTS[tag])
    assert found is not None
    assert found.tag == tag


@pytest.mark.parametrize("text", ["", "12 34 56", "x" * 500, "Schedule 1\n" * 3])
def test_says_nothing_of_too_little(text: str) -> None:
    assert detect_language(text) is None


def test_tables_of_names_and_numbers_have_no_language() -> None:
    assert detect_language("Acme Widget Blue 12 Box Crate Pallet Route " * 40) is None


def test_reads_beginning_middle_and_end_of_a_long_text() -> None:
    long = TEXTS["en"] * 30 + TEXTS["de"] * 700
    found = detect_language(long)
    assert found is not None
    assert found.tag == "de"
