"""A collection made, renamed or deleted, with all that the server keeps of it."""

from __future__ import annotations

import json

from pydantic import Field

from fourcorners.library.database import as_integer, as_string, in_transaction
from fourcorners.library.removal.retention import hold_of
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name, require_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict
from fourcorners.operations.principal import Role, RoleName
from fourcorners.operations.reviewing.reviews import PartyNames
from fourcorners.research.columns import store as columns
from fourcorners.review.parties import distinct_names
from fourcorners.server.auth.accounts import Accounts
from fourcorners.value import Value

_BY_FOLD = (
    "server_roles.collection",
    "server_oidc_roles.collection",
    "server_papers.fold",
    "server_arrivals.fold",
    "server_visits.fold",
    "server_notices.collection",
    "server_views.collection",
    "server_playbook_homes.collection",
)
_CREATED, _RENAMED, _DELETED = "collection created", "collection renamed", "collection deleted"
_BY_NAME = ("server_tasks", "server_answers", "server_webhooks")


class MemberValue(Value):
    """Someone who has a role in this collection itself, not through the whole library."""

    user: str = Field(max_length=100, examples=["ada"])
    role: RoleName


class CollectionRequest(Value):
    """A collection to be made, without a document."""

    name: str = Field(min_length=1, max_length=120, examples=["Project Larch"])
    read_for: PartyNames = Field(
        default_factory=list,
        description="The client, by name, or several of a group; empty for nobody.",
        examples=[["Northmere Water Limited"]],
    )
    members: list[MemberValue] = Field(
        default_factory=list,
        max_length=100,
        description="The first who have a role in it; for admins of the library to give.",
    )


def create_collection(access: Access, asked: CollectionRequest) -> str:
    """Make an empty collection and return its name, as it is kept.

    A name that only a role made, for people to have it before the first upload, is no collection
    yet.

    Raises:
        NotAllowed: If they do not edit the whole library, or give roles without administering it.
        Conflict: If there is one of this name.
        ConfigError: If the name is empty, or a member has no account.
    """
    library = access.full_library(Role.ADMIN if asked.members else Role.EDITOR)
    name, by = " ".join(asked.name.split()), access.principal.name
    fold = fold_name(name)
    with library.transaction():
        if fold in map(fold_name, library.collection_names()):
            if not _is_only_named(library, name):
                raise Conflict(
                    "a collection with this name already exists.",
                    remedy="Open it, or choose another name.",
                )
            library.execute("UPDATE collections SET name = ? WHERE fold = ?", (name, fold))
            library.note_change()
        library.add_collection(name)
        access.record(_CREATED, {"collection": name}, always=True)
        if client := distinct_names(asked.read_for):
            library.set_read_for(name, client, by=by)
        for member in asked.members:
            role = Role.from_title(member.role)
            Accounts(library).grant(member.user, role, name, by=by)
    return name


def _is_only_named(library: Library, collection: str) -> bool:
    """Return whether a collection has nothing in it, and nobody made it but by giving a role."""
    if (
        library.document_ids(collection)
        or library.failures(collection)
        or library.read_for(collection)
    ):
        return False
    rows = library.execute(
        "SELECT event, detail FROM audit WHERE event IN (?, ?, ?) ORDER BY seq DESC",
        (_CREATED, _DELETED, _RENAMED),
    )
    for event, text in rows:
        detail = json.loads(as_string(text))
        called = detail["name" if event == _RENAMED else "collection"]
        if fold_name(called) == fold_name(collection):
            return event == _DELETED
    return True


@in_transaction
def rename_collection(library: Library, collection: str, name: str, *, by: str) -> str:
    """Rename a collection and return its name, as it is kept; roles, tasks and answers go with it.

    Raises:
        Conflict: If work on it is running, another has the name, or people asked columns in it.
        ConfigError: If there is no such collection, or the name is none.
    """
    old, fold = _idle_collection(library, collection), fold_name(name)
    if old != fold and columns.columns_of_collections(library, [collection]):
        raise Conflict(
            "the cells of columns that people asked are kept under the collection's name.",
            remedy="Take these columns out first.",
        )
    require_name(name, "collection")
    if old != fold and fold in map(fold_name, library.collection_names()):
        raise Conflict("a collection with this name already exists.", remedy="Choose another.")
    new = _rename(library, collection, name, by)
    if old != fold:
        _move_rows(library, old, fold)
    for table in _BY_NAME:
        for row in _names(library, table, old):
            library.execute(
                f"UPDATE {table} SET collection = ? WHERE collection = ?",  # noqa: S608
                (new, row),
            )
    return new


