"""A clause is replaced in its own paragraph; what goes and what stays is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fourcorners.documents.document import Document
from fourcorners.library.contract import Contract
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.redline.cautions import find_cautions
from fourcorners.redline.proposal import Extent, ProposedChange, Source
from fourcorners.redline.replacement import (
    find_lost,
    find_part,
    has_lost_exclusion,
    in_capitals,
    replace_part,
)
from fourcorners.review.finding import CellState, Evidence, Finding, SearchRecord
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

CAP = "The Mill's total liability shall not exceed the fees paid in a year."
LIMITS = """7. Limits

7.1 In no event is the Mill liable for loss of profit or goodwill of any kind.

7.2 The total liability of the Mill shall not exceed $10,000. The liability of the Buyer
is unlimited.

8. Secrets

8.1 Each party shall keep secret what it learns of the other, and tell nobody except:

(a) its staff who need to know it;

(b) a court that asks for it.

8.2 Whoever owes money under Section 7.2 shall pay it within fifteen days of an invoice.

Signed for Alder Mills Limited ____________
"""


def contract(text: str = LIMITS, parties: Sequence[Fact[Party]] = ()) -> Contract:
    document = Document("x", "x", "x", "0", "text/plain", "test", text)
    return Contract.build(document, build_outline(document), Card(parties=tuple(parties)), [])


def place(words: str, text: str = LIMITS) -> Span:
    start = text.index(words)
    return Span(start, start + len(words))


@pytest.mark.parametrize(
    ("first", "last", "wording", "part"),
    [
        ("7.1", "unlimited.", CAP, "The total liability of the Mill shall not exceed $10,000. "),
        ("7.1", "kind.", "No loss of profit or goodwill counts.", "In no event"),
        ("8.2", "____", "An invoice is paid within thirty days.", "Whoever owes"),
    ],
)
def test_only_sentences_about_the_matter_are_replaced(
    first: str, last: str, wording: str, part: str
) -> None:
    quote = Span(place(first).start, place(last, LIMITS).end)
    part_found = find_part(contract(), quote, wording)
    assert part_found is not None
    found = part_found.text_in(LIMITS)
    assert found.startswith(part)
    assert "\n\n" not in found
    assert "Signed" not in found


@pytest.mark.parametrize(
    ("quoted", "is_heading"),
    [
        ("7. Limits of liability", True),
        ("7. Haftung | 7. Limits", True),
        ("Article 7. Limits", True),
        ("7. None is due.", False),
        ("7.1 Limits: none.", False),
    ],
)
def test_a_heading_is_no_clause_to_replace(quoted: str, is_heading: bool) -> None:
    text = f"{quoted}\n\nThe Mill is never liable for more than what the Buyer has paid."
    assert (find_part(contract(text), place(quoted, text), CAP) is None) is is_heading


@pytest.mark.parametrize(
    "exception",
    [
        "Nothing in this contract limits the liability of the Mill for fraud in a year.",
        "This limit on the liability of the Mill does not apply to fees and fraud.",
        "Notwithstanding this, the total liability of the Mill for fees has no limit.",
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_excepted_from_a_limit_stays(exception: str, *, is_first: bool) -> None:
    limit = "The total liability of the Mill shall not exceed $10,000 in a year."
    text = " ".join((exception, limit) if is_first else (limit, exception))
    assert find_part(contract(text), Span(0, len(text)), CAP) == place(limit, text)


@pytest.mark.parametrize(
    ("before", "after", "loses"),
    [
        ("Except for fraud, no liability exceeds $5.", "No liability exceeds $9.", True),
        ("Save for fraud, no liability exceeds $5.", "Except for fraud, it is $9.", False),
        ("No liability exceeds $5.", "No liability exceeds $9.", False),
    ],
)
def test_an_exception_is_lost_where_the_new_words_have_none(
    before: str, after: str, *, loses: bool
) -> None:
    assert (
        has_lost_exclusion([Edit(EditKind.DELETE, before), Edit(EditKind.INSERT, after)]) is loses
    )


@pytest.mark.parametrize("end", ["incidental or", "any loss,"])
def test_no_part_of_a_sentence_is_replaced(end: str) -> None:
    text = f"7.1 Neither the Mill nor the Buyer is ever liable for {end}\n\nsimilar harm."
    quoted = place(text.partition("\n")[0], text)
    assert find_part(contract(text), quoted, CAP) is None
    apart = text.replace("\n\n", "\n\n-7-\n\nMill Agreement\n\n")
    assert find_part(contract(apart), quoted, CAP) is None
    rest = f"7.1 The Mill is not liable for {end}\n\nharm that the fees paid in a year exceed."
    assert find_part(contract(rest), place(rest.split("\n")[-1], rest), CAP) is None
    listed = text.replace("similar", "ii. similar")
    assert find_part(contract(listed), quoted, CAP) is not None


def test_a_list_goes_with_the_words_that_lead_to_it() -> None:
    whole = contract()
    quote = place(
        "8.1 Each party shall keep secret what it learns of the other, and tell nobody except:"
    )
    part = find_part(whole, quote, "Each party shall keep secret what it learns of the other.")
    assert part is not None
    edits = [*replace_part(whole, part, "Each party shall keep secret what it learns.")]
    assert "".join(e.text for e in edits if e.kind is not EditKind.INSERT) == part.text_in(LIMITS)
    after = "".join(e.text for e in edits if e.kind is not EditKind.DELETE)
    assert after == "Each party shall keep secret what it learns.\n\n\n\n"
    assert not any("\n" in e.text for e in edits if e.kind is not EditKind.EQUAL)


def test_what_is_lost_are_values_and_sentences_that_the_new_words_lack() -> None:
    gone = "It lasts one (1) year and costs $10,000. The Buyer may inspect every mill at night."
    edits = [Edit(EditKind.DELETE, gone), Edit(EditKind.INSERT, "It lasts for one year.")]
    assert find_lost(edits) == ["$10,000", "“The Buyer may inspect every mill at night.”"]


@pytest.mark.parametrize(
    "gone",
    ["The Mill's liability is not subject to any cap.", "The liability of the Mill is unlimited."],
)
def test_that_liability_has_no_limit_is_lost_with_a_limit(gone: str) -> None:
    limit = "The total liability of the Buyer under the cap of this Agreement shall not exceed $5."
    edits = [Edit(EditKind.DELETE, gone), Edit(EditKind.INSERT, limit)]
    assert find_lost(edits) == [f"“{gone}”"]


def test_a_limit_is_held_against_words_that_deny_it() -> None:
    text = "9.1 The Mill shall indemnify the Buyer. The Mill's liability for this is not limited."
    at = Span(len(text), len(text))
    added = Edit(EditKind.INSERT, " This counts towards the limits of liability.")
    (said,) = cautions(text, replace(change(at, Extent.SENTENCE, added, text=text), quotes=()))
    assert said.startswith("Stays and says that liability has no limit")


def change(span: Span, extent: Extent, *edits: Edit, text: str = LIMITS) -> ProposedChange:
    return ProposedChange(
        provision="p",
        name="P",
        extent=extent,
        span=span,
        edits=edits,
        found="",
        target_kind="preferred",
        target="",
        quotes=(contract(text).quote(span),) if span else (),
        path=(),
        source=Source("s"),
    )


def cautions(
    text: str,
    made: ProposedChange,
    *evidence: str,
    best: str = "",
    parties: Sequence[Fact[Party]] = (),
) -> list[str]:
    def shown(words: str, score: float) -> Evidence:
        span = place(words, text)
        return Evidence(contract(text).quote(span), span, (), None, score)

    record = SearchRecord("", 1, 0.4, shown(best, 0.1)) if best else None
    found = Finding(
        "x", "p", CellState.FOUND, tuple(shown(each, 0.9) for each in evidence), searched=record
    )
    whole = contract(text, parties)
    return [*find_cautions(whole, made, found, [made.span] if made.span else [])]


FORUMS = """9. General

