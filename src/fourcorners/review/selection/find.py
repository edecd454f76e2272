"""Which contracts have what: a question over the findings of a review, with the quotes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fourcorners.errors import ConfigError
from fourcorners.library.database import as_string
from fourcorners.library.entries import Entry, Failure
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.card import Party
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import CellState, Finding, ReviewState
from fourcorners.review.selection.conditions import (
    Condition,
    condition_provisions,
    evaluate_condition,
)
from fourcorners.search.names import name_index


@dataclass(frozen=True, slots=True)
class ContractMatch:
    """A contract with the cells that the condition asks for.

    Attributes:
        is_match: Whether it meets the condition; None if that depends on cells that are not filled.
        findings: By the order of the condition's provisions; None where a cell was never filled.
    """

    entry: Entry
    parties: tuple[Party, ...]
    is_match: bool | None
    findings: tuple[tuple[str, Finding | None], ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the provisions it was not reviewed for, or whose review failed."""
        return tuple(
            provision
            for provision, finding in self.findings
            if finding is None or finding.state is CellState.FAILED
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """What became of each contract that was looked at.

    Attributes:
        found: Those that meet the condition.
        open: Those of which it cannot be told, because they were not reviewed for all it needs.
        others: Those that do not meet it, by what the review found.
        unread: Files that could not be read, and so are contracts nobody reviewed.
    """

    found: tuple[ContractMatch, ...]
    open: tuple[ContractMatch, ...]
    others: tuple[ContractMatch, ...]
    unread: tuple[Failure, ...]


def find_contracts(
    library: Library,
    playbook: Playbook,
    condition: Condition,
    *,
    collection: str | None = None,
    types: Sequence[str] = (),
    party: str = "",
) -> Selection:
    """Return the contracts that meet a condition by what the review found, with the findings.

    What a person rejected counts as not found, what a person corrected as found. Nothing is
    reviewed here.

    Raises:
        ConfigError: If there is no such collection, no document of a type, or none of a party.
    """
    wanted = condition_provisions(condition)
    cells = store.load_cells(library, playbook, wanted)
    answered = [
        _answer(library, condition, wanted, entry, cells.get(entry.id, {}))
        for entry in _entries(library, collection, types, party)
    ]
    return Selection(
        found=tuple(one for one in answered if one.is_match is True),
        open=tuple(one for one in answered if one.is_match is None),
        others=tuple(one for one in answered if one.is_match is False),
        unread=tuple(library.failures(collection)),
    )


def _answer(
    library: Library,
    condition: Condition,
    wanted: Sequence[str],
    entry: Entry,
    cells: Mapping[str, Finding],
) -> ContractMatch:
    findings = tuple((provision, cells.get(provision)) for provision in wanted)
    known = {provision: _is_found(finding) for provision, finding in findings}
    parties = tuple(fact.value for fact in library.card(entry.id).parties)
    return ContractMatch(entry, parties, evaluate_condition(condition, known), findings)


def _is_found(finding: Finding | None) -> bool | None:
    if finding is not None and finding.value:
        return True  # a person says what the contract has
    if finding is None or finding.state is CellState.FAILED:
        return None
    return finding.state is CellState.FOUND and finding.review is not ReviewState.REJECTED


def _entries(
    library: Library, collection: str | None, types: Sequence[str], party: str
) -> Iterator[Entry]:
    entries = library.documents(collection)
    kinds = {fold_name(kind) for kind in types}
    there = {fold_name(entry.type): entry.type for entry in entries if entry.type}
    if missing := [kind for kind in types if fold_name(kind) not in there]:
        raise ConfigError(
            f"no contract here is of the type {missing[0]!r}.",
            remedy=f"There are: {', '.join(sorted(there.values()))}." if there else "",
        )
    bearers: set[str] | None = None
    if party.strip():
        bearers = _with_party(library, party)
        if not bearers:
            raise ConfigError(
                f"no contract has a party named {party!r}.",
                remedy="See the parties of a contract with `fourcorners links CONTRACT`.",
            )
    for entry in entries:
        if (not kinds or fold_name(entry.type) in kinds) and (
            bearers is None or entry.id in bearers
        ):
            yield entry


def _with_party(library: Library, party: str) -> set[str]:
    rows = set(name_index(library).documents_with_party(party))
    known = library.execute("SELECT row, id FROM documents")
    return {as_string(document) for row, document in known if row in rows}
