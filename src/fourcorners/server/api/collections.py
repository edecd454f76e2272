"""Collections: the named parts of the library, and who may do what in each."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from fourcorners.library.originals.files import Originals
from fourcorners.library.tokens import fold_name
from fourcorners.operations import retention
from fourcorners.operations.access import Access
from fourcorners.operations.failures import FailuresRequest, failure_id
from fourcorners.operations.originals import (
    BucketChange,
    OriginalsValue,
    choose_bucket,
    count_originals,
)
from fourcorners.operations.principal import Role, RoleName
from fourcorners.operations.retention import (
    HoldRequest,
    RetentionChange,
    RetentionValue,
    retention_of,
)
from fourcorners.operations.reviewing.reviews import PartyNames
from fourcorners.review.parties import set_side
from fourcorners.server.api.models import (
    CollectionName,
    CollectionValue,
    FailureValue,
    TaskValue,
)
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.context import Context
from fourcorners.server.pages import failures as failure_pages
from fourcorners.server.store import collections
from fourcorners.server.store.collections import CollectionRequest, MemberValue
from fourcorners.server.store.deletion_report import DeletionRequest
from fourcorners.server.tasks import arrivals
from fourcorners.server.tasks.handlers import deletion as deletion_task
from fourcorners.server.tasks.handlers.add import retry_files
from fourcorners.value import Flag, Value

router = APIRouter(tags=["Collections"], route_class=ApiRoute)
_Collection = Annotated[
    str, Path(max_length=500, description="Its name.", examples=["Project Larch"])
]
_User = Annotated[str, Path(max_length=100, description="An account's name.", examples=["ada"])]


class CollectionChange(Value):
    """What is to be changed of a collection; what is left out stays."""

    name: str | None = Field(
        default=None, min_length=1, max_length=120, examples=["Project Larch (closed)"]
    )
    read_for: PartyNames | None = Field(
        default=None,
        description="The party for whom its contracts are read, or several of a group; an empty "
        "list for nobody.",
    )


class ArrivalsChange(Value):
    """Whether what is added to a collection later is reviewed; it is, unless this says no."""

    playbook: str = Field(max_length=200, examples=["due-diligence"])
    review: Flag


class MemberChange(Value):
    """The role to give."""

    role: RoleName


@router.get("/collections")
def list_collections(context: Context) -> list[CollectionValue]:
    """List the collections that you may read."""
    with context.access() as access:
        return [
            CollectionValue.make(each, unread=len(access.failures(each.name)))
            for each in access.collections()
        ]


@router.post("/collections", status_code=201)
def create_collection(context: Context, asked: CollectionRequest) -> CollectionValue:
    """Make an empty collection, with its client and its first members.

    For who may edit the whole library; with members, for its admins.
    """
    with context.access() as access:
        return _value(access, collections.create_collection(access, asked))


@router.put("/collections/{collection:path}/arrivals", status_code=204)
def review_arrivals(context: Context, collection: _Collection, given: ArrivalsChange) -> None:
    """Say whether contracts that are added later are reviewed by a playbook as they arrive."""
    with context.access() as access:
        arrivals.review_arrivals(access, collection, given.playbook, wanted=given.review)


@router.get("/failures")
def list_failures(context: Context, collection: CollectionName) -> list[FailureValue]:
    """List the files of a collection that could not be read."""
    shown_path = context.state.uploads.display_path
    with context.access() as access:
        found = access.failures(collection)
    return [
        FailureValue.make(each, id=failure_id(each), file=shown_path(each.path)) for each in found
    ]


@router.post("/failures/retry", status_code=202)
def retry_failures(context: Context, asked: FailuresRequest) -> TaskValue:
    """Read files again that could not be read; the answer is the task to watch."""
    return TaskValue.make(retry_files(context, asked))


@router.post("/failures/dismiss", status_code=204)
def dismiss_failures(context: Context, asked: FailuresRequest) -> None:
    """Take files off the list of those that could not be read, and remove what was uploaded."""
    failure_pages.dismiss(context, asked)


@router.post("/failures/help", status_code=204)
def ask_for_help(context: Context, collection: CollectionName) -> None:
    """Notify those who administer a collection that you need help with files of it."""
    failure_pages.ask_administrators(context, collection)


@router.get("/collections/{collection:path}/members")
def list_members(context: Context, collection: _Collection) -> list[MemberValue]:
    """List who has a role in a collection; for its admins."""
    with context.access() as access:
        library = access.library_for(collection, Role.ADMIN)
        held = Accounts(library).members(collection)
    return [MemberValue(user=user, role=role.title) for user, role in held]


@router.put("/collections/{collection:path}/members/{user}")
def set_member(
    context: Context, collection: _Collection, user: _User, given: MemberChange
) -> MemberValue:
    """Give someone who has an account a role in a collection, as an admin there."""
    role = Role.from_title(given.role)
    with context.access() as access:
        library = access.library_for(collection, Role.ADMIN)
        Accounts(library).grant(user, role, collection, by=context.principal.name)
    return MemberValue(user=user, role=role.title)


@router.delete("/collections/{collection:path}/members/{user}", status_code=204)
def remove_member(context: Context, collection: _Collection, user: _User) -> None:
    """Take someone's role in a collection away, as an admin there."""
    with context.access() as access:
        library = access.library_for(collection, Role.ADMIN)
        Accounts(library).grant(user, None, collection, by=context.principal.name)


