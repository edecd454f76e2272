"""`AnswerReranker`: the reader as a reranker of passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.models.reader.reader import RelevanceReader
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class AnswerReranker:
    """Reads a passage sentence by sentence, as the reader was taught to; the likeliest counts."""

    def __init__(self, reader: RelevanceReader) -> None:
        self._reader = reader

    @property
    def name(self) -> str:
        return self._reader.name

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a passage, in the order of the passages.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        import numpy as np

        parts = [_sentences(each) for each in passages]
        logits = iter(
            self._reader.relevance(question, [one for each in parts for one in each]).tolist()
        )
        return np.array([max(next(logits) for _ in each) for each in parts], np.float32)


def _sentences(passage: str) -> list[str]:
    spans = split_sentences(passage, Span(0, len(passage)))
    found = [words for span in spans if (words := span.text_in(passage).strip())]
    return found or [passage]
