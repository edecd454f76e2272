"""CUAD: commercial contracts with expert annotations of 41 categories.

Hendrycks et al., "CUAD: An Expert-Annotated NLP Dataset for Legal Contract Review" (2021).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners.text.span import Span

CATEGORIES = (
    "Document Name",
    "Parties",
    "Agreement Date",
    "Effective Date",
    "Expiration Date",
    "Renewal Term",
    "Notice Period To Terminate Renewal",
    "Governing Law",
    "Most Favored Nation",
    "Competitive Restriction Exception",
    "Non-Compete",
    "Exclusivity",
    "No-Solicit Of Customers",
    "No-Solicit Of Employees",
    "Non-Disparagement",
    "Termination For Convenience",
    "Rofr/Rofo/Rofn",
    "Change Of Control",
    "Anti-Assignment",
    "Revenue/Profit Sharing",
    "Price Restrictions",
    "Minimum Commitment",
    "Volume Restriction",
    "Ip Ownership Assignment",
    "Joint Ip Ownership",
    "License Grant",
    "Non-Transferable License",
    "Affiliate License-Licensor",
    "Affiliate License-Licensee",
    "Unlimited/All-You-Can-Eat-License",
    "Irrevocable Or Perpetual License",
    "Source Code Escrow",
    "Post-Termination Services",
    "Audit Rights",
    "Uncapped Liability",
    "Cap On Liability",
    "Liquidated Damages",
    "Warranty Duration",
    "Insurance",
    "Covenant Not To Sue",
    "Third Party Beneficiary",
)

# The nine provisions of the law firm's extraction experiment (figure 14 of its paper).
NINE_PROVISIONS = (
    "Anti-Assignment",
    "Audit Rights",
    "Cap On Liability",
    "Change Of Control",
    "Effective Date",
    "Exclusivity",
    "Governing Law",
    "License Grant",
    "Termination For Convenience",
)

# What the paper calls conceptually related: returning it is over-inclusive, not wrong. The paper
# names one pair (assignment and change of control); the rest follows its reasoning.
RELATED: Mapping[str, tuple[str, ...]] = {
    "Anti-Assignment": ("Change Of Control",),
    "Audit Rights": (),
    "Cap On Liability": ("Uncapped Liability", "Liquidated Damages"),
    "Change Of Control": ("Anti-Assignment",),
    "Effective Date": ("Agreement Date", "Expiration Date", "Renewal Term"),
    "Exclusivity": ("Non-Compete", "Competitive Restriction Exception", "License Grant"),
    "Governing Law": (),
    "License Grant": (
        "Non-Transferable License",
        "Affiliate License-Licensor",
        "Affiliate License-Licensee",
        "Unlimited/All-You-Can-Eat-License",
        "Irrevocable Or Perpetual License",
    ),
    "Termination For Convenience": ("Notice Period To Terminate Renewal", "Renewal Term"),
    "Non-Compete": ("Exclusivity", "Competitive Restriction Exception"),
    "No-Solicit Of Customers": ("No-Solicit Of Employees", "Non-Compete"),
    "No-Solicit Of Employees": ("No-Solicit Of Customers",),
    "Uncapped Liability": ("Cap On Liability",),
    "Minimum Commitment": ("Volume Restriction",),
}


@dataclass(frozen=True, slots=True)
class AnnotatedContract:
    """A contract with what the experts marked in it.

    Attributes:
        group: Contracts of one company or with much shared text bear the same group; folds are
            split by it.
        annotations: For each category the instances, as spans of `text`.
    """

    name: str
    group: str
    text: str
    annotations: Mapping[str, tuple[Span, ...]] = field(repr=False)


def load_cuad(folder: Path, *, limit: int | None = None) -> list[AnnotatedContract]:
    """Read CUAD from `folder`: `annotations.jsonl` with texts, or the official `CUAD_v1.json`.

    Raises:
        ConfigError: If the folder holds neither layout, or a text is missing.
    """
    if (folder / "annotations.jsonl").is_file():
        contracts = _from_lines(folder)
    elif (folder / "CUAD_v1.json").is_file():
        contracts = _from_squad(folder / "CUAD_v1.json")
    else:
        raise ConfigError(
            f"{folder} holds neither annotations.jsonl nor CUAD_v1.json.",
            remedy="Give the folder of the CUAD data with --data.",
        )
    return list(islice(contracts, limit))


def _from_lines(folder: Path) -> Iterator[AnnotatedContract]:
    with (folder / "annotations.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            path = folder / "contracts" / record["name"]
            try:
                text = path.read_bytes().decode("utf-8")
            except OSError as error:
                raise ConfigError(f"{path}: {error.strerror}.") from error
            yield AnnotatedContract(
                name=record["name"],
                group=record["group"],
                text=text,
                annotations={
                    category: tuple(Span(start, end) for start, end in spans)
                    for category, spans in record["annotations"].items()
                },
            )


def _from_squad(path: Path) -> Iterator[AnnotatedContract]:
    for entry in json.loads(path.read_text(encoding="utf-8"))["data"]:
        text = entry["paragraphs"][0]["context"]
        annotations: dict[str, tuple[Span, ...]] = dict.fromkeys(CATEGORIES, ())
        by_fold = {name.casefold(): name for name in CATEGORIES}
        for question in entry["paragraphs"][0]["qas"]:
            category = by_fold.get(question["id"].rsplit("__", 1)[-1].casefold())
            if category is not None:
                annotations[category] = tuple(
                    Span(answer["answer_start"], answer["answer_start"] + len(answer["text"]))
                    for answer in question["answers"]
                )
        name = f"{entry['title']}.txt"
        yield AnnotatedContract(name=name, group=name, text=text, annotations=annotations)


def assign_folds(contracts: list[AnnotatedContract], *, k: int = 5, seed: int = 0) -> list[int]:
    """Give each contract a fold from 0 to k - 1, with the contracts of a group in one fold.

    Groups are shuffled by `seed`, then the largest goes to the emptiest fold.
    """
    import random

    sizes: dict[str, int] = {}
    for contract in contracts:
        sizes[contract.group] = sizes.get(contract.group, 0) + 1
    groups = sorted(sizes)
    random.Random(seed).shuffle(groups)  # noqa: S311 - a split, not a secret
    groups.sort(key=lambda group: -sizes[group])
    filled = [0] * k
    fold: dict[str, int] = {}
    for group in groups:
        emptiest = filled.index(min(filled))
        fold[group] = emptiest
        filled[emptiest] += sizes[group]
    return [fold[contract.group] for contract in contracts]