def _move_rows(library: Library, old: str, fold: str) -> None:
    """Give rows the new name of a collection; they replace those that have it."""
    people = "user IN (SELECT user FROM {0} WHERE collection = ?2)"
    for table, column, same in (
        ("server_roles", "collection", people),
        ("server_oidc_roles", "collection", people),
        ("server_papers", "fold", "EXISTS (SELECT 1 FROM {0} WHERE fold = ?2)"),
        ("server_visits", "fold", "person IN (SELECT person FROM {0} WHERE fold = ?2)"),
        ("server_arrivals", "fold", "playbook IN (SELECT playbook FROM {0} WHERE fold = ?2)"),
    ):
        library.execute(
            f"DELETE FROM {table} WHERE {column} = ?1 AND {same.format(table)}",  # noqa: S608
            (fold, old),
        )
        library.execute(
            f"UPDATE {table} SET {column} = ? WHERE {column} = ?",  # noqa: S608
            (fold, old),
        )
    _redirect_watches(library, old, fold)
    _delete_playbooks(library, fold)
    for table in ("server_notices", "server_views", "server_playbook_homes"):
        library.execute(
            f"UPDATE {table} SET collection = ? WHERE collection = ?",  # noqa: S608
            (fold, old),
        )


def _redirect_watches(library: Library, old: str, fold: str) -> None:
    """Let watched folders feed a collection under its new name, or nothing once it is deleted."""
    library.execute(
        "UPDATE server_watched SET stamp = ? WHERE stamp = ? AND substr(path, 1, 6) = 'feeds '",
        (fold, old),
    )


def delete_collection(library: Library, collection: str, *, by: str) -> list[str]:
    """Delete a collection, and return the paths of the files that no document is from now.

    Raises:
        Conflict: If work on it goes on, or it is under a legal hold.
        ConfigError: If there is no such collection.
    """
    with library.transaction():
        old = _idle_collection(library, collection)
        if hold := hold_of(library, collection):
            raise Conflict(
                f"collection {collection!r} is under a legal hold {hold}.",
                remedy="Nothing of it can be deleted until an admin of it releases the hold.",
            )
        for asked in columns.columns_of_collections(library, [collection]):
            columns.remove_column(library, asked.id, by=by)
        paths = _delete(library, collection, by)
        _delete_playbooks(library, old)
        _redirect_watches(library, old, "")
        for table, _, column in (each.partition(".") for each in _BY_FOLD):
            library.execute(f"DELETE FROM {table} WHERE {column} = ?", (old,))  # noqa: S608
        for table in _BY_NAME:
            for row in _names(library, table, old):
                library.execute(f"DELETE FROM {table} WHERE collection = ?", (row,))  # noqa: S608
        for table in ("server_steps", "server_exports"):
            library.execute(
                f"DELETE FROM {table} WHERE task NOT IN (SELECT id FROM server_tasks)"  # noqa: S608
            )
    return paths


def _delete_playbooks(library: Library, fold: str) -> None:
    library.execute(
        "DELETE FROM server_playbooks WHERE row IN "
        "(SELECT version FROM server_playbook_homes WHERE collection = ?)",
        (fold,),
    )


def _idle_collection(library: Library, collection: str) -> str:
    """Return the folded name of a collection that nothing is being done to."""
    fold = fold_name(collection)
    going = [
        as_integer(count)
        for name in _names(library, "server_tasks", fold)
        for (count,) in library.execute(
            "SELECT count(*) FROM server_tasks WHERE collection = ? AND finished = ''", (name,)
        )
    ]
    if any(going):
        raise Conflict(
            "work on this collection is in progress.", remedy="Wait for its tasks, or cancel them."
        )
    return fold


def _names(library: Library, table: str, fold: str) -> list[str]:
    """Return the ways in which the name of a collection is written in a table."""
    rows = library.execute(f"SELECT DISTINCT collection FROM {table}")  # noqa: S608
    return [str(name) for (name,) in rows if fold_name(str(name)) == fold]


def _rename(library: Library, collection: str, name: str, by: str) -> str:
    """Rename a collection in the catalogue and in the words index; documents keep their ids."""
    new, old = " ".join(name.split()), fold_name(collection)
    documents = library.document_ids(collection)
    library.note_former_name(collection)
    library.execute(
        "UPDATE collections SET name = ?, fold = ? WHERE fold = ?", (new, fold_name(new), old)
    )
    library.execute(
        "UPDATE failures SET collection = ? WHERE collection = ?", (fold_name(new), old)
    )
    for document in documents:
        library.rewrite_words(document)
    library.note_change()
    library.record(_RENAMED, {"collection": collection, "name": new, "by": by})
    return new


def _delete(library: Library, collection: str, by: str) -> list[str]:
    """Take a collection out of the catalogue, and return the paths that no document is from now."""
    documents = library.document_ids(collection)
    paths = [path for document in documents for path in library.paths_of(document)]
    for document in documents:
        library.remove(document)
        library.execute("DELETE FROM document_parties WHERE document = ?", (document,))
    fold = fold_name(collection)
    library.execute("DELETE FROM failures WHERE collection = ?", (fold,))
    library.execute(
        "DELETE FROM collection_sides WHERE collection = "
        "(SELECT row FROM collections WHERE fold = ?)",
        (fold,),
    )
    library.note_former_name(collection)
    library.execute("DELETE FROM collections WHERE fold = ?", (fold,))
    library.note_change()
    detail: dict[str, str | int] = {"collection": collection, "documents": len(documents)}
    library.record(_DELETED, {**detail, "by": by})
    return [path for path in dict.fromkeys(paths) if not library.is_source(path)]
