"""CUAD: commercial contracts with expert annotations of 41 categories, and runs on them.

Hendrycks et al., "CUAD: An Expert-Annotated NLP Dataset for Legal Contract Review" (2021).
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated

from fourcorners.errors import ConfigError
from fourcorners.text.span import Span
from fourcorners_bench.record import package_text, published_data
from fourcorners_bench.run_files import Place, Rounded, ScoredPlace, at_most, read_answers

_DATA = json.loads(package_text("categories.json"))
CATEGORY_PROVISIONS: Mapping[str, tuple[str, str]] = {
    name: (playbook, provision) for name, (playbook, provision) in _DATA["categories"].items()
}
"""Which built-in provision answers which category: playbook and provision."""
CATEGORIES = tuple(CATEGORY_PROVISIONS)
PLAYBOOKS = ("due-diligence", "commercial-terms")
# The nine provisions of the law firm's extraction experiment (figure 14 of its paper).
NINE_PROVISIONS: tuple[str, ...] = tuple(_DATA["nine"])
# The seven of its chunking experiment (table 1).
SEVEN_PROVISIONS: tuple[str, ...] = tuple(_DATA["seven"])
# What is asked of the 14 of its scenarios, as a person asks who has not thought of search; the
# paper prints those of effective date, exclusivity, change of control and governing law.
QUESTIONS: Mapping[str, str] = _DATA["questions"]
FOURTEEN_PROVISIONS = tuple(QUESTIONS)
# What the paper calls conceptually related: returning it is over-inclusive, not wrong. The paper
# names one pair (assignment and change of control); the rest follows its reasoning.
RELATED: Mapping[str, tuple[str, ...]] = {
    name: tuple(related) for name, related in _DATA["related"].items()
}
MAX_CANDIDATES = 50  # of one provision that are scored


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was extracted of one provision from one contract; no quotes means not found."""

    name: str
    provision: str
    quotes: tuple[Place, ...]
    score: Rounded
    candidates: Annotated[tuple[ScoredPlace, ...], at_most(MAX_CANDIDATES)] = ()


def read_extractions(path: Path) -> list[Extraction]:
    return read_answers(path, Extraction, "a line of an extraction run")


@dataclass(frozen=True, slots=True)
class AnnotatedContract:
    """A contract with what the experts marked in it.

    Attributes:
        group: Contracts of one company or with much shared text have the same group; folds are
            split by it.
        annotations: For each category the instances, as spans of `text`.
        answers: What the lawyers typed, by category; only `annotations.jsonl` has it.
        unread: Why its file could not be read; its text is empty then, and nothing is found in it.
    """

    name: str
    group: str
    text: str
    annotations: Mapping[str, tuple[Span, ...]] = field(repr=False)
    answers: Mapping[str, str] = field(default_factory=dict, repr=False)
    title: str = ""
    unread: str = ""


def load_cuad(
    folder: Path, *, limit: int | None = None, keep_unread: bool = False
) -> list[AnnotatedContract]:
    """Read CUAD from `folder`: `annotations.jsonl` with texts, or the official `CUAD_v1.json`.

    With `keep_unread` a contract whose file cannot be read is there, without a text.

    Raises:
        ConfigError: If the folder holds neither layout, or a text is missing.
    """
    if (folder / "annotations.jsonl").is_file():
        keep = keep_unread and (folder / "contracts").is_dir()
        contracts = _from_lines(folder, keep_unread=keep)
    elif (folder / "CUAD_v1.json").is_file():
        contracts = _from_squad(folder / "CUAD_v1.json")
    else:
        raise ConfigError(
            f"{folder} holds neither annotations.jsonl nor CUAD_v1.json.",
            remedy="Give the folder of the CUAD data with --data.",
        )
    return list(islice(contracts, limit))


def readable(contracts: Iterable[AnnotatedContract]) -> list[AnnotatedContract]:
    return [each for each in contracts if not each.unread]


def unread_reasons(contracts: Iterable[AnnotatedContract]) -> dict[str, str]:
    """Return why files could not be read, by the names of their contracts."""
    return {each.name: each.unread for each in contracts if each.unread}


def read_contract_text(path: Path) -> tuple[str, str]:
    """Return a file's text and no reason, or no text and why it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8"), ""
    except OSError as error:
        return "", error.strerror or "it cannot be read"
    except UnicodeDecodeError:
        return "", "it is not UTF-8"


def _from_lines(folder: Path, *, keep_unread: bool) -> Iterator[AnnotatedContract]:
    with (folder / "annotations.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            path = folder / "contracts" / record["name"]
            text, unread = read_contract_text(path)
            if unread and not keep_unread:
                raise ConfigError(f"{path}: {unread}.")
            yield AnnotatedContract(
                name=record["name"],
                group=record["group"],
                text=text,
                annotations={
                    category: tuple(Span(start, end) for start, end in spans)
                    for category, spans in record["annotations"].items()
                },
                answers=record.get("answers", {}),
                title=record.get("title", ""),
                unread=unread,
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
    sizes = Counter(contract.group for contract in contracts)
    groups = sorted(sizes)
    random.Random(seed).shuffle(groups)  # noqa: S311 - a split, not a secret
    filled = [0] * k
    fold: dict[str, int] = {}
    for group in sorted(groups, key=lambda group: -sizes[group]):
        fold[group] = filled.index(min(filled))
        filled[fold[group]] += sizes[group]
    return [fold[contract.group] for contract in contracts]


@cache
def paper_figures() -> Mapping[str, Mapping[str, float]]:
    """Return the law firm's F1 of each configuration, by provision and in the mean."""
    found: dict[str, dict[str, float]] = {}
    for each in published_data("extraction")["figures"]:
        found.setdefault(each["configuration"], {})[each["provision"]] = each["f1"]
    return found
