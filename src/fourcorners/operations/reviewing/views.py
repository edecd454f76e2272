"""Views of a review that people save: filters, order, columns and widths under a name."""

from __future__ import annotations

from pydantic import Field

from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotAllowed, NotFound, Refusal
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.principal import Role
from fourcorners.text.invisible_characters import single_line
from fourcorners.value import Flag, Value

MAX_NAME = 60
"""Characters of the name of a view."""
_MAX_VIEWS = 50  # of one person in one review


class ViewRequest(Value):
    """A view to be saved; one of the same name is replaced."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    name: str = Field(max_length=MAX_NAME, examples=["Open liability caps"])
    query: str = Field(
        max_length=8_000,
        description="As in the address of the grid, without `c` and `p`.",
        examples=["severity=to_read&column=cap-on-liability&sort=risk&down=1"],
    )
    shared: Flag = Field(default=False, description="For all who may read the review.")


class SavedView(Value):
    """A view that somebody saved."""

    id: int
    collection: str
    playbook: str
    name: str
    query: str
    shared: bool
    by: str


def list_views(access: Access, collection: str, playbook: str) -> list[SavedView]:
    """Return the views of a review that a person saved, then those shared with all, by name.

    Raises:
        NotFound: If they may not know of the collection.
    """
    library = access.library_for(collection, Role.READER)
    me = access.principal.name
    rows = library.execute(
        "SELECT row, name, query, shared, person FROM server_views WHERE collection = ? "
        "AND playbook = ? AND (shared = 1 OR person = ?) ORDER BY person != ?, name, row",
        (fold_name(collection), playbook, me, me),
    )
    return [
        SavedView(
            id=as_integer(row),
            collection=collection,
            playbook=playbook,
            name=as_string(name),
            query=as_string(query),
            shared=bool(shared),
            by=as_string(person),
        )
        for row, name, query, shared, person in rows
    ]


def save_view(access: Access, asked: ViewRequest) -> SavedView:
    """Save a view under a name; the person's own of that name is replaced.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
        NotAllowed: If it is to be shared, and they are no reviewer there.
        Refusal: If it has no name.
        Conflict: If they have too many.
    """
    role = Role.REVIEWER if asked.shared else Role.READER
    library = access.library_for(asked.collection, role)
    book = load_playbook(access, asked.playbook, asked.collection)
    me = access.principal.name
    name = single_line(" ".join(asked.name.split()))
    if not name:
        raise Refusal("the view has no name.", remedy="Name it.")
    place = (fold_name(asked.collection), book.id, me)
    with library.transaction():
        mine = [e for e in list_views(access, asked.collection, book.id) if e.by == me]
        if len(mine) >= _MAX_VIEWS and name not in {each.name for each in mine}:
            raise Conflict(
                f"you have {_MAX_VIEWS} views of this review already.", remedy="Delete one first."
            )
        library.execute(
            "INSERT OR REPLACE INTO server_views(collection, playbook, person, name, query, "
            "shared, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*place, name, asked.query, int(asked.shared), utc_now()),
        )
        detail: dict[str, str | int] = {"collection": asked.collection, "playbook": book.id}
        access.record("view saved", {**detail, "view": name, "shared": int(asked.shared)})
    saved = list_views(access, asked.collection, book.id)
    return next(each for each in saved if each.by == me and each.name == name)


def delete_view(access: Access, view: int) -> SavedView:
    """Delete a view, and return it: one's own, or as an editor one that is shared.

    Raises:
        NotFound: If there is none that they may see.
        NotAllowed: If it is another's, and they are no editor there.
    """
    rows = access.common().execute(
        "SELECT collection, playbook FROM server_views WHERE row = ?", (view,)
    )
    places = [(as_string(collection), as_string(playbook)) for collection, playbook in rows]
    seen = [place for place in places if access.principal.may(Role.READER, place[0])]
    views = [each for place in seen for each in list_views(access, *place) if each.id == view]
    if not views:
        raise NotFound("there is no such view.", remedy="It may have been deleted.")
    (found,) = views
    if found.by != access.principal.name and not access.principal.may(
        Role.EDITOR, found.collection
    ):
        raise NotAllowed("this view is another’s.", remedy=f"Ask {found.by} to delete it.")
    access.common().execute("DELETE FROM server_views WHERE row = ?", (view,))
    access.record("view deleted", {"collection": found.collection, "view": found.name})
    return found
