"""`fourcorners library retention` and `hold`: how long a collection is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.library.deletion import DeletionOptions
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.operations.retention import CollectionRule


@spread
def retention(
    *,
    collection: options.Collection = None,
    days: Annotated[
        int | None,
        option("--days N", "Contracts are due N days after they were added; 0: never.", least=0),
    ] = None,
    deletion: DeletionOptions,
    by: options.By = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List contracts that are due for deletion, set the rule for a collection, or delete them.

    Nothing is deleted without --yes, and nothing of a collection under a legal hold. The report is
    that of `library delete`.
    """
    from fourcorners.operations.retention import (
        RetentionChange,
        due_contracts,
        list_rules,
        set_retention,
    )

    if days is not None and (collection is None or deletion.yes):
        raise ConfigError(
            "a rule is for one collection, and deletes nothing by itself.",
            remedy="Give --days with --collection and without --yes.",
        )
    deletion.require_places()
    with console.open_access(library, by) as access:
        if days is not None:
            change = RetentionChange.from_fields(days=days or None)
            set_retention(access, collection or "", change)
        due, rules = due_contracts(access, collection), list_rules(access, collection)
        if deletion.yes and due:
            report = deletion.delete(access, library, [each.id for each in due])
            deletion.print_report(report, as_json=as_json)
            return
    if as_json:
        console.print_json([each.model_dump() for each in due])
        return
    for rule in rules:
        console.print_line(single_line(_describe(rule)))
    for each in due:
        line = f"{each.due[:10]}  {each.name}  {each.id}  {each.collection}"
        console.print_line(single_line(line))
    if due:
        remedy = " Delete them with --yes."
        console.print_text(f"{console.count_noun(len(due), 'contract')} due for deletion.{remedy}")
    else:
        console.print_text("No contract is due for deletion.")


def _describe(rule: CollectionRule) -> str:
    """Return the rule and the hold of a collection in a line."""
    parts = [
        "no rule"
        if rule.days is None
        else f"contracts are due {console.count_noun(rule.days, 'day')} after they were added"
    ]
    if rule.hold is not None:
        parts.append(f"under a legal hold, so nothing is deleted ({rule.hold.reason})")
    return f"{rule.collection}: {'; '.join(parts)}."


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
        raise ConfigError(
            "a hold is placed or released, not both.", remedy="Give --reason or --release."
        )
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
    if held is None:
        console.print_line(f"{single_line(collection)} is not under a legal hold.")
        return
    since = f"since {held.at[:10]}, placed by {held.by}: {held.reason}"
    console.print_line(single_line(f"{collection} is under a legal hold {since}"))
