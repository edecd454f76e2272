"""Which document of a collection is open in Word, although Word saves other bytes each time."""

from __future__ import annotations

import shutil
from typing import BinaryIO

from fourcorners.documents.change_marks import find_tracked_changes
from fourcorners.documents.document import Document
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.one_file import read_one_file
from fourcorners.errors import FourcornersError
from fourcorners.library.store import Library
from fourcorners.operations.markup.word_file import has_word_original
from fourcorners.settings import Settings
from fourcorners.work_folder import make_temporary_folder

_SPACES = 0.02  # of the characters: how much longer a text may be by its white space


def find_same_words(
    library: Library, settings: Settings, collection: str, sent: BinaryIO
) -> str | None:
    """Return the id of the Word document of a collection that has the words of a file.

    Both have the same tracked changes, too; only white space may differ.
    """
    with make_temporary_folder() as folder:
        path = folder / "open.docx"
        with path.open("wb") as file:
            shutil.copyfileobj(sent, file)
        sent.seek(0)
        try:
            read = read_one_file(path, settings)
        except FourcornersError:
            return None  # whoever adds it says why
    wanted, size = _words(read), len(read.text)
    shortest, longest = int(size * (1 - _SPACES)), int(size * (1 + _SPACES)) + 1
    for each in library.documents_of_length(collection, MediaType.DOCX, shortest, longest):
        known = library.document(each)
        if _words(known) == wanted and has_word_original(settings, known):
            return each
    return None


def _words(document: Document) -> tuple[list[str], list[tuple[str, list[str], list[str]]]]:
    text = document.text
    changes = (
        (each.author, each.before.split(), each.span.text_in(text).split())
        for each in find_tracked_changes(document)
    )
    return text.split(), [*changes]
