"""`fourcorners links`: what a contract amends, what amends it, and its parties' other contracts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import CollectionOption, JsonOption, LibraryOption

if TYPE_CHECKING:
    from rich.console import Console

    from fourcorners.cli.output.console import Json
    from fourcorners.search.graph import Amendment, SharedParty

_DONE = {"amends": "Amended by", "restates": "Restated by", "replaces": "Replaced by"}
_COLUMN = 12  # characters of indent


def links(
    contract: Annotated[
        str | None,
        typer.Argument(
            metavar="CONTRACT",
            help="A contract, by a unique part of its name, its path or its id. Without one, "
            "all that change another are listed.",
            show_default=False,
        ),
    ] = None,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which contracts a contract is linked with.

    That is what it says it amends, restates or replaces, which contract of the library is meant
    (or that none is), what amends it in turn, and the other contracts of its parties.
    """
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.search.graph import links_of
    from fourcorners.text.invisible_characters import single_line

    if contract is None:
        _all(library, collection, as_json=as_json)
        return
    with console.open_library(library, create=False) as store:
        entry = store.resolve(contract, collection)
        known = links_of(store)
        own, others = known.amendments(entry.id), known.amended_by(entry.id)
        parties = known.parties(entry.id)
        names = {each.id: each.name for each in store.documents()}
        said = store.text(entry.id)
        words = {each: each.span.text_in(said) for each in own}
        words |= {each: each.span.text_in(store.text(each.document)) for each in others}
    if as_json:
        console.print_json(
            {
                "document": entry.id,
                "name": entry.name,
                "amends": [_amendment(each, words[each], names) for each in own],
                "amended_by": [_amendment(each, words[each], names) for each in others],
                "parties": [
                    {"name": party.name, "documents": _documents(party.others, names)}
                    for party in parties
                ],
            }
        )
        return
    out = console.stdout_console()
    out.print(Text(single_line(entry.name), "bold"), soft_wrap=True)
    for each in own:
        _print(out, each.relation.value.capitalize(), _target(each, names), words[each])
    for each in others:
        told = f"{names[each.document]} (confidence {each.confidence:.2f}: {each.because})"
        _print(out, _DONE[each.relation.value], told, words[each])
    if not own and not others:
        out.print(Text("It says of no other contract that it changes it, and none of it.", "dim"))
    _print_parties(out, parties, names)


def _all(library: str | None, collection: str | None, *, as_json: bool) -> None:
    """List every contract that says it changes another, the resolved ones first."""
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.search.graph import links_of
    from fourcorners.text.invisible_characters import single_line

    with console.open_library(library, create=False) as store:
        names = {each.id: each.name for each in store.documents()}
        wanted = {each.id for each in store.documents(collection)}
        found = [one for one in links_of(store).all_amendments() if one.document in wanted]
        found.sort(key=lambda one: (one.target is None, names[one.document], one.span))
        words = [one.span.text_in(store.text(one.document)) for one in found]
    if as_json:
        values = [_amendment(one, said, names) for one, said in zip(found, words, strict=True)]
        console.print_json({"amends": values})
        return
    out = console.stdout_console()
    for one, said in zip(found, words, strict=True):
        out.print(Text(single_line(names[one.document]), "bold"), soft_wrap=True)
        _print(out, one.relation.value.capitalize(), _target(one, names), said)
    resolved = sum(one.target is not None for one in found)
    told = f"{console.count_noun(len(found), 'statement')} that another contract is changed, "
    out.print(Text(f"{told}{resolved} resolved."))


def _target(amendment: Amendment, names: Mapping[str, str]) -> str:
    sure = f"{amendment.confidence:.2f}: {amendment.because}"
    if amendment.target is None:
        return f"not resolved ({sure})"
    return f"{names[amendment.target]} (confidence {sure})"


def _print(out: Console, head: str, told: str, words: str) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import shorten, single_line

    print_indented(out, Text(single_line(told)), _COLUMN, head)
    print_indented(out, Text(f"by the words “{shorten(words, 200)}”", "dim"), _COLUMN)


def _print_parties(out: Console, parties: Sequence[SharedParty], names: Mapping[str, str]) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import single_line

    for party in parties:
        listed = ", ".join(sorted(names[each] for each in party.others)) or "no other contract"
        told = Text.assemble((single_line(party.name), "bold"), f": {single_line(listed)}")
        print_indented(out, told, _COLUMN, "Party")


def _amendment(amendment: Amendment, words: str, names: Mapping[str, str]) -> Json:
    return {
        "relation": amendment.relation.value,
        "document": amendment.document,
        "name": names[amendment.document],
        "words": words,
        "span": [amendment.span.start, amendment.span.end],
        "title": amendment.title,
        "dated": amendment.dated.isoformat() if amendment.dated else None,
        "target": amendment.target,
        "target_name": names[amendment.target] if amendment.target else None,
        "confidence": amendment.confidence,
        "because": amendment.because,
    }


def _documents(others: Sequence[str], names: Mapping[str, str]) -> Json:
    return [{"document": each, "name": names[each]} for each in others]
