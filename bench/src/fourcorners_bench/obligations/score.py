"""Obligations that the program finds in CUAD's contracts, against those read by hand.

`truth.json` has places only. What is found is right if its binding words overlap those of an
obligation and it names the party that this binds. What is debatable counts neither way; how
much of it was found is reported separately.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fourcorners.errors import ConfigError
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.review.obligations.obligation import EACH, EITHER, UNNAMED, Actor, Obligation
from fourcorners.review.obligations.table import find_obligations
from fourcorners.text.span import Span
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.outline.references import text_document
from fourcorners_bench.record import Json, package_text

if TYPE_CHECKING:
    from rich.table import Table

Part = Literal["tuning", "blind"]
PARTS: tuple[Part, ...] = ("tuning", "blind")
_ANYONE = "*"


@dataclass(frozen=True, slots=True)
class ReadObligation:
    """An obligation as it was read by hand.

    Attributes:
        places: The places of its binding words; any of them counts.
        party: The key of the party that it binds; `*` for each or either.
        unnamed: Whether the words do not say whom it binds.
    """

    places: tuple[Span, ...]
    party: str
    unnamed: bool


@dataclass(frozen=True, slots=True)
class ReadContract:
    """A contract whose obligations were read by hand; `parties` are the names that each has.

    `unread` says why its file could not be read; nothing is found in it then.
    """

    name: str
    part: Part
    text: str
    parties: Mapping[str, frozenset[str]]
    obligations: tuple[ReadObligation, ...]
    debatable: tuple[Span, ...]
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Miss:
    """What was found and is not right, or is right and was not found, by its place."""

    contract: str
    what: Literal["not right", "not found"]
    span: Span


@dataclass(frozen=True, slots=True)
class ObligationScore:
    """How many obligations were read in a contract, how many found, and what of that was right."""

    name: str
    part: Part
    labelled: int
    found: int
    right: int
    wrong: int
    debatable: int
    misses: tuple[Miss, ...]


def load_truth(data: Path) -> list[ReadContract]:
    """Read the contracts whose obligations were read by hand, from a folder of CUAD.

    One whose file cannot be read has no text.

    Raises:
        ConfigError: If there is no folder of contracts, or a text is another than was read.
    """
    if not (data / "contracts").is_dir():
        raise ConfigError(
            f"{data} holds no contracts.", remedy="Give the folder of the CUAD data with --data."
        )
    content = json.loads(package_text("obligations/truth.json"))
    return [_contract(data, each) for each in content["contracts"]]


def _contract(data: Path, entry: Mapping[str, Any]) -> ReadContract:
    name = entry["contract"]
    path = data / "contracts" / name
    unread, content = "", b""
    try:
        content = path.read_bytes()
    except OSError as error:
        unread = error.strerror or type(error).__name__
    if not unread and hashlib.sha256(content).hexdigest() != entry["sha256"]:
        raise ConfigError(
            f"{path} is not the text whose obligations were read.",
            remedy="Take the texts of CUAD as they are published.",
        )
    text = content.decode("utf-8")
    return ReadContract(
        name,
        entry["part"],
        text,
        {
            key: frozenset(_fold(text[start:end]) for start, end in places)
            for key, places in entry["parties"].items()
        },
        tuple(
            ReadObligation(
                tuple(Span(*place) for place in places), party.rstrip("?"), party.endswith("?")
            )
            for places, party in entry["obligations"]
        ),
        tuple(Span(*place) for place in entry["debatable"]),
        unread,
    )


def score_contract(contract: ReadContract) -> ObligationScore:
    """Find the obligations of a contract, and compare them with those read by hand."""
    found: Sequence[Obligation] = ()
    if not contract.unread:
        document = text_document(contract.name, contract.text)
        outline = build_outline(document)
        found = find_obligations(contract.text, outline, read_card(document, outline))
    met: set[int] = set()
    right = debatable = 0
    misses: list[Miss] = []
    for each in found:
        there = [
            at
            for at, other in enumerate(contract.obligations)
            if any(each.binding.overlaps(place) for place in other.places)
            and _is_bound(contract, other, each.actor)
        ]
        if there:
            right += 1
            met.update(there)
        elif any(each.binding.overlaps(place) for place in contract.debatable):
            debatable += 1
        else:
            misses.append(Miss(contract.name, "not right", each.binding))
    wrong = len(misses)
    misses += [
        Miss(contract.name, "not found", other.places[0])
        for at, other in enumerate(contract.obligations)
        if at not in met
    ]
    return ObligationScore(
        contract.name,
        contract.part,
        len(contract.obligations),
        len(met),
        right,
        wrong,
        debatable,
        tuple(misses),
    )


def _is_bound(contract: ReadContract, each: ReadObligation, actor: Actor) -> bool:
    if each.unnamed and actor.name == UNNAMED:
        return True
    if each.party == _ANYONE:
        return actor.name in (EACH, EITHER)
    named = {_fold(name) for name in (actor.name, *actor.parties)}
    return actor.name != EACH and bool(named & contract.parties[each.party])


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())


def total_measures(scores: Sequence[ObligationScore]) -> dict[str, Json]:
    """Return counts, precision and recall over some contracts."""
    labelled, found, right, wrong, debatable = (
        sum(getattr(each, name) for each in scores)
        for name in ("labelled", "found", "right", "wrong", "debatable")
    )
    return {
        "contracts": len(scores),
        "labelled": labelled,
        "found": found,
        "right": right,
        "wrong": wrong,
        "debatable": debatable,
        "precision": right / (right + wrong) if right + wrong else 0.0,
        "precision_if_debatable_is_wrong": right / max(1, right + wrong + debatable),
        "recall": found / labelled if labelled else 0.0,
    }


def obligation_table(scores: Sequence[ObligationScore]) -> Table:
    """Return a row for each contract, and one for each part."""
    table = figure_table(
        "Obligations, against those read by hand",
        *("contract", "labelled", "found", "right", "wrong", "debatable", "precision", "recall"),
        wrap_words=True,
        caption="What is debatable counts neither way.",
    )
    for part in PARTS:
        own = [each for each in scores if each.part == part]
        for each in own:
            _add(table, each.name, total_measures([each]))
        if own:
            _add(table, f"{part}: {len(own)} contracts", total_measures(own), style="bold")
    return table


def _add(table: Table, head: str, figures: Mapping[str, Json], *, style: str = "") -> None:
    counts = [f"{figures[name]}" for name in ("labelled", "found", "right", "wrong", "debatable")]
    shares = [f"{figures[name]:.3f}" for name in ("precision", "recall")]
    table.add_row(head, *counts, *shares, style=style)
