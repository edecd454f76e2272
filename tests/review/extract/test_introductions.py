import pytest

from fourcorners.review.extract.cells import MAX_LENGTH, add_introductions
from fourcorners.text.span import Span

TEXT = (
    "The Supplier may end this Agreement:\n"
    "(a) on three months' notice to the Buyer;\n"
    "(b) if control of the Buyer changes.\n"
    "The Buyer pays within thirty days."
)
SENTENCES = [Span(TEXT.index(line), TEXT.index(line) + len(line)) for line in TEXT.split("\n")]


def quoted(*rows: int, text: str = TEXT, sentences: list[Span] = SENTENCES) -> list[str]:
    found = add_introductions([(sentences[row], 0.5) for row in rows], sentences, text)
    return [span.text_in(text) for span, _ in found]


def test_an_item_brings_the_words_that_introduce_its_list() -> None:
    assert quoted(2) == [
        "(b) if control of the Buyer changes.",
        "The Supplier may end this Agreement:",
    ]


def test_an_introduction_comes_once_and_with_its_items_probability() -> None:
    found = add_introductions([(SENTENCES[2], 0.7), (SENTENCES[1], 0.4)], SENTENCES, TEXT)
    assert found[2:] == [(SENTENCES[0], 0.7)]
    assert quoted(0, 1) == [SENTENCES[0].text_in(TEXT), SENTENCES[1].text_in(TEXT)]


def test_a_sentence_that_is_no_item_stands_alone() -> None:
    assert quoted(3) == ["The Buyer pays within thirty days."]


def test_a_list_ends_at_a_sentence_that_is_no_item() -> None:
    text = "Fees are:\nThey are due at once.\n(a) the licence fee."
    spans = [Span(text.index(line), text.index(line) + len(line)) for line in text.split("\n")]
    assert quoted(2, text=text, sentences=spans) == ["(a) the licence fee."]


def test_a_long_introduction_is_left_out() -> None:
    text = f"{'Each party agrees that it owes the other, ' * 6}as follows:\n(a) the licence fee."
    end = text.index("\n")
    assert end > MAX_LENGTH
    spans = [Span(0, end), Span(end + 1, len(text))]
    assert quoted(1, text=text, sentences=spans) == ["(a) the licence fee."]


@pytest.mark.parametrize(
    ("text", "introduced"),
    [
        ("9.1 It is secret except:\n(a) to staff; or\n(b) by law.\n10.1 It ends in May.", False),
        ("4.2 The fees are:\n5.1 The Tenant pays rent.", False),
        ("4.2 The fees are:\n4.2.1 the licence fee;\n4.2.2 the rent.", True),
        ("The parties agree as follows:\n1.1 Rent is due in May.\n1.2 Tax is added.", True),
        ("9.1 It is secret except:\n(a) to staff; or\n(b) by law.", True),
    ],
)
def test_a_clause_is_no_point_of_a_list_that_ends_before_it(text: str, introduced: bool) -> None:
    spans = [Span(text.index(line), text.index(line) + len(line)) for line in text.split("\n")]
    assert (len(quoted(len(spans) - 1, text=text, sentences=spans)) == 2) is introduced
