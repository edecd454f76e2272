"""`fourcorners links`: what a contract amends, what amends it, and its parties' other contracts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import argument
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from fourcorners.search.graph import AmendmentLink

_DONE = {"amends": "Amended by", "restates": "Restated by", "replaces": "Replaced by"}
_COLUMN = 12  # characters of indent


def links(
    contract: Annotated[
        str | None,
        argument(
            "CONTRACT",
            "A contract, by a unique part of its name, its path or its id. Without one, "
            "all that change another are listed.",
        ),
    ] = None,
    library: options.Library = None,
    collection: options.Collection = None,
    as_json: options.Json = False,
) -> None:
    """Show which contracts a contract is linked with.

    That is what it says it amends, restates or replaces, which contract of the library is meant
    (or that none is), what amends it in turn, and the other contracts of its parties.
    """
    from fourcorners.search.graph import links_of

    if contract is None:
        _all(library, collection, as_json=as_json)
        return
    with console.open_library(library) as store:
        entry = store.resolve(contract, collection)
        known = links_of(store)
        own, others = known.amendments(entry.id), known.amended_by(entry.id)
        parties = known.parties(entry.id)
        names = {each.id: each.name for each in store.documents()}
        words = {each: each.span.text_in(store.text(each.document)) for each in (*own, *others)}
    if as_json:
        console.print_json(
            {
                "document": entry.id,
                "name": entry.name,
                "amends": [_amendment(each, words[each], names) for each in own],
                "amended_by": [_amendment(each, words[each], names) for each in others],
                "parties": [
                    {
                        "name": party.name,
                        "documents": [
                            {"document": each, "name": names[each]} for each in party.others
                        ],
                    }
                    for party in parties
                ],
            }
        )
        return
    console.print_line((single_line(entry.name), "bold"))
    for each in own:
        _print(each.relation.value.capitalize(), _target(each, names), words[each])
    for each in others:
        label = f"{names[each.document]} (confidence {each.confidence:.2f}: {each.because})"
        _print(_DONE[each.relation.value], label, words[each])
    if not own and not others:
        none = "It says of no other contract that it changes it, and none of it."
        console.print_text((none, "dim"))
    for party in parties:
        listed = ", ".join(sorted(names[each] for each in party.others)) or "no other contract"
        name = (single_line(party.name), "bold")
        console.print_indented(_COLUMN, name, f": {single_line(listed)}", head="Party")


def _all(library: str | None, collection: str | None, *, as_json: bool) -> None:
    """List every contract that says it changes another, the resolved ones first."""
    from fourcorners.search.graph import links_of

    with console.open_library(library) as store:
        names = {each.id: each.name for each in store.documents()}
        wanted = {each.id for each in store.documents(collection)}
        found = [one for one in links_of(store).all_amendments() if one.document in wanted]
        found.sort(key=lambda one: (one.target is None, names[one.document], one.span))
        amendments = [(one, one.span.text_in(store.text(one.document))) for one in found]
    if as_json:
        console.print_json(
            {
                "amends": [
                    _amendment(one, amendment_words, names) for one, amendment_words in amendments
                ]
            }
        )
        return
    for one, amendment_words in amendments:
        console.print_line((single_line(names[one.document]), "bold"))
        _print(one.relation.value.capitalize(), _target(one, names), amendment_words)
    resolved = sum(one.target is not None for one in found)
    count = console.count_noun(len(found), "statement")
    console.print_text(f"{count} that another contract is changed, {resolved} resolved.")


def _target(amendment: AmendmentLink, names: Mapping[str, str]) -> str:
    sure = f"{amendment.confidence:.2f}: {amendment.because}"
    if amendment.target is None:
        return f"not resolved ({sure})"
    return f"{names[amendment.target]} (confidence {sure})"


def _print(head: str, detail: str, words: str) -> None:
    console.print_indented(_COLUMN, single_line(detail), head=head)
    console.print_indented(_COLUMN, (f"by the words “{shorten(words, 200)}”", "dim"))


def _amendment(amendment: AmendmentLink, words: str, names: Mapping[str, str]) -> dict[str, object]:
    return {
        "relation": amendment.relation,
        "document": amendment.document,
        "name": names[amendment.document],
        "words": words,
        "span": [amendment.span.start, amendment.span.end],
        "title": amendment.title,
        "dated": amendment.dated,
        "target": amendment.target,
        "target_name": names[amendment.target] if amendment.target else None,
        "confidence": amendment.confidence,
        "because": amendment.because,
    }
