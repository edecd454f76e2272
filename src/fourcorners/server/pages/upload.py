"""Uploads: files and folders of a person's machine into a collection."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import FormData, UploadFile

from fourcorners.server.desk import Desk, DeskOf
from fourcorners.server.principal import Role
from fourcorners.server.receiving import receive
from fourcorners.server.refusals import Refusal
from fourcorners.server.uploads import MOST_FILES

router = APIRouter()


@router.post("/upload")
async def upload(request: Request, desk: Desk) -> Response:
    """Keep the files, begin to read them, and show how that goes."""
    form = await request.form(max_files=MOST_FILES, max_fields=MOST_FILES)
    try:
        task = await run_in_threadpool(_take, desk, form)
    finally:
        await form.close()
    address = f"/tasks/{task}"
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"task": task, "href": address}, 202)
    return desk.see(address)


def _take(desk: DeskOf, form: FormData) -> str:
    collection = " ".join(str(form.get("collection", "")).split())
    if not collection or len(collection) > 120:
        raise Refusal("a collection needs a name of at most 120 characters.")
    with desk.access() as access:
        access.require(Role.EDITOR, collection, to_come=True)
    files = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
    files = [each for each in files if each.filename]
    if not files:
        raise Refusal("no file was sent.", remedy="Choose files or a folder first.")
    return receive(desk, collection, ((str(each.filename), each.file) for each in files)).id
