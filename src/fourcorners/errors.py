"""The error tree: each class names who must act.

A message says what happened, in which file or document and where, and what to do about it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, ClassVar

_LISTED = 20  # names of those there are; the rest is counted
_SENTENCES = {  # of a value, and for which of pydantic's kinds of errors
    "must be a number": "float_type float_parsing finite_number",
    "must be a whole number": "int_type int_parsing int_parsing_size int_from_float",
    "must be true or false": "bool_type bool_parsing",
    "must be text": "string_type",
    "must be a path": "path_type",
    "must be a list": "list_type tuple_type set_type frozen_set_type",
    "must be a mapping of keys to values": (
        "dict_type model_type model_attributes_type dataclass_type"
    ),
    "must be one of {expected}": "literal_error enum",
    "must be more than {gt}": "greater_than",
    "must be at least {ge}": "greater_than_equal",
    "must be less than {lt}": "less_than",
    "must be at most {le}": "less_than_equal",
    "must have {min_length} or more characters": "string_too_short",
    "must have {max_length} or fewer characters": "string_too_long",
    "must have {min_length} or more items": "too_short",
    "must have {max_length} or fewer items": "too_long",
    "must match {pattern}": "string_pattern_mismatch",
    "is missing": "missing",
    "is not known": "extra_forbidden",
    "is not JSON: {error}": "json_invalid",
}
_FAULTS = {kind: sentence for sentence, kinds in _SENTENCES.items() for kind in kinds.split()}


class FourcornersError(Exception):
    """Base of every error this package raises on purpose.

    Attributes:
        remedy: What the person who must act can do, as one sentence; empty if the message says it.
    """

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_error, (type(self), self.message, self.remedy))

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


def _rebuild_error(kind: type[FourcornersError], message: str, remedy: str) -> FourcornersError:
    return kind(message, remedy=remedy)


class InputError(FourcornersError):
    """A file that cannot be read as a contract: the person who supplied it must act."""


class ConfigError(FourcornersError):
    """A setting, playbook, query or option that is wrong: the operator must act.

    Attributes:
        field: The field of a form or request that is to blame; empty where no one field is.
    """

    def __init__(self, message: str, *, remedy: str = "", field: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.field = field


class QueryError(ConfigError):
    """A search query that does not parse; its message points at the character.

    Attributes:
        at: The index of that character in the query; None where no one character is to blame.
    """

    at: int | None = None


class PlaybookError(ConfigError):
    """A playbook that does not hold its schema; its message names the line and the key."""


class LibraryError(FourcornersError):
    """The store cannot be opened, is damaged, or is of another version.

    The message may name its file, host or user: it is for the operator. What a server says to
    others is in a subclass whose messages name no place.
    """


class DamagedValue(LibraryError):
    """A stored value is not what was stored, or of a version that this program does not know.

    Attributes:
        row: The row of the document that it belongs to, where that is known.
    """

    row: int | None = None


class DamagedDocument(LibraryError):
    """What the library holds of one document cannot be read; the message names no place.

    Attributes:
        document: Its id.
        name: Its file's name.
        path: Where it was read from.
        collection: The collection that it is in.
        part: What cannot be read: `text`, `outline` …
    """

    def __init__(self, document: str, name: str, path: str, collection: str, part: str) -> None:
        super().__init__(
            f"what the library holds of {name} is damaged (its {part}).",
            remedy="Add its file again; it is left out until then.",
        )
        self.document, self.name, self.path = document, name, path
        self.collection, self.part = collection, part

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.document, self.name, self.path, self.collection, self.part)


class LibraryBusy(LibraryError):
    """The library is whole, but not now free for this; the message names no place."""


class StepsClaimed(LibraryBusy):
    """Another process is doing this now; it can be done afterwards."""


class LibraryUnreachable(LibraryError):
    """The server that holds the library does not answer: its administrator must act, or time."""


class TransactionLost(LibraryUnreachable):
    """The connection to the library ended within a transaction, of which nothing is stored.

    The same can be done again, whole (`library.database.in_transaction`).

    Attributes:
        is_over: Whether the whole transaction has been left, so that it can be begun again.
    """

    is_over = False


class DiskFull(LibraryError):
    """The disk is full: its administrator must make room."""


class EvidenceError(FourcornersError):
    """A quote that is not in the document it is said to come from."""


class ModelError(FourcornersError):
    """A model file is missing or damaged, or a model's provider failed."""


class CallError(ModelError):
    """A server that was called and could not be reached, refused, or did not answer sensibly.

    Attributes:
        status: The HTTP status of its answer; None where there was none.
    """

    status: int | None = None


class LlmError(ModelError):
    """A language model did not give an answer that can be used; the subclass says why.

    Attributes:
        kind: The reason in one or two words, as a failed cell and the ledger show it.
    """

    kind: ClassVar[str] = "failed"


class LlmNotConfigured(ConfigError):
    """A language model is wanted and none is configured for the role, or not enough is said."""

    kind: ClassVar[str] = "not configured"


class LlmUnreachable(LlmError):
    """The model's server cannot be reached, has no time, or failed, however often it was asked."""

    kind: ClassVar[str] = "unreachable"


class LlmRejected(LlmError):
    """The server rejected the request itself: the key, the model's name, the length, a setting."""

    kind: ClassVar[str] = "rejected"


class LlmRefused(LlmError):
    """The model or its provider declined to answer."""

    kind: ClassVar[str] = "refused"


class LlmTimedOut(LlmError):
    """No whole answer came within the time that one call may take."""

    kind: ClassVar[str] = "timed out"


class LlmUnparsable(LlmError):
    """The answer does not match the requested schema, even after a correction."""

    kind: ClassVar[str] = "unparsable"


class LlmUnrecorded(LlmError):
    """An exchange was to be replayed that is not in the recording."""

    kind: ClassVar[str] = "not recorded"


class BudgetExceeded(FourcornersError):
    """A limit that the user set on time, memory, tokens or cost was reached."""


def name_remedy(wanted: str, known: Collection[str]) -> str:
    """Return a remedy for a name that is not known: the nearest that is, else those there are."""
    names = {each.casefold(): each for each in known}
    if near := get_close_matches(wanted.casefold(), names, n=1):
        return f"Did you mean {names[near[0]]!r}?"
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    listed = ", ".join([*known][:_LISTED])
    return f"There are: {listed}{more}." if known else "There are none."


def describe_problem(fault: Mapping[str, Any], place: str = "", given: str = "") -> str:
    """Return what is wrong with a value that pydantic refused, as a sentence without its full stop.

    Args:
        fault: One of `ValidationError.errors()`.
        place: What names the value; by default the keys that lead to it.
        given: The value, as it is to be shown; empty if it must not be.
    """
    place = place or ".".join(map(str, fault["loc"])) or "it"
    context = {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in fault.get("ctx", {}).items()
    }
    written = f", not {given}" if given else ""
    if (kind := fault["type"]) not in _FAULTS:
        says = str(context["error"] if kind == "value_error" else fault["msg"])
        return f"{place}: {says[:1].lower()}{says[1:].rstrip('.')}{written}"
    if context.get("min_length") == 1:
        return f"{place} must not be empty"
    expected = re.sub(r"<\w+\.\w+: ('[^']*')>", r"\1", str(context.get("expected", "")))
    quoted = expected.split("'")  # 'a', 'b' or 'c'
    context["expected"] = "".join(quoted)
    near = get_close_matches(str(fault.get("input", "")), quoted[1::2], n=1)
    offer = f" (did you mean {near[0]!r}?)" if near else ""
    return f"{place} {_FAULTS[kind].format_map(context)}{written}{offer}"
