"""`fourcorners audit`: what was done in a library, and the proof that the record is whole."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import JsonOption, LibraryOption, require_place
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.cli.output.console import Json
    from fourcorners.library.entries import AuditEntry

app = typer.Typer(help="See what was done; prove that the record is whole.", no_args_is_help=True)
_HASH = re.compile(r"[0-9a-f]{64}")


@app.command("list")
def list_entries(
    event: Annotated[
        str | None,
        typer.Option(
            "--event", metavar="NAME", help="Only these, such as remark.", show_default=False
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("-n", "--limit", metavar="N", min=1, help="At most so many, the latest.")
    ] = 50,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what was done, the latest last."""
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import single_line

    with console.open_library(library, create=False) as store:
        entries = [each for each in store.audit_trail() if event in (None, each.event)]
    shown = entries[-limit:]
    if as_json:
        console.print_json([_json(each) for each in shown])
        return
    out = console.stdout_console()
    for each in shown:
        detail = json.loads(each.detail)
        told = ", ".join(f"{key} {value}" for key, value in detail.items() if value != "")
        head = f"{each.seq:>5}  {each.at[:19].replace('T', ' ')}  "
        said = Text.assemble((single_line(each.event), "bold"), f"  {single_line(told)}")
        console.print_indented(out, said, len(head), head)
    if len(entries) > len(shown):
        out.print(Text(f"{len(entries) - len(shown):,} earlier ones: --limit N.", "dim"))


@app.command("verify")
def verify(
    head: Annotated[
        str | None,
        typer.Option(
            "--head",
            metavar="HASH",
            help="A head that was printed before: proves that nothing up to it was changed.",
            show_default=False,
        ),
    ] = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the chain, and that people's remarks are those it tells of.

    The head hash it prints stands for the whole record: keep it elsewhere. The exit code is 1 if
    anything is wrong.
    """
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.review import annotations as remarks

    wanted = head.strip().lower() if head else ""
    if wanted and not _HASH.fullmatch(wanted):
        raise ConfigError(
            f"{head!r} is no head: it has 64 hexadecimal digits.",
            remedy="Give one that `fourcorners audit verify` printed before.",
        )
    with console.open_library(library, create=False) as store:
        verdict = store.audit_verdict(wanted)
        wrong = [each.description for each in verdict.faults] or remarks.annotation_faults(store)
    lost = bool(wanted) and verdict.proven is None
    if lost:
        wrong.append("no entry of the unbroken chain has the hash given by --head")
    if as_json:
        first = verdict.faults[0].seq if verdict.faults else None
        console.print_json(
            {
                "whole": not wrong,
                "entries": verdict.entries,
                "head": verdict.head,
                "first_broken": first,
                "proven_up_to": verdict.proven,
                "faults": list(wrong),
            }
        )
    else:
        out = console.stdout_console()
        if not wrong:
            out.print(f"The record is whole: {_counted(verdict.entries)}.")
            if verdict.proven is not None:
                out.print(f"Nothing up to entry {verdict.proven:,} was changed since that head.")
            out.print(Text.assemble("Head  ", (verdict.head, "bold")), soft_wrap=True)
            out.print(Text("Keep it elsewhere; check against it with --head.", "dim"))
        else:
            out.print(Text("The record is not whole:", "bold red"))
            for fault in wrong:
                console.print_indented(out, Text(f"{fault[0].upper()}{fault[1:]}."), 2)
    if wrong:
        raise typer.Exit(1)


@app.command("export")
def export(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file of JSON lines.")],
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole record as JSON lines, with the hashes.

    Each line's hash is the SHA-256 of the JSON array [seq, at, event, detail, previous], without
    spaces, where detail is the text that stands there.
    """
    from fourcorners.cli.output import console

    require_place(out)
    with console.open_library(library, create=False) as store:
        entries = list(store.audit_trail())
    lines = (json.dumps(_plain(each), ensure_ascii=True) for each in entries)
    out.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
    head = entries[-1].hash if entries else ""
    if as_json:
        console.print_json({"entries": len(entries), "head": head, "file": str(out)})
        return
    console.stdout_console().print(f"{_counted(len(entries))} written to {out}.", soft_wrap=True)


def _counted(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries:,} entries"


def _plain(entry: AuditEntry) -> dict[str, str | int]:
    return {
        "seq": entry.seq,
        "at": entry.at,
        "event": entry.event,
        "detail": entry.detail,
        "previous": entry.previous,
        "hash": entry.hash,
    }


def _json(entry: AuditEntry) -> Json:
    return {**_plain(entry), "detail": json.loads(entry.detail)}
