"""Sentence boundaries with exact places, by nupunkt's legal model."""

from __future__ import annotations

from fourcorners.text.span import Span


def sentences(text: str, within: Span | None = None) -> list[Span]:
    """Return the sentences of `text` (of `within`, if given), without surrounding white space.

    The spans are disjoint, in order, and cover every character that is not white space.
    """
    import nupunkt

    base = within or Span(0, len(text))
    words = base.of(text)
    if not words.strip():
        return []
    found = (
        Span(start, end).shift(base.start).strip(text) for start, end in nupunkt.sent_spans(words)
    )
    return [span for span in found if span]
