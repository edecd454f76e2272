"""A marked clause says what it mentions."""

from __future__ import annotations

from fourcorners.models.verdict_reader.clause import MarkedClause, Mention, MentionKind
from fourcorners.text.span import Span


def test_mentions_are_gathered_by_key_with_all_their_places() -> None:
    text = "Alder pays Birch within 5 days; Alder waits."
    places = [Span(0, 5), Span(11, 16), Span(32, 37)]
    period = Mention(MentionKind.DURATION, "P5D", Span(24, 30))
    first, second, third = (
        Mention(MentionKind.PARTY, span.text_in(text).casefold(), span) for span in places
    )
    whole = Span(0, len(text))
    clause = MarkedClause(text, whole, whole, (first, second, period, third))
    parties = clause.mentioned(MentionKind.PARTY)
    assert list(parties.items()) == [("alder", [places[0], places[2]]), ("birch", [places[1]])]
    assert clause.mentioned(MentionKind.AMOUNT) == {}
