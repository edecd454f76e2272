"""Blind votes of people on pairs of reports: what is put to them, and what they said.

A ballot shows each question's two reports as left and right, in an order drawn for that question;
a key says which is whose, and only those who count keep it. A person says for each criterion
which is better, that neither is, or that they are not sure.
"""

from __future__ import annotations

import json
import random
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners_bench.answers.judging import load_criteria
from fourcorners_bench.answers.run_files import Report, report_parts
from fourcorners_bench.record import package_text
from fourcorners_bench.run_files import run_line


class Choice(StrEnum):
    """What a person says of a pair."""

    LEFT = "left"
    RIGHT = "right"
    NEITHER = "neither"
    UNSURE = "unsure"


class Winner(StrEnum):
    """Whose report was better, by the key."""

    FIRST = "first"
    SECOND = "second"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Pair:
    question: str
    left: Report
    right: Report


@dataclass(frozen=True, slots=True)
class Key:
    """Which system is on the left of each question.

    Attributes:
        systems: The first and the second.
        left: For each question 0 if the first's report is on the left, else 1.
    """

    ballot: str
    systems: tuple[str, str]
    left: Mapping[str, int]

    def to_json(self) -> str:
        record = {"ballot": self.ballot, "systems": list(self.systems), "left": dict(self.left)}
        return json.dumps(record, ensure_ascii=False, indent=2)

    @staticmethod
    def read(path: Path) -> Key:
        """Read a key file.

        Raises:
            ConfigError: If it is none.
        """
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            first, second = record["systems"]
            left = {str(name): int(side) for name, side in record["left"].items()}
            return Key(str(record["ballot"]), (str(first), str(second)), left)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"{path} is no key of a ballot ({error!r}).",
                remedy="Give the file that was written with the ballot.",
            ) from None


def pair_reports(
    first: Mapping[str, Report], second: Mapping[str, Report], *, seed: int = 0
) -> tuple[list[Pair], Key]:
    """Return the questions that both answered, each pair in a drawn order, and the key.

    Raises:
        ConfigError: If they have no question in common.
    """
    names = [name for name in first if name in second]
    if not names:
        raise ConfigError("the two runs have no question in common.")
    drawn = random.Random(seed)  # noqa: S311 - nothing secret
    drawn.shuffle(names)
    left = {name: drawn.randrange(2) for name in names}
    content = json.dumps(
        [seed, *(run_line(each) for run in (first, second) for each in run.values())]
    )
    systems = (next(iter(first.values())).by, next(iter(second.values())).by)
    if systems[0] == systems[1]:
        systems = (f"{systems[0]} (first)", f"{systems[1]} (second)")
    pairs = [
        Pair(
            name, *((first[name], second[name]) if not left[name] else (second[name], first[name]))
        )
        for name in names
    ]
    return pairs, Key(sha256(content.encode()).hexdigest()[:16], systems, left)


@dataclass(frozen=True, slots=True)
class Vote:
    voter: str
    question: str
    criterion: str
    choice: Choice
    reason: str = ""


def read_votes(path: Path, key: Key) -> list[Vote]:
    """Read a person's votes.

    Raises:
        ConfigError: If the file is none, or is of another ballot.
    """
    known = {each.id for each in load_criteria().items}
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        ballot = record["ballot"]
        votes = [
            Vote(
                str(record["voter"]),
                str(each["question"]),
                str(each["criterion"]),
                Choice(each["choice"]),
                str(each.get("reason", "")),
            )
            for each in record["votes"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path} holds no votes ({error!r}).", remedy="Give what a ballot saved."
        ) from None
    if ballot != key.ballot:
        raise ConfigError(f"{path} holds votes of another ballot.", remedy="Give its own key.")
    for vote in votes:
        if vote.question not in key.left or vote.criterion not in known:
            raise ConfigError(f"{path} votes on {vote.question!r} by {vote.criterion!r}: unknown.")
    if len({(each.question, each.criterion) for each in votes}) < len(votes):
        raise ConfigError(f"{path} votes twice on the same.")
    return votes


def winner(vote: Vote, key: Key) -> Winner | None:
    """Return whose report a vote prefers; None where the person was not sure."""
    if vote.choice is Choice.UNSURE:
        return None
    if vote.choice is Choice.NEITHER:
        return Winner.NEITHER
    is_first = (vote.choice is Choice.LEFT) == (key.left[vote.question] == 0)
    return Winner.FIRST if is_first else Winner.SECOND


def winner_name(won: Winner | None, key: Key) -> str:
    """Return the system that a vote prefers, `neither`, or `not sure`."""
    if won is None:
        return "not sure"
    names = {Winner.FIRST: key.systems[0], Winner.SECOND: key.systems[1]}
    return names.get(won, "neither")


def count_votes(votes: Iterable[Vote], key: Key) -> dict[str, Counter[Winner]]:
    """Return for each criterion how often each won; votes that are not sure do not count."""
    found: dict[str, Counter[Winner]] = {}
    for vote in votes:
        won = winner(vote, key)
        if won is not None:
            found.setdefault(vote.criterion, Counter())[won] += 1
    return found


def votes_from_scores(
    first: Mapping[str, Mapping[str, float]],
    second: Mapping[str, Mapping[str, float]],
    *,
    least: float = 0.01,
) -> dict[str, Counter[Winner]]:
    """Return scores as votes: a difference below `least` is a tie (PAKTON, appendix C.1)."""
    found: dict[str, Counter[Winner]] = {}
    for criterion in first:
        others = second.get(criterion, {})
        for question, score in first[criterion].items():
            if question in others:
                apart = score - others[question]
                won = Winner.FIRST if apart > 0 else Winner.SECOND
                counts = found.setdefault(criterion, Counter())
                counts[Winner.NEITHER if abs(apart) < least - 1e-12 else won] += 1
    return found


def winner_shares(counts: Mapping[Winner, int]) -> Sequence[float]:
    total = sum(counts.values())
    return [100 * counts.get(each, 0) / total if total else 0.0 for each in Winner]


def ballot_page(pairs: Sequence[Pair], key: Key) -> str:
    """Return the page as HTML; words of contracts and reports are escaped, and only data."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    script, style = package_text("ballot.js"), package_text("ballot.css")
    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(package_text("ballot.html.j2"))
    return template.render(
        ballot=key.ballot,
        pairs=[
            {
                "question": pair.question,
                "asked": pair.left.answer.question,
                "left": report_parts(pair.left.answer),
                "right": report_parts(pair.right.answer),
            }
            for pair in pairs
        ],
        criteria=load_criteria().items,
        choices=[(each.value, each.value.replace("unsure", "not sure")) for each in Choice],
        script=Markup(script),  # noqa: S704 - our own file
        style=Markup(style),  # noqa: S704 - our own file
        script_hash=_hash(script),
        style_hash=_hash(style),
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
