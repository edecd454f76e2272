"""One server over a library: pages for people, REST and MCP for programs, and what guards them.

`app.create_app` makes it; `fourcorners serve` runs it. Its parts, in the way of a request:

- `security.py`: what every request and answer must hold (host, origin, policy, size).
- `auth/`: who asks; `oidc/` lets them prove it to a provider.
- `operations/access.py`: **the one place that separates collections.** Nothing else in this room
  takes a library from the pool: `Access` returns it for a collection or a document, and a role.
- `context.py`: what a route is given: who asks, the way to the library, the page renderer.
- `tasks/`: long work, on the library's jobs; parked at the end, and resumed by the next start.
- `telemetry/`: traces and metrics for a collector; off by default.
- `pages/`, `templates/`, `static/`: what people see. `api/`, `mcp/`: what programs see.

**To add a page**: write `pages/NAME.py` with a `router`; name the module in `pages/__init__.py`,
with its entry in the navigation if it has one; write `templates/NAME.html.j2`, which extends
`base.html.j2`. A route is a plain `def` (it runs in a thread) and opens the library itself, by
`with context.access() as access`. Every form carries `{{ csrf() }}`. The policy forbids inline
scripts and styles: they go to `static/`. A page works without JavaScript. Words of a contract go
through `{{ x|line }}` or `{{ x|visible }}`; a link to them is `quote_href(document, span, words)`.

**To add an API route**: the same in `api/NAME.py`, named in `api/__init__.py`; requests are those
of `operations`, models are pydantic, lists are `Paged`, writes take `Idempotency-Key`
(`api/requests.py`), and errors, which are `FourcornersError`s, become problem+json.

**To add long work**: `tasks/handlers/NAME.py` with `run`, named in `tasks/handlers/__init__.py`;
start it with `context.start_task(...)`.
"""
