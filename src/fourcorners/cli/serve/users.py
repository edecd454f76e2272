"""`fourcorners users`: who may sign in to a team's server, and what they may do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.operations.principal import Role

app = typer.Typer(help="Say who may sign in to a team's server.", no_args_is_help=True)

_BY = "command line"


@app.command("add")
def add(
    name: Annotated[str, argument("NAME", "What they sign in with.")],
    role: Annotated[
        str | None, option("--role ROLE", "reader, reviewer, editor or admin; none takes it away.")
    ] = None,
    collection: Annotated[
        str, option("--collection -c NAME", "Where the role holds.", default="every collection")
    ] = "",
    oidc: Annotated[
        bool,
        option(
            "--oidc",
            "Let them sign in through the provider that calls them so; a new account has no "
            "password.",
        ),
    ] = False,
    library: options.Library = None,
) -> None:
    """Let someone sign in, or change the role of someone who may.

    The password of a new account is asked for, or read from standard input where that is no
    terminal.
    """
    from fourcorners.server.auth.accounts import Accounts

    chosen = _role(role)
    with console.open_library(library, create=True) as store:
        accounts = Accounts(store)
        is_new = name not in {user.name for user in accounts.users()}
        if is_new and oidc:
            accounts.add_without_password(name, by=_BY)
        elif is_new:
            accounts.add(name, _password(), by=_BY)
        if oidc:
            accounts.add_for_provider(name, by=_BY)
        if role is not None:
            accounts.grant(name, chosen, collection, by=_BY)
    where = f"in {collection}" if collection else "everywhere"
    role_text = f"{role} {where}" if role else "no role yet: give one with --role"
    how = " through the provider" if oidc else ""
    console.print_line(f"{name} may sign in{how}: {role_text}.")


@app.command("list")
def list_users(library: options.Library = None, as_json: options.Json = False) -> None:
    """List who may sign in, with their roles."""
    from fourcorners.library.tokens import fold_name
    from fourcorners.server.auth.accounts import Accounts

    with console.open_library(library) as store:
        users = Accounts(store).users()
        called = {fold_name(name): name for name in store.collection_names()}
    if as_json:
        console.print_json(
            [
                {
                    **console.attributes(user, "name disabled created password provider"),
                    "roles": {
                        called.get(where, where) or "*": role.title
                        for where, role in user.roles.items()
                    },
                    "roles_by_groups": {
                        called.get(where, where) or "*": role.title
                        for where, role in user.by_groups.items()
                    },
                }
                for user in users
            ]
        )
        return
    for user in users:
        roles = [
            f"{role.title} {'in ' + called.get(where, where) if where else 'everywhere'}"
            f"{' by group' if user.by_groups.get(where) == role else ''}"
            for where, role in user.roles.items()
        ]
        state = " (shut out)" if user.disabled else ""
        state += "" if user.password else " (through the provider)"
        console.print_line(f"{user.name}{state}: {', '.join(roles) or 'no role'}")
    if not users:
        console.print_text("Nobody yet. Add someone: fourcorners users add NAME --role admin")


@app.command("disable")
def disable(
    name: Annotated[str, argument("NAME", "Whom.")],
    enable: Annotated[bool, option("--enable", "Let them in again.")] = False,
    library: options.Library = None,
) -> None:
    """Shut someone out: their sessions and tokens end at once."""
    from fourcorners.server.auth.accounts import Accounts

    with console.open_library(library) as store:
        Accounts(store).set_disabled(name, not enable, by=_BY)
    console.print_text(f"{name} {'may sign in again' if enable else 'is shut out'}.")


@app.command("reset")
def reset(
    name: Annotated[str, argument("NAME", "Whose.")],
    library: options.Library = None,
) -> None:
    """Turn off the second factor of someone who lost both the app and the recovery codes."""
    from fourcorners.server.auth.second_factor import SecondFactors

    with console.open_library(library) as store:
        SecondFactors(store).turn_off(name, by=_BY)
    console.print_text(f"{name} signs in with the password alone.")


@app.command("token")
def token(
    name: Annotated[str, argument("NAME", "Whose.")],
    scope: Annotated[str, option("--scope SCOPE", "read, write, admin or scim.")] = "read",
    days: Annotated[int, option("--days N", "How long it lasts.", least=1, most=3660)] = 90,
    note: Annotated[str, option("--note TEXT", "What it is for.")] = "",
    library: options.Library = None,
) -> None:
    """Make an API token for someone and print it; it is shown only once."""
    from fourcorners.operations.principal import Scope
    from fourcorners.server.auth.api_tokens import ApiTokens

    if scope not in {each.value for each in Scope}:
        raise ConfigError(f"--scope is {scope!r}.", remedy="Give read, write, admin or scim.")
    with console.open_library(library) as store:
        secret = ApiTokens(store).add(name, [Scope(scope)], note, days, by=_BY)
    console.print_line(secret)


def _role(name: str | None) -> Role | None:
    from fourcorners.operations.principal import Role

    if name is None or name == "none":
        return None
    found = next((each for each in Role if each.title == name), None)
    if found is None:
        raise ConfigError(f"--role is {name!r}.", remedy="Give reader, reviewer, editor or admin.")
    return found


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
