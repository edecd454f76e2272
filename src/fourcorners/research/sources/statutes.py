"""A folder of statutes on this machine, read and searched as contracts are.

Its index is in the user's cache, under a name derived from the folder's contents: if a file is
changed, added or removed, the folder is read again, and the old index is deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from fourcorners.documents.discovery import find_files
from fourcorners.errors import ConfigError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.research.answerability.search import search_answer
from fourcorners.research.context import build_context
from fourcorners.research.tool import Material, ToolQuery
from fourcorners.source_settings import StatutesSettings

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

_COLLECTION = "statutes"
_DIGITS = 16  # characters of a hash


class Statutes:
    name = "statutes"
    description = (
        "the statutes that the firm keeps, for what the law provides where the contract refers to "
        "it or is silent; words: what such a section would say"
    )

    def __init__(self, settings: StatutesSettings, encoder: Encoder | None = None) -> None:
        self._settings = settings
        self._encoder = encoder

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return the sections about it, each with its place in the statute.

        Raises:
            ConfigError: If the folder is missing or empty, or a file in it cannot be read.
            LibraryError: If the index cannot be written.
        """
        encoder = self._encoder or default_encoder()
        with Library.open(self._index(encoder), create=False) as library:
            context = build_context(library, encoder=encoder)
            found = search_answer(context, inquiry.words, limit=inquiry.limit)
            parts = [
                context.material(each.document, each.span, tool="", score=each.score)
                for each in found.snippets
            ]
        licence = self._settings.licence
        return [replace(each, document="", span=None, licence=licence) for each in parts]

    def _index(self, encoder: Encoder) -> Path:
        """Return the index of the folder as it is now; build it if necessary."""
        folder = self._settings.folder
        if not folder.is_dir():
            raise ConfigError(f"there is no folder {folder}.", remedy="Correct `folder`.")
        cache = user_cache_path("fourcorners", ensure_exists=True)
        of_folder = f"statutes-{_digest(str(folder.absolute()))}-"
        index = cache / f"{of_folder}{_digest(_state(folder), encoder.name)}.db"
        if index.is_file():
            return index
        made = index.with_suffix(".new")
        made.unlink(missing_ok=True)
        with Library.open(made, create=True) as library:
            report = add_files(library, [folder], collection=_COLLECTION, encoder=encoder)
        if report.failed or not (report.added or report.already):
            made.unlink(missing_ok=True)
            names = ", ".join(Path(each.path).name for each in report.failed[:3])
            raise ConfigError(
                f"files in the folder of statutes cannot be read: {names}."
                if names
                else "the folder of statutes is empty.",
                remedy="Repair them, or remove them from the folder.",
            )
        for old in cache.glob(f"{of_folder}*.db"):
            old.unlink(missing_ok=True)
        return made.replace(index)


def _state(folder: Path) -> str:
    """Return a fingerprint of a folder's state: names, sizes and times of files."""
    lines = []
    for path in find_files([folder]):
        if isinstance(path, Path):
            held = path.stat()
            lines.append(f"{path} {held.st_size} {held.st_mtime_ns}")
    return "\n".join(sorted(lines))


def _digest(*words: str) -> str:
    return sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
