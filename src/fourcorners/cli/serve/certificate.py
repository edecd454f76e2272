"""`fourcorners certificate`: what Word asks for before it opens an add-in from one's own server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.cli.serve.commands import require_extra

_TRUST = """Trust {authority} on each computer that opens the pane:
  Windows  certutil -user -addstore Root {authority}
  macOS    security add-trusted-cert -r trustRoot {authority}
Then serve with:
  fourcorners serve --certificate {certificate} --key {key}"""


def certificate(
    names: Annotated[
        list[str] | None, argument("NAME", "A name or an address of the server.")
    ] = None,
    out: Annotated[Path, option("--out FOLDER", "Where to write it.")] = Path("certificate"),
) -> None:
    """Write a certificate for a server of your own, so that Word opens the add-in.

    Without a NAME it is for this machine alone. It lasts 397 days. It comes with an authority that
    your computer is to trust; that can sign for these names alone, and its key is not kept.
    """
    require_extra("what makes certificates", "web", "cryptography")
    from fourcorners.server.word.certificate import write_certificate

    made = write_certificate(out, names or ["localhost", "127.0.0.1", "::1"])
    shown = _TRUST.format(authority=made.authority, certificate=made.certificate, key=made.key)
    for line in shown.splitlines():
        console.print_line(line)
