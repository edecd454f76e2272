"""Uploads: files and folders of a person's machine into a collection."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import FormData, UploadFile

from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.errors import HttpError
from fourcorners.server.store.uploads import MAX_FILES
from fourcorners.server.tasks.uploads import receive_files

router = APIRouter()


@router.post("/upload")
async def upload(request: Request, context: Context) -> Response:
    """Keep the files, begin to read them, and show how that goes."""
    form = await request.form(max_files=MAX_FILES, max_fields=MAX_FILES)
    try:
        task = await run_in_threadpool(_take, context, form)
    finally:
        await form.close()
    address = f"/tasks/{task}"
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"task": task, "href": address}, 202)
    return context.redirect(address)


def uploaded_files(
    context: RequestContext, form: FormData, remedy: str
) -> tuple[str, list[tuple[str, UploadFile]]]:
    """Return the collection that a form names, and the files in it by their names.

    Raises:
        HttpError: If it names no collection, or has no file; the latter with this remedy.
        NotAllowed: If they are no editor there.
    """
    collection = " ".join(str(form.get("collection", "")).split())
    if not collection or len(collection) > 120:
        raise HttpError("a collection needs a name of at most 120 characters.")
    with context.access() as access:
        access.require(Role.EDITOR, collection, to_come=True)
    sent = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
    files = [(each.filename, each) for each in sent if each.filename]
    if not files:
        raise HttpError("no file was sent.", remedy=remedy)
    return collection, files


def _take(context: RequestContext, form: FormData) -> str:
    collection, files = uploaded_files(context, form, "Choose files or a folder first.")
    return receive_files(context, collection, ((name, each.file) for name, each in files)).id
