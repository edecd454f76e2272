"""What a route is given: who asks, the way to the library, and how to answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from urllib.parse import quote

from anyio import from_thread
from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment
from starlette.datastructures import MutableHeaders

from fourcorners.errors import ConfigError, FourcornersError, InputError
from fourcorners.library.originals.files import delete_upload
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotAllowed, NotFound, Refusal
from fourcorners.operations.local_models import LocalModels
from fourcorners.operations.principal import Principal, Role
from fourcorners.server.auth.identity import Identity
from fourcorners.server.errors import ClientLeft, NotSignedIn, status_of
from fourcorners.server.locales import reading
from fourcorners.server.nul import read_form
from fourcorners.server.rate_limit import FailureLimiter, RateLimiter
from fourcorners.server.rendering.page_renderer import PageRenderer
from fourcorners.server.security import SAFE_METHODS, form_token, is_form_token
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.store.uploads import MAX_FILES, UploadFolder
from fourcorners.server.tasks.queue import Task, TaskQueue
from fourcorners.server.telemetry import Telemetry
from fourcorners.server.templating import Assets
from fourcorners.settings import Settings
from fourcorners.work_folder import make_temporary_folder

if TYPE_CHECKING:
    from fourcorners.server.auth.oidc import SignInFlow
    from fourcorners.server.tasks.runner import TaskWorkers

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AppState:
    connection_pool: ConnectionPool
    settings: Settings
    engines: LocalModels
    page_renderer: PageRenderer
    workers: TaskWorkers
    uploads: UploadFolder
    identity: Identity
    assets: Assets
    templates: Environment
    sign_in_limit: RateLimiter
    failure_limit: FailureLimiter
    telemetry: Telemetry
    flow: SignInFlow | None
    team: bool


def app_state(request: Request) -> AppState:
    state: AppState = request.app.state.server
    return state


class RequestContext:
    def __init__(
        self, request: Request, principal: Principal, headers: MutableHeaders | None = None
    ) -> None:
        self.request = request
        self.principal = principal
        self.state = app_state(request)
        self._headers = headers
        self._lent: Access | None = None
        self.location = ""
        self.on_task: Callable[[Library, Task], None] | None = None

    def set_location(self, path: str) -> None:
        """Tell, in the answer's headers, the address of what was made or begun."""
        self.location = path
        if self._headers is not None:
            self._headers["Location"] = quote(path)

    @contextmanager
    def access(self) -> Iterator[Access]:
        """Lend the library, as this person may use it; do not nest."""
        with self.state.connection_pool.library() as library:
            self._lent = Access(library, self.principal, watched=self.state.team)
            try:
                yield self._lent
            finally:
                self._lent = None

    def delete_files(self, paths: Iterable[str]) -> None:
        """Remove uploaded files whose documents have left the library, and what was drawn of them.

        It borrows the library: call it outside `access`.
        """
        with self.state.connection_pool.library() as library:
            for path in paths:
                delete_upload(library, Path(path))
            self.state.page_renderer.renditions.keep_only(library.document_ids())

    def attempt(self, read: Callable[[Access], T]) -> tuple[T | None, FourcornersError | None]:
        """Return what is read, or what is wrong with what was asked, for `page` to say.

        Raises:
            NotFound: If they may not know of something; then it does not exist.
            NotAllowed: If they may not do it.
        """
        try:
            with self.access() as access:
                return read(access), None
        except (NotFound, NotAllowed):
            raise
        except (ConfigError, InputError, Refusal) as problem:
            return None, problem

    def page(
        self,
        template: str,
        status: int = 200,
        *,
        problem: FourcornersError | None = None,
        **values: object,
    ) -> Response:
        """Draw a page; if there is a `problem`, it says so, and has the problem's status."""
        drawn = self.render(template, problem=problem, **values)
        return HTMLResponse(drawn, status if problem is None else status_of(problem))

    def render(self, template: str, **values: object) -> str:
        made = self.state.templates.get_template(template)
        with reading(self.request.headers.get("accept-language", "")):
            return made.render(
                principal=self.principal,
                form_token=form_token(self.principal.secret),
                path=self.request.url.path,
                unread=self._count_unread,
                **values,
            )

    def _count_unread(self) -> int:
        """Count the notices that they have not read, for the navigation of a page."""
        from fourcorners.operations.inbox import count_unread

        if self._lent is not None:
            return count_unread(self._lent)
        with self.access() as access:
            return count_unread(access)

    def redirect(self, address: str) -> Response:
        return RedirectResponse(address, 303)

    def require_client(self) -> None:
        """Go on only while whoever asked still waits; call it in what takes long, from a thread.

        Raises:
            ClientLeft: If they have closed the connection.
        """
        if from_thread.run(self.request.is_disconnected):
            raise ClientLeft("whoever asked for this has left.")

    @property
    def is_partial(self) -> bool:
        return self.request.headers.get("hx-request") == "true"

    # Tasks

    def start_task(
        self,
        kind: str,
        lane: str,
        collection: str,
        spec: Mapping[str, Any],
        *,
        beside: Callable[[Library], None] = lambda _: None,
    ) -> Task:
        """Start a task; `beside` is called, and `on_task` once, in the transaction that does."""
        with self.state.connection_pool.library() as library:
            tasks = TaskQueue(library)
            with library.transaction():
                task = tasks.start(kind, lane, collection, spec, by=self.principal.name)
                beside(library)
                if self.on_task is not None:
                    self.on_task(library, task)
        self.on_task = None
        self.state.workers.wake()
        return task

    def task(self, identifier: str) -> Task:
        """Return a task.

        Raises:
            NotFound: If there is none in a collection that they may read.
        """
        with self.state.connection_pool.library() as library:
            task = TaskQueue(library).find(identifier)
        if not self.principal.may(Role.READER, task.collection):
            raise NotFound(f"task {identifier[:40]!r} not found, or you don't have access.")
        return task

    def tasks(self, *, limit: int = 100, before: str = "") -> list[Task]:
        """Return the tasks of the collections that they may read, the latest first."""
        found: list[Task] = []
        with self.state.connection_pool.library() as library:
            while len(found) < limit:
                some = TaskQueue(library).list(limit=limit, before=before)
                found += [each for each in some if self.principal.may(Role.READER, each.collection)]
                if len(some) < limit:
                    break
                before = some[-1].id
        return found[:limit]

    def cancel(self, identifier: str) -> Task:
        """End a task that was not done yet: one's own, or any as an editor.

        Raises:
            NotFound: If there is none that they may see.
            NotAllowed: If it is another's, and they are no editor there.
        """
        task = self.task(identifier)
        mine = task.asked_by == self.principal.name
        if not mine and not self.principal.may(Role.EDITOR, task.collection):
            raise NotAllowed(
                "someone else started this task.", remedy="Ask an editor of the collection."
            )
        with self.state.connection_pool.library() as library:
            return TaskQueue(library).cancel(identifier, by=self.principal.name)


