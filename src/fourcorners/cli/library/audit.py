"""`fourcorners audit`: what was done in a library, and the proof that the record is whole."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from fourcorners.library.entries import AuditEntry

app = typer.Typer(help="See what was done; prove that the record is whole.", no_args_is_help=True)
_HASH = re.compile(r"[0-9a-f]{64}")


@app.command("list")
def list_entries(
    event: Annotated[str | None, option("--event NAME", "Only these, such as remark.")] = None,
    limit: Annotated[int, option("-n --limit N", "At most so many, the latest.", least=1)] = 50,
    out: Annotated[
        Path | None,
        option("--out -o FILE", "Write the whole record as JSON lines, with the hashes."),
    ] = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List what was done, the latest last."""
    if out is not None:
        console.require_place(out)
        with console.open_library(library) as store:
            _write(out, list(store.audit_trail()), as_json=as_json)
        return
    with console.open_library(library) as store:
        entries = [each for each in store.audit_trail() if event in (None, each.event)]
    shown = [(each, json.loads(each.detail)) for each in entries[-limit:]]
    if as_json:
        console.print_json([{**asdict(each), "detail": detail} for each, detail in shown])
        return
    for each, detail in shown:
        details = ", ".join(f"{key} {value}" for key, value in detail.items() if value != "")
        head = f"{each.seq:>5}  {each.at[:19].replace('T', ' ')}  "
        line = f"  {single_line(details)}"
        console.print_indented(len(head), (single_line(each.event), "bold"), line, head=head)
    if len(entries) > len(shown):
        console.print_text((f"{len(entries) - len(shown):,} earlier ones: --limit N.", "dim"))


@app.command("verify")
def verify(
    head: Annotated[
        str | None,
        option(
            "--head HASH",
            "A head that was printed before: proves that nothing up to it was changed.",
        ),
    ] = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Check the chain, and that people's remarks are those it tells of.

    The head hash it prints stands for the whole record: keep it elsewhere. The exit code is 1 if
    anything is wrong.
    """
    from fourcorners.review import annotations

    wanted = head.strip().lower() if head else ""
    if wanted and not _HASH.fullmatch(wanted):
        raise ConfigError(
            f"{head!r} is no head: it has 64 hexadecimal digits.",
            remedy="Give one that `fourcorners audit verify` printed before.",
        )
    with console.open_library(library) as store:
        verdict = store.audit_verdict(wanted)
        wrong = [each.description for each in verdict.faults] or annotations.annotation_faults(
            store
        )
    if wanted and verdict.proven is None:
        wrong.append("no entry of the unbroken chain has the hash given by --head")
    if as_json:
        console.print_json(
            {
                "whole": not wrong,
                "entries": verdict.entries,
                "head": verdict.head,
                "first_broken": verdict.faults[0].seq if verdict.faults else None,
                "proven_up_to": verdict.proven,
                "faults": wrong,
            }
        )
    elif wrong:
        console.print_text(("The record is not whole:", "bold red"))
        for fault in wrong:
            console.print_indented(2, f"{fault[0].upper()}{fault[1:]}.")
    else:
        console.print_text(f"The record is whole: {_count_entries(verdict.entries)}.")
        if verdict.proven is not None:
            console.print_text(
                f"Nothing up to entry {verdict.proven:,} was changed since that head."
            )
        console.print_line("Head  ", (verdict.head, "bold"))
        console.print_text(("Keep it elsewhere; check against it with --head.", "dim"))
    if wrong:
        raise typer.Exit(1)


def _write(out: Path, entries: Sequence[AuditEntry], *, as_json: bool) -> None:
    if out.suffix not in (".jsonl", ".json"):
        raise ConfigError(f"{out}: no record has this ending.", remedy="End the name in .jsonl.")
    lines = (json.dumps(asdict(each), ensure_ascii=True) for each in entries)
    replace_text(out, "".join(f"{each}\n" for each in lines))
    if as_json:
        head = entries[-1].hash if entries else ""
        console.print_json({"entries": len(entries), "head": head, "file": str(out)})
        return
    console.print_line(f"{_count_entries(len(entries))} written to {out}.")


def _count_entries(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries:,} entries"