@router.get("/collections/{collection:path}/originals")
def get_originals(context: Context, collection: _Collection) -> OriginalsValue:
    """Count the original files of a collection by where they are; for its admins."""
    with context.access() as access:
        return count_originals(access, Originals(context.state.settings.originals), collection)


@router.put("/collections/{collection:path}/originals")
def set_bucket(context: Context, collection: _Collection, change: BucketChange) -> OriginalsValue:
    """Give a collection a bucket of the settings for its original files, as an admin there.

    The server moves them there within a minute or so.
    """
    originals = Originals(context.state.settings.originals)
    with context.access() as access:
        return choose_bucket(access, originals, collection, change.bucket)


@router.get("/collections/{collection:path}/retention")
def get_retention(context: Context, collection: _Collection) -> RetentionValue:
    """Return how long a collection is kept, its legal hold and what is due; for its admins."""
    with context.access() as access:
        return retention_of(access, collection)


@router.put("/collections/{collection:path}/retention")
def set_retention(
    context: Context, collection: _Collection, change: RetentionChange
) -> RetentionValue:
    """Say how long contracts of a collection are kept, as an admin there.

    Nothing is deleted by that alone: `POST /deletions` deletes what is due.
    """
    with context.access() as access:
        return retention.set_retention(access, collection, change)


@router.post("/deletions", status_code=202)
def start_deletion(context: Context, asked: DeletionRequest) -> TaskValue:
    """Delete contracts, what is due, or a collection, with a report; the answer is the task.

    `GET /tasks/ID/file` is the report, for a day. Editors delete contracts, admins of the
    collection what is due, and admins of the library the collection. For the last, the library is
    also searched for what may be left, and the task belongs to no collection.
    """
    return TaskValue.make(deletion_task.start_deletion(context, asked))


@router.put("/collections/{collection:path}/hold")
def place_hold(context: Context, collection: _Collection, asked: HoldRequest) -> RetentionValue:
    """Place a collection under a legal hold, as an admin there: nothing of it can be deleted."""
    with context.access() as access:
        return retention.place_hold(access, collection, asked)


@router.delete("/collections/{collection:path}/hold")
def release_hold(context: Context, collection: _Collection) -> RetentionValue:
    """Release a collection from its legal hold, as an admin there."""
    with context.access() as access:
        return retention.release_hold(access, collection)


# After those that end in more, since a collection's name may have slashes.


@router.get("/collections/{collection:path}")
def get_collection(context: Context, collection: _Collection) -> CollectionValue:
    """Return a collection."""
    with context.access() as access:
        return _value(access, collection)


@router.patch("/collections/{collection:path}")
def update_collection(
    context: Context, collection: _Collection, change: CollectionChange
) -> CollectionValue:
    """Rename a collection, or change for whom its contracts are read.

    Renaming needs the role of an admin under both names: mostly, of the whole library. Links to
    contracts stay; the old name is free again.
    """
    name = collection
    by = context.principal.name
    with context.access() as access:
        if change.name is not None:
            access.require(Role.ADMIN, change.name, to_come=True)
        needed = Role.REVIEWER if change.name is None else Role.ADMIN
        library = access.library_for(collection, needed)
        with library.transaction():
            if change.read_for is not None:
                set_side(library, collection, change.read_for, by=by)
            if change.name is not None:
                name = collections.rename_collection(library, collection, change.name, by=by)
        return _value(access, name)


@router.delete("/collections/{collection:path}", status_code=204)
def delete_collection(context: Context, collection: _Collection) -> None:
    """Delete a collection: its contracts, findings, answers, columns, files and roles.

    It needs the role of an admin there. Nothing brings it back but a backup.
    """
    with context.access() as access:
        library = access.library_for(collection, Role.ADMIN)
        paths = collections.delete_collection(library, collection, by=context.principal.name)
    context.delete_files(paths)


def _value(access: Access, name: str) -> CollectionValue:
    access.require(Role.READER, name)
    found = next(e for e in access.collections() if fold_name(e.name) == fold_name(name))
    return CollectionValue.make(found, unread=len(access.failures(found.name)))
