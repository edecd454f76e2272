"""Files that came in: kept, and given to the task that reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from fourcorners.server.context import RequestContext
from fourcorners.server.errors import HttpError
from fourcorners.server.tasks.handlers import add as adding
from fourcorners.server.tasks.queue import Task


def receive_files(
    context: RequestContext, collection: str, files: Iterable[tuple[str, BinaryIO]]
) -> Task:
    """Keep files under their senders' names, and start the task that adds them.

    Whoever calls has checked that the person may add to the collection.

    Raises:
        TooLarge: If they are more, or larger, than is taken; then none is kept.
        Refusal: If there is none among them that can be a contract.
    """
    upload = context.state.uploads.create()
    try:
        for name, source in files:
            upload.save_file(name, source)
        count = sum(bool(each.path) for each in upload.kept)
        if not count:
            raise HttpError(
                "none of these files can be a contract: all are hidden, or left behind by programs."
            )
        spec = {"folder": str(upload.folder), "files": str(count)}
        lane = adding.lane(is_shared=context.state.uploads.is_shared)
        return context.start_task(adding.KIND, lane, collection, spec)
    except BaseException:
        upload.delete()
        raise