9.1 This Agreement is governed by the laws of Ohio.

9.2 Any dispute shall be brought in the courts of Ohio alone.

9.3 The Buyer shall pay each invoice of the Mill within fifteen (15) days.

9.4 The Mill may charge interest on an invoice that the Buyer does not pay within fifteen days.
"""


def test_another_forum_that_stays_is_named() -> None:
    old = place("This Agreement is governed by the laws of Ohio.", FORUMS)
    new = "The laws of Iowa govern it, and the courts of Iowa have exclusive jurisdiction."
    edits = (Edit(EditKind.DELETE, old.text_in(FORUMS)), Edit(EditKind.INSERT, new))
    said = cautions(FORUMS, change(old, Extent.CLAUSE, *edits, text=FORUMS))
    assert any(each.startswith("Stays and names a forum (9.2)") for each in said)
    assert not any("names a law" in each for each in said)


def test_another_order_of_precedence_that_stays_is_named() -> None:
    text = f"{FORUMS}\n9.5 If an order conflicts with this Agreement, this Agreement controls.\n"
    added = Edit(EditKind.INSERT, "If the documents conflict, the clauses prevail over orders.")
    at = Span(len(text), len(text))
    (said,) = cautions(text, change(at, Extent.NEW_CLAUSE, added, text=text))
    assert said.startswith("Stays and says which document prevails (9.5)")


def test_a_period_that_stays_elsewhere_is_named() -> None:
    old = place("fifteen (15)", FORUMS)
    sentence = place(
        "The Buyer shall pay each invoice of the Mill within fifteen (15) days.", FORUMS
    )
    edits = (
        Edit(EditKind.EQUAL, sentence.text_in(FORUMS)[: old.start - sentence.start]),
        Edit(EditKind.DELETE, "fifteen (15)"),
        Edit(EditKind.INSERT, "thirty (30)"),
        Edit(EditKind.EQUAL, " days."),
    )
    (said,) = cautions(FORUMS, change(sentence, Extent.WORDS, *edits, text=FORUMS))
    assert said.startswith("Stays and has the period as it was (9.4)")


def test_a_right_that_would_be_given_twice_is_named() -> None:
    added = Edit(EditKind.INSERT, "The Mill may charge interest.")
    made = change(Span(len(FORUMS), len(FORUMS)), Extent.NEW_CLAUSE, added, text=FORUMS)
    (said,) = cautions(
        FORUMS, made, best="The Mill may charge interest on an invoice that the Buyer"
    )
    assert said.startswith("Stays and is about the same (9.4)")
    assert cautions(FORUMS, made) == []


def test_a_delivery_in_as_many_days_is_about_something_else() -> None:
    text = (
        "9.1 The Mill may terminate this Agreement by giving the Buyer ten (10) days' notice.\n\n"
        "9.2 The Mill shall deliver to the Buyer in Leeds within ten (10) days of an order."
    )
    sentence = place(text.partition("\n\n")[0].removeprefix("9.1 "), text)
    start = text.index("ten (10)")
    edits = (
        Edit(EditKind.EQUAL, text[sentence.start : start]),
        Edit(EditKind.DELETE, "ten (10)"),
        Edit(EditKind.INSERT, "ninety (90)"),
        Edit(EditKind.EQUAL, text[start + 8 : sentence.end]),
    )
    parties = [Fact(Party(f"{each} Limited", each), Span(0, 0), 1.0) for each in ("Mill", "Buyer")]
    assert cautions(text, change(sentence, Extent.WORDS, *edits, text=text), parties=parties) == []


LAW_AND_FORUM = "The laws of [law] govern this Agreement; its courts have exclusive jurisdiction."


@pytest.mark.parametrize(
    "text",
    [
        (
            "9.1 This Agreement is governed by the laws of Ohio, whatever its rules of conflict "
            "say. The parties submit to the jurisdiction of the federal courts in Toledo."
        ),
        (
            "9.1 The courts of Ohio have exclusive jurisdiction. The laws of Ohio govern every "
            "question that the conduct of any party raises."
        ),
        (
            "9.1 The law of New South Wales applies. The parties submit to the non-exclusive "
            "jurisdiction of its courts."
        ),
        (
            "9.1 The laws of Ohio govern this Agreement. Any dispute is finally settled by binding "
            "arbitration in Toledo."
        ),
    ],
)
def test_law_and_forum_of_a_paragraph_are_replaced_together(text: str) -> None:
    first, second = (each.strip() + "." for each in text[4:].rstrip(".").split(". "))
    for quoted in (first, second):
        part = find_part(contract(text), place(quoted, text), LAW_AND_FORUM)
        assert part is not None
        assert part.text_in(text) == f"{first} {second}"


def test_another_matter_in_the_paragraph_stays() -> None:
    text = "9.1 The laws of Ohio govern this Agreement. Each notice to a party must be in writing."
    law = place("The laws of Ohio govern this Agreement.", text)
    assert find_part(contract(text), law, LAW_AND_FORUM) == law


def test_new_words_are_in_capitals_where_the_old_are() -> None:
    text = "7.1 THE MILL IS IN NO EVENT LIABLE FOR MORE THAN $10,000 IN A YEAR."
    part = place(text[4:], text)
    edits = [*replace_part(contract(text), part, "Its liability is limited to [the cap] a year.")]
    after = "".join(each.text for each in edits if each.kind is not EditKind.DELETE)
    assert after == "ITS LIABILITY IS LIMITED TO [the cap] A YEAR."
    assert in_capitals("Its cap.", "The Mill is liable to ALDER LIMITED.") == "Its cap."


def test_a_value_within_another_that_goes_is_not_named_twice() -> None:
    gone = "It costs the fees paid in the six (6) months before the claim."
    assert find_lost([Edit(EditKind.DELETE, gone)])[0] == "fees paid in the six (6) months"
