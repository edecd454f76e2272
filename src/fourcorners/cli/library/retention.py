"""`fourcorners library retention` and `hold`: how long a collection is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fourcorners.cli import options
from fourcorners.cli.library.deletion import print_report
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line


def retention(
    *,
    collection: options.Collection = None,
    days: Annotated[
        int | None,
        option("--days N", "Contracts are due N days after they were added; 0: never.", least=0),
    ] = None,
    yes: Annotated[
        bool, option("--yes", "Delete what is due; without it, it is only listed.")
    ] = False,
    out: Annotated[
        Path | None, option("--out -o FILE", "Write the report: as JSON, or as text to a .txt.")
    ] = None,
    by: options.By = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List contracts that are due for deletion, set the rule for a collection, or delete them.

    Nothing is deleted without --yes, and nothing of a collection under a legal hold. The report is
    that of `library delete`.
    """
    from fourcorners.library.originals.files import Originals
    from fourcorners.operations.retention import RetentionChange, due_contracts, set_retention
    from fourcorners.server.store.deletion import Deletion, delete_contracts
    from fourcorners.settings import Settings

    if days is not None and (collection is None or yes):
        raise ConfigError("a rule is for one collection, and deletes nothing by itself.")
    if out is not None:
        console.require_place(out)
    with console.open_access(library, by) as access:
        if days is not None:
            change = RetentionChange.from_fields(days=days or None)
            set_retention(access, collection or "", change)
        due = due_contracts(access, collection)
        if yes and due:
            originals = Originals(Settings.load(library=library).originals)
            report = delete_contracts(access, originals, Deletion([each.id for each in due]))
            print_report(report, out, as_json=as_json)
            return
    if as_json:
        console.print_json([each.model_dump() for each in due])
        return
    for each in due:
        line = f"{each.due[:10]}  {each.name}  {each.id}  {each.collection}"
        console.print_line(single_line(line))
    console.print_text(
        f"{console.count_noun(len(due), 'contract')} due for deletion."
        + (" Delete them with --yes." if due else "")
    )


def hold(
    collection: Annotated[str, argument("COLLECTION", "The part of the library.")],
    reason: Annotated[
        str | None, option("--reason WORDS", "Place it under a legal hold, and why.")
    ] = None,
    release: Annotated[bool, option("--release", "Release it from its hold.")] = False,
    by: options.By = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Place a collection under a legal hold, under which nothing of it can be deleted.

    Without an option it shows the hold.
    """
    from fourcorners.operations.retention import (
        HoldRequest,
        place_hold,
        release_hold,
        retention_of,
    )

    if release and reason is not None:
        raise ConfigError("a hold is placed or released, not both.")
    with console.open_access(library, by) as access:
        if reason is not None:
            value = place_hold(access, collection, HoldRequest.from_fields(reason=reason))
        elif release:
            value = release_hold(access, collection)
        else:
            value = retention_of(access, collection)
    if as_json:
        console.print_value(value)
        return
    held = value.hold
    console.print_line(
        f"{single_line(collection)}: ",
        "no legal hold."
        if held is None
        else single_line(f"under a legal hold since {held.at[:10]}, by {held.by}: {held.reason}"),
    )
