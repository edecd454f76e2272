"""What may be wrong with the papers of a data room, as `health.py` finds it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fourcorners.review.finding import Severity
from fourcorners.text.span import Span

_CHARACTERS_A_TOKEN = 4  # of English under the usual tokenizers


class SymptomKind(StrEnum):
    """What may be wrong with a paper of the room."""

    UNREAD = "unread"  # a file that gave nothing
    PAGES_UNREAD = "pages-unread"  # pages that show something but gave no text
    EMPTY = "empty"  # hardly any words
    SAME = "same-content"  # several files with one content
    NEARLY_SAME = "nearly-same"  # copies, drafts or versions of one contract
    MISSING_ATTACHMENT = "missing-attachment"
    MISSING_CONTRACT = "missing-contract"  # amended or restated by one that is here
    UNSIGNED = "unsigned"
    LANGUAGE = "language"
    EXPIRED = "expired"
    EXPIRING = "expiring"
    UNSTRUCTURED = "unstructured"  # no outline that can be trusted
    ORDERS = "orders"  # words addressed to a machine
    HIDDEN = "hidden"  # words that no reader sees
    DISGUISED = "disguised"  # letters that look like others


@dataclass(frozen=True, slots=True)
class Symptom:
    """One thing to look at before the review.

    Attributes:
        document: The id of the document; empty for a file that could not be read.
        name: What to call the document or the file.
        message: What is the matter, in one sentence.
        remedy: What to do about it.
        span: The words it goes by, if it goes by words.
        others: The names of the other files or documents that it concerns.
    """

    concern: SymptomKind
    severity: Severity
    document: str
    name: str
    message: str
    remedy: str
    span: Span | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """What was found in a room, gravest first, and how large the room is.

    Attributes:
        pages: Of documents that have pages.
    """

    symptoms: tuple[Symptom, ...]
    documents: int
    unread: int
    pages: int
    characters: int

    @property
    def tokens(self) -> int:
        """Return about how many tokens the room has."""
        return self.characters // _CHARACTERS_A_TOKEN
