"""One server over a library: pages for people, REST for programs, and what guards them.

`create_app` makes it; `fourcorners serve` runs it. Its parts, in the way of a request:

- `security.py`: what every request and answer must hold (host, origin, policy, size).
- `principal.py`, `accounts.py`, `signing_in.py`: who asks, and what they may do where; `oidc/` lets
  them prove it to a provider.
- `access.py`: **the one place where collections are walled off.** Nothing else in this room takes
  a library from the shelf. Whoever wants one says which collection or document, and which role.
- `shelf.py`: the open connections. One belongs to one thread while it is used.
- `desk.py`: what a route is given: who asks, the way to the library, the page renderer.
- `tasks.py`, `runner.py`, `doing/`: long work, on the library's jobs; parked at the end, and
  resumed by the next start. `workshop/`: the process of its own that does it.
- `telemetry/`: what a collector is told of requests, tasks and calls of models; by default nothing.
- `pages/`, `templates/`, `static/`: what people see. `api/`: what programs see.

**To add a page**: write `pages/NAME.py` with a `router`; name the module in `pages/__init__.py`,
with its entry in the navigation if it has one; write `templates/NAME.html.j2`, which extends
`base.html.j2`. A route is a plain `def` (it runs in a thread) and opens the library itself:

    @router.get("/NAME")
    def show(desk: Desk) -> Response:
        with desk.access() as access:
            found = access.documents(collection)
        return desk.page("NAME.html.j2", documents=found)

Every form carries `{{ csrf() }}`. No inline script or style is possible: the policy forbids them,
so behaviour goes to a module in `static/` (`{% block scripts %}`), and looks to `static/app.css`,
with the tokens of `reports/assets/palette.css`. A page works without JavaScript. Words of a
contract go through `{{ x|line }}` or `{{ x|visible }}`; a link to them is `quote_href(document,
span, words)`. For what `Access` does not offer, `access.library_for(collection, Role.READER)` or
`access.library_of(document, Role.READER)` hands out the library behind the wall's gate; what you
then read must be of that collection or document alone.

**To add an API route**: the same in `api/NAME.py`, named in `api/__init__.py`; models are pydantic,
lists are `Paged`, writes take `Idempotency-Key` (`api/requests.py`), and errors, which are
`FourcornersError`s, become problem+json.

**To add long work**: `doing/NAME.py` with a function of `Doing` that reports progress, named in
`doing/__init__.py`; start it with `desk.start(...)`.

**Tests**: `tests/server/conftest.py` has `room` (an app with a library in it, and a client).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourcorners.server.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> object:
    if name == "create_app":
        from fourcorners.server.app import create_app

        return create_app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
