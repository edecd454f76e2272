"""Ask the REST API whatever its description allows, and what it forbids, with all of Schemathesis.

    python -m benchmarks.fuzz_api [--examples 20] [--phases coverage,fuzzing,stateful] [st options]

Starts a team's server over a library with two contracts, a review and an answer, and lets
`schemathesis run` ask it as its admin, with every check: server errors, statuses, headers and
content that the description does not have, schemas, data that must be refused and that must not,
methods, what is deleted or just made, and requests without a token. Ends as that does: with 0 where
nothing failed.

One thing is told to it: a request that holds its schema may be answered 400, since a schema cannot
say what a query's grammar, a span of a text or a cursor may be. One that is refused by the schema
is answered 422, so that a description that says too much is still a failure.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.operations.principal import Role, Scope
from fourcorners.server.api import requests as guarding
from fourcorners.server.app import create_app
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Account, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens, Token
from fourcorners.settings import Settings
from fourcorners.source_settings import WebhookSettings
from tests.server.conftest import LEASE, SUPPLY

_CONFIG = """
[checks]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "409", "413", "422"]
positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "409", "413"]
"""
# What they take away all others are to find.
_LAST = ("update_collection", "delete_collection", "delete_document")
_ADMIN, _NOTE = "root", "who asks"
_HOSTS = ("hooks.example.com",)
_MAX_WAIT = 300.0  # seconds for the review and the answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--examples", type=int, default=20, help="requests of an operation")
    parser.add_argument("--phases", default="examples,coverage,fuzzing,stateful")
    args, rest = parser.parse_known_args()
    guarding.REQUESTS_PER_MINUTE = 10**9  # one caller asks without end
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (url, token):
        config = Path(folder) / "schemathesis.toml"
        config.write_text(_CONFIG)
        described = Path(folder) / "openapi.json"
        described.write_bytes(httpx.get(f"{url}/api/v1/openapi.json", timeout=120).content)
        command = [
            *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config)),
            *("run", str(described), "--url", url, "--checks", "all"),
            *("--phases", args.phases, "--max-examples", str(args.examples)),
            *("--header", f"Authorization: Bearer {token}", "--continue-on-failure"),
            *("--request-timeout", "120", *rest),
        ]
        codes = []
        for which in ("--exclude-operation-id", "--include-operation-id"):
            chosen = [part for name in _LAST for part in (which, name)]
            codes.append(subprocess.run([*command, *chosen], check=False).returncode)
        return max(codes)


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Serve a furnished library to a team, and yield its address and an admin's token."""
    path = folder / "library.db"
    with Library.open(path, create=True) as library:
        for name, text in (("lease", LEASE), ("supply", SUPPLY)):
            file = folder / f"{name}.txt"
            file.write_text(text)
            made = prepare_file(file)
            if isinstance(made, PreparedFile):
                library.add_columns(made.columns, None, collection="Project Larch")
        accounts = Accounts(library)
        for name in (_ADMIN, "ada"):
            accounts.add(name, "a short sentence is good", by="fuzz")
        accounts.grant(_ADMIN, Role.ADMIN, ALL_COLLECTIONS, by="fuzz")
        token = ApiTokens(library).add(_ADMIN, [Scope.ADMIN], _NOTE, 1, by="fuzz")
    _hide_asker()
    settings = Settings(library=str(path), jobs=1, webhooks=WebhookSettings(hosts=_HOSTS))
    app = create_app(path, settings, team=True)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.05)
        url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        furnish(url, token)
        yield url, token
    finally:
        server.should_exit = True
        thread.join()


def _hide_asker() -> None:
    """Leave who asks out of what they can change: they would shut themselves out."""
    list_tokens, list_users = ApiTokens.list, Accounts.users

    def tokens(self: ApiTokens, name: str) -> list[Token]:
        return [each for each in list_tokens(self, name) if each.note != _NOTE]

    def users(self: Accounts) -> list[Account]:
        return [each for each in list_users(self) if each.name != _ADMIN]

    ApiTokens.list, Accounts.users = tokens, users  # type: ignore[method-assign]


def furnish(url: str, token: str) -> None:
    """Let a review and a question be done, so that there is something to ask for."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=120) as client:
        place = {"collection": "Project Larch"}
        question = {**place, "question": "On what notice may the Tenant end it?"}
        tasks = [
            client.post(path, json=body).raise_for_status().json()["id"]
            for path, body in (("/reviews", place), ("/answers", question))
        ]
        for path, words in (("/precedents", "cap on liability"), ("/search", "who may end it")):
            client.get(path, params={**place, "q": words}).raise_for_status()  # models are loaded
        until = time.monotonic() + _MAX_WAIT
        for task in tasks:
            while not client.get(f"/tasks/{task}").json()["finished"]:
                if time.monotonic() > until:
                    raise TimeoutError(task)
                time.sleep(0.2)


if __name__ == "__main__":
    raise SystemExit(main())
