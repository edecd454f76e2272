"""Comparing versions of a contract: of the library, or with a file that is not kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from fourcorners.comparison.comparison import Comparison
from fourcorners.comparison.versions import compare_versions
from fourcorners.errors import InputError
from fourcorners.library.entries import Entry
from fourcorners.operations.access import Access
from fourcorners.reports.comparison.writers import comparison_writer
from fourcorners.search.graph.links import links_of
from fourcorners.value import Value

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.settings import Settings

DocumentId = Annotated[str, Field(min_length=1, max_length=40)]
FORMS = ("docx", "pdf", "html")
"""What a comparison is written as."""


class CompareRequest(Value):
    """Two versions of a contract, or a template and a contract, by their ids."""

    before: DocumentId
    after: DocumentId
    between: tuple[DocumentId, ...] = Field(
        default=(),
        max_length=20,
        description="The versions between the two, in order: each change then has the numbers of "
        "the versions that brought it; the first of all is 1.",
    )


class CompareFileRequest(Value):
    """A contract of the library, and which version of it a file is."""

    document: DocumentId
    file_is: Literal["earlier", "later"] = "later"


def compare_contracts(access: Access, asked: CompareRequest, encoder: Encoder | None) -> Comparison:
    """Compare two versions; with an encoder, clauses pair by meaning too.

    Raises:
        ConfigError: If three or more are asked for and one of them is named twice.
        NotFound: If they may not know of one of them.
        InputError: If one has no text to compare.
    """
    documents = [access.document(each) for each in (asked.before, *asked.between, asked.after)]
    detail = {"before": asked.before, "after": asked.after, "between": ", ".join(asked.between)}
    record_comparison(access, (asked.before, *asked.between, asked.after), detail, "compared")
    return compare_versions(documents, encoder=encoder).against(1)


def compare_file(
    access: Access,
    asked: CompareFileRequest,
    path: Path,
    settings: Settings,
    encoder: Encoder | None,
) -> Comparison:
    """Compare a contract with a file that the library does not keep; a separate process reads it.

    Raises:
        NotFound: If they may not know of the contract.
        FourcornersError: If the file cannot be read, or one of the two has no text to compare.
    """
    from fourcorners.documents.one_file import read_one_file

    held = access.document(asked.document)
    try:
        given = read_one_file(path, settings)
    except InputError as error:  # where it was meanwhile is nobody's concern
        message = error.message.removeprefix(f"{path}: ").replace(str(path), path.name)
        raise InputError(message, remedy=error.remedy) from error
    detail = {"file": path.name, "file_is": asked.file_is}
    record_comparison(access, [asked.document], detail, "compared")
    documents = [given, held] if asked.file_is == "earlier" else [held, given]
    return compare_versions(documents, encoder=encoder).against(1)


def record_comparison(
    access: Access, documents: Iterable[str], detail: Mapping[str, str | int], event: str
) -> None:
    """Record a comparison, or an export of one, for each collection that a document is of."""
    places = {access.visible(each).entry.collection: each for each in documents}
    for collection, document in places.items():
        place = {"collection": collection, "document": document}
        access.record(event, {**detail, **place}, always=event == "export")


def list_candidates(access: Access, document: str) -> tuple[list[Entry], list[Entry]]:
    """Return the contracts of a document's collection that are likely versions of it, and the rest.

    Likely are those that amend it or are amended by it, and those of the same title or nearly the
    same name, the likeliest first.

    Raises:
        NotFound: If they may not know of the document.
    """
    entry = access.visible(document).entry
    links = links_of(access.common())
    linked = {each.target for each in links.amendments(document)}
    linked |= {each.document for each in links.amended_by(document)}
    others = [each for each in access.documents(entry.collection) if each.id != entry.id]
    own = _name_words(entry)
    likeness = {
        each.id: (each.id in linked) + len(own & (words := _name_words(each))) / len(own | words)
        for each in others
    }
    others.sort(key=lambda each: -likeness[each.id])
    likely = [each for each in others if likeness[each.id] >= _LIKELY]
    return likely, others[len(likely) :]


_LIKELY = 0.5  # share of the words of titles and names that two versions have in common


def _name_words(entry: Entry) -> frozenset[str]:
    """Return the words of a title and a file's name, without numbers and the suffix."""
    words = f"{entry.title} {Path(entry.name).stem}".casefold().replace("_", " ").replace("-", " ")
    found = frozenset(each for each in words.split() if each.isalpha())
    return found or frozenset([entry.name.casefold()])


def write_comparison(comparison: Comparison, path: Path, author: str) -> None:
    """Write a comparison in the format that the path's suffix names.

    Raises:
        ConfigError: If what writes the format is not installed.
        InputError: If the Word file would not be both versions.
    """
    written = comparison_writer(path)(comparison, path, author=author)
    if written.differences:
        raise InputError(
            f"the file would not be both versions: {'; '.join(written.differences)}.",
            remedy="Compare the two in Word.",
        )
