"""The desk: what a route is given. Who asks, the way to the library, and how to answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment

from fourcorners.server.access import Access
from fourcorners.server.assets import Assets
from fourcorners.server.engines import Engines
from fourcorners.server.identity import Identity
from fourcorners.server.principal import Principal, Role
from fourcorners.server.printer import Printer
from fourcorners.server.rates import Rate
from fourcorners.server.refusals import NotAllowed, NotFound, NotSignedIn
from fourcorners.server.security import SAFE, form_token, is_form_token
from fourcorners.server.shelf import Shelf
from fourcorners.server.tasks import Task, Tasks
from fourcorners.server.telemetry import Telemetry
from fourcorners.server.uploads import MOST_FILES, Uploads
from fourcorners.settings import Settings

if TYPE_CHECKING:
    from fourcorners.server.oidc import Flow
    from fourcorners.server.runner import Hands


@dataclass(frozen=True, slots=True)
class Office:
    """What all requests share.

    Attributes:
        flow: Signs people in through a provider; None where there is none.
    """

    shelf: Shelf
    settings: Settings
    engines: Engines
    printer: Printer
    runner: Hands
    uploads: Uploads
    identity: Identity
    assets: Assets
    templates: Environment
    sign_ins: Rate
    telemetry: Telemetry
    flow: Flow | None
    team: bool


def office_of(request: Request) -> Office:
    """Return what all requests share."""
    office: Office = request.app.state.office
    return office


class DeskOf:
    """One request: who asks, and what they can reach."""

    def __init__(self, request: Request, principal: Principal) -> None:
        self.request = request
        self.principal = principal
        self.office = office_of(request)

    @contextmanager
    def access(self) -> Iterator[Access]:
        """Lend the library, as this person may use it; do not nest."""
        with self.office.shelf.library() as library:
            yield Access(library, self.principal, watched=self.office.team)

    def page(self, template: str, status: int = 200, **values: object) -> Response:
        """Return a page."""
        return HTMLResponse(self.drawn(template, **values), status)

    def drawn(self, template: str, **values: object) -> str:
        """Return a template, drawn."""
        made = self.office.templates.get_template(template)
        return made.render(
            principal=self.principal,
            form_token=form_token(self.principal.secret),
            path=self.request.url.path,
            **values,
        )

    def see(self, address: str) -> Response:
        """Send the browser to another page, after a form."""
        return RedirectResponse(address, 303)

    @property
    def is_partial(self) -> bool:
        """Tell whether HTMX asks, for a part of a page."""
        return self.request.headers.get("hx-request") == "true"

    # Tasks

    def start(self, kind: str, lane: str, collection: str, spec: Mapping[str, str]) -> Task:
        """Queue a task in a collection where this person may do such work."""
        with self.office.shelf.library() as library:
            task = Tasks(library).start(kind, lane, collection, spec, by=self.principal.name)
        self.office.runner.wake()
        return task

    def task(self, identifier: str) -> Task:
        """Return a task.

        Raises:
            NotFound: If there is none in a collection that they may read.
        """
        with self.office.shelf.library() as library:
            task = Tasks(library).find(identifier)
        if not self.principal.may(Role.READER, task.collection):
            raise NotFound(f"there is no task {identifier[:40]!r}.")
        return task

    def tasks(self, *, limit: int = 100, before: str = "") -> list[Task]:
        """Return the tasks of the collections that they may read, the latest first."""
        found: list[Task] = []
        with self.office.shelf.library() as library:
            while len(found) < limit:
                some = Tasks(library).list(limit=limit, before=before)
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
            raise NotAllowed("this task is another's.", remedy="Ask an editor of the collection.")
        with self.office.shelf.library() as library:
            return Tasks(library).cancel(identifier, by=self.principal.name)


def desk_of(request: Request) -> DeskOf:
    """Return the desk of a request.

    Raises:
        NotSignedIn: If nobody has signed in.
    """
    principal = office_of(request).identity.of(request)
    if principal is None:
        raise NotSignedIn("you have not signed in.", remedy="Sign in, or send an API token.")
    return DeskOf(request, principal)


Desk = Annotated[DeskOf, Depends(desk_of)]


async def require_form_token(request: Request, desk: Desk) -> None:
    """Refuse a form that was not drawn for this visitor; every page's router depends on it.

    Raises:
        NotAllowed: If its token is missing, or another visitor's.
    """
    if request.method in SAFE:
        return
    token = request.headers.get("x-csrf-token", "")
    if not token:
        form = await request.form(max_files=MOST_FILES, max_fields=MOST_FILES)
        value = form.get("csrf", "")
        token = value if isinstance(value, str) else ""
    if not is_form_token(token, desk.principal.secret):
        await request.close()
        raise NotAllowed(
            "this form is not one that was drawn for you, or is out of date.",
            remedy="Reload the page, and send it again.",
        )
