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