def send_file(name: str, media_type: str, data: bytes) -> Response:
    """Send a file to be saved under a name."""
    sent = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, media_type=media_type, headers={"Content-Disposition": sent})


def send_written(name: str, media_type: str, write: Callable[[Path], object]) -> Response:
    """Send what a function writes to a path; that file is removed."""
    with make_temporary_folder() as folder:
        path = folder / f"file{PurePath(name).suffix}"
        write(path)
        return send_file(name, media_type, path.read_bytes())


def principal_of(request: Request) -> Principal:
    """Return who sends a request, as their roles are now.

    Raises:
        NotSignedIn: If nobody has signed in.
    """
    principal = app_state(request).identity.principal_of(request)
    if principal is None:
        raise NotSignedIn("you have not signed in.", remedy="Sign in, or send an API token.")
    return principal


def _request_context(request: Request, response: Response) -> RequestContext:
    return RequestContext(request, principal_of(request), response.headers)


Context = Annotated[RequestContext, Depends(_request_context)]


async def require_form_token(request: Request, context: Context) -> None:
    """Refuse a form that was not drawn for this visitor; every page's router depends on it.

    Raises:
        NotAllowed: If its token is missing, or another visitor's.
    """
    if request.method in SAFE_METHODS:
        return
    token = request.headers.get("x-csrf-token", "")
    if not token:
        form = await read_form(request, max_files=MAX_FILES, max_fields=MAX_FILES)
        value = form.get("csrf", "")
        token = value if isinstance(value, str) else ""
    if not is_form_token(token, context.principal.secret):
        await request.close()
        raise NotAllowed(
            "this page has expired.",
            remedy="Reload the page, and send it again.",
        )
