"""`AddReport`: what came of the files that were added; and `Progress` on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fourcorners.library.entries import Failure
from fourcorners.library.listing import storable_path
from fourcorners.library.prepare import PreparedFile


@dataclass(frozen=True, slots=True)
class Progress:
    """How far `add` is, in files; `path` is the one just finished."""

    done: int
    total: int
    failed: int
    path: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A file whose content the collection holds from another path."""

    path: str
    same_as: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """A file that changed since it was added; the earlier version is still in the library."""

    path: str
    earlier: str


@dataclass(frozen=True, slots=True)
class NeedsOcr:
    """A document that was added, but for the pages that gave no text."""

    path: str
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """A document that was added, with what a person should know of its reading."""

    path: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddReport:
    """The result for the files.

    `found == added + already + len(failed)`, except for files that another process added meanwhile.

    Attributes:
        found: How many files (and paths that could not be entered) there were.
        added: How many new documents there are.
        already: How many files had content that the collection already had, including `duplicates`.
        characters: Of the new documents.
        passages: Of the new documents.
        seconds: Time spent by stage: read and outline in all workers together, encode, store.
    """

    found: int
    added: int
    already: int
    failed: tuple[Failure, ...]
    duplicates: tuple[Duplicate, ...]
    replaced: tuple[Replaced, ...]
    needs_ocr: tuple[NeedsOcr, ...]
    characters: int
    passages: int
    seconds: Mapping[str, float]
    warned: tuple[ReadingWarning, ...] = ()


@dataclass(slots=True)
class Tally:
    """The results for the files so far."""

    added: int = 0
    already: int = 0
    characters: int = 0
    passages: int = 0
    failed: dict[str, Failure] = field(default_factory=dict)
    duplicates: list[Duplicate] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    needs_ocr: list[NeedsOcr] = field(default_factory=list)
    warned: list[ReadingWarning] = field(default_factory=list)
    seconds: dict[str, float] = field(
        default_factory=lambda: {"read": 0.0, "outline": 0.0, "encode": 0.0, "store": 0.0}
    )

    def count_new(self, path: str, made: PreparedFile) -> None:
        """Count a file that became a document."""
        columns = made.columns
        self.added += 1
        self.characters += len(columns.text)
        self.passages += len(columns.passages)
        if columns.needs_ocr:
            self.needs_ocr.append(NeedsOcr(path, columns.needs_ocr))
        if made.warnings:
            self.warned.append(ReadingWarning(path, made.warnings))

    def count_known(self, path: str, held_as: str) -> None:
        """Count a file whose content the collection holds, and under which path it does."""
        self.already += 1
        if held_as != storable_path(path):
            self.duplicates.append(Duplicate(path, held_as))

    def report(self, found: int) -> AddReport:
        return AddReport(
            found=found,
            added=self.added,
            already=self.already,
            failed=tuple(self.failed[path] for path in sorted(self.failed)),
            duplicates=tuple(sorted(self.duplicates, key=lambda each: each.path)),
            replaced=tuple(sorted(self.replaced, key=lambda each: each.path)),
            needs_ocr=tuple(sorted(self.needs_ocr, key=lambda each: each.path)),
            characters=self.characters,
            passages=self.passages,
            seconds=dict(self.seconds),
            warned=tuple(sorted(self.warned, key=lambda each: each.path)),
        )
