"""Questions to contracts with the words that a good answer quotes, as a YAML file has them.

`examples/questions.yaml` is such a file, and says what its fields mean. An answer is measured by
the share of the needed words that it quotes; so is how much else it quotes, for a report that
quotes everything would find all. Words of contracts that may not be copied are named by their place
and a hash (`examples/questions-cuad.yaml`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from fourcorners.errors import ConfigError
from fourcorners.research.answer import Verdict
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from fourcorners.library.entries import Entry
    from fourcorners.library.store import Library

SCHEMA = 1  # of a file of questions
Kind = Literal[
    "fact", "condition", "exception", "definition", "amendment", "sum", "silent", "premise",
    "readings",
]  # fmt: skip
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class RequiredWords:
    """Words that an answer must quote.

    Attributes:
        contract: How the name of their file begins.
        words: As they are; empty where `at` names their place.
        at: Where they are in the contract's text.
        digest: The first digits of the SHA-256 of the words at that place.
    """

    contract: str
    words: str = ""
    at: Span | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the contracts it is put to (none for all), and what its answer needs.

    Attributes:
        silent: Whether the contracts say nothing of it.
        needs_ocr: Whether the words are in a scan.
        rulings: The right answers to a question of yes or no; empty for all others.
    """

    id: str
    kind: Kind
    asked: str
    contracts: tuple[str, ...] = ()
    needed: tuple[RequiredWords, ...] = ()
    silent: bool = False
    needs_ocr: bool = False
    rulings: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class RequiredPlace:
    document: str
    span: Span


_NOWHERE = RequiredPlace("", Span(0, 1))  # of words whose file could not be read


def load_questions(path: Path) -> list[Question]:
    """Read questions from a file.

    Raises:
        ConfigError: If it cannot be read, or a question does not hold the form.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(
            f"{path} cannot be read ({error}).", remedy="Give a file like examples/questions.yaml."
        ) from None
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise ConfigError(
            f"{path} is no file of questions of schema {SCHEMA}.",
            remedy="Write it like examples/questions.yaml.",
        )
    found = [_question(path, each) for each in content.get("questions") or []]
    twice = {each.id for each in found if sum(one.id == each.id for one in found) > 1}
    if twice:
        raise ConfigError(f"{path} has the question {min(twice)!r} twice.")
    return found


def _question(path: Path, record: Mapping[str, Any]) -> Question:
    try:
        found = Question(
            str(record["id"]),
            record["kind"],
            str(record["ask"]).strip(),
            tuple(map(str, record.get("in", ()))),
            tuple(map(_needed, record.get("evidence", ()))),
            bool(record.get("silent", False)),
            record.get("requires") == "ocr",
            tuple(map(Verdict, record.get("rulings", ()))),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{path}: a question is not of the form ({error!r}): {str(record)[:60]}.",
            remedy="Write it like those of examples/questions.yaml.",
        ) from None
    if found.kind not in KINDS:
        raise ConfigError(
            f"{path}: the question {found.id!r} is of no known kind.",
            remedy=f"There are: {', '.join(KINDS)}.",
        )
    if found.silent == bool(found.needed) or not found.asked:
        raise ConfigError(
            f"{path}: the question {found.id!r} needs words, and evidence or `silent: true`."
        )
    return found


def _needed(record: Mapping[str, Any]) -> RequiredWords:
    if "at" not in record:
        return RequiredWords(str(record["in"]), str(record["words"]))
    start, end = map(int, record["at"])
    return RequiredWords(str(record["in"]), at=Span(start, end), digest=str(record["hash"]))


def locate_required_words(
    library: Library, questions: Sequence[Question], unread: Collection[str] = ()
) -> dict[str, tuple[RequiredPlace, ...]]:
    """Return the places of the words that each question needs, by its id.

    A question to a scan that no program has read is left out. Words of a file that could not be
    read, of those named `unread`, are in no document.

    Raises:
        ConfigError: If words are not in their contract, or more than once.
    """
    entries = library.documents()
    found: dict[str, tuple[RequiredPlace, ...]] = {}
    for question in questions:
        entry_of = {
            each.contract: find_entry(entries, each.contract)
            for each in question.needed
            if not is_unread(each.contract, unread)
        }
        if question.needs_ocr and not all(
            library.text(entry.id).strip() for entry in entry_of.values()
        ):
            continue
        found[question.id] = tuple(
            _place(library, question, entry_of[each.contract], each)
            if each.contract in entry_of
            else _NOWHERE
            for each in question.needed
        )
    return found


def is_unread(start: str, unread: Iterable[str]) -> bool:
    """Return whether the file that a question names by its beginning could not be read."""
    return any(name.startswith(start) for name in unread)


def find_entry(entries: Sequence[Entry], start: str) -> Entry:
    """Return the contract whose file's name begins so.

    Raises:
        ConfigError: If there is none, or there are several.
    """
    fitting = [entry for entry in entries if entry.name.startswith(start)]
    if len(fitting) != 1:
        count = "no contract" if not fitting else "several contracts"
        raise ConfigError(
            f"{count} begins with {start!r}.", remedy="Give the questions' own contracts."
        )
    return fitting[0]


def words_hash(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8")).hexdigest()


def _place(
    library: Library, question: Question, entry: Entry, needed: RequiredWords
) -> RequiredPlace:
    if needed.at is not None:
        there = library.text(entry.id)[needed.at.start : needed.at.end]
        if not needed.digest or not words_hash(there).startswith(needed.digest):
            raise ConfigError(
                f"the words that {question.id!r} needs are not at {needed.at.start} to "
                f"{needed.at.end} of {entry.name}.",
                remedy="Give the contracts that the question was written for.",
            )
        return RequiredPlace(entry.id, needed.at)
    pattern = r"\s+".join(re.escape(word) for word in needed.words.split())
    found = [Span(*match.span()) for match in re.finditer(pattern, library.text(entry.id))]
    if len(found) != 1:
        count = "nowhere" if not found else f"{len(found)} times"
        raise ConfigError(
            f"the words that {question.id!r} needs appear {count} in {entry.name}.",
            remedy="Correct the question, or its contract.",
        )
    return RequiredPlace(entry.id, found[0])
