"""Collections as a whole: another name for one, or its end."""

from __future__ import annotations

from fourcorners.errors import ConfigError
from fourcorners.library.database import as_integer
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name


def rename_collection(library: Library, collection: str, name: str, *, by: str = "") -> str:
    """Give a collection another name, and return it as it is kept; its documents keep their ids.

    Raises:
        ConfigError: If there is no such collection, the name is none, or another bears it.
    """
    new, fold = " ".join(name.split()), fold_name(name)
    if not fold:
        raise ConfigError("a collection needs a name.")
    with library.transaction():
        row = _row(library, collection)
        taken = library.execute(
            "SELECT 1 FROM collections WHERE fold = ? AND row <> ?", (fold, row)
        )
        if taken:
            raise ConfigError(
                f"there is a collection {new!r} already.", remedy="Choose another name."
            )
        documents = [each.id for each in library.documents(collection)]
        library.note_former_name(collection)
        library.execute("UPDATE collections SET name = ?, fold = ? WHERE row = ?", (new, fold, row))
        library.execute(
            "UPDATE failures SET collection = ? WHERE collection = ?",
            (fold, fold_name(collection)),
        )
        for document in documents:
            library.rewrite_words(document)
        library.note_change()
        detail = {"collection": collection, "name": new}
        library.record("collection renamed", {**detail, "by": by} if by else detail)
    return new


def delete_collection(library: Library, collection: str, *, by: str = "") -> list[str]:
    """Take a collection out with its documents, and return the paths that no document is from now.

    Raises:
        ConfigError: If there is no such collection.
    """
    with library.transaction():
        row = _row(library, collection)
        documents = [each.id for each in library.documents(collection)]
        paths = [path for document in documents for path in library.paths_of(document)]
        for document in documents:
            library.remove(document)
        library.execute("DELETE FROM failures WHERE collection = ?", (fold_name(collection),))
        library.execute("DELETE FROM collection_sides WHERE collection = ?", (row,))
        library.note_former_name(collection)
        library.execute("DELETE FROM collections WHERE row = ?", (row,))
        library.note_change()
        detail: dict[str, str | int] = {"collection": collection, "documents": len(documents)}
        library.record("collection deleted", {**detail, "by": by} if by else detail)
        return [path for path in dict.fromkeys(paths) if not library.is_source(path)]


def _row(library: Library, collection: str) -> int:
    found = library.execute("SELECT row FROM collections WHERE fold = ?", (fold_name(collection),))
    if not found:
        raise ConfigError(f"there is no collection {collection!r}.")
    return as_integer(found[0][0])
