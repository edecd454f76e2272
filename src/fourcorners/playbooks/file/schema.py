"""What a playbook file may hold, as pydantic models, and what is wrong with one, for its author.

The published `playbook.schema.json` is rewritten by `REWRITE_GOLDEN=1 pytest tests/playbooks`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from fourcorners.errors import PlaybookError, describe_problem, name_remedy
from fourcorners.playbooks.file.source import FileProblem, Path, YamlSource
from fourcorners.playbooks.playbook import (
    AnswerKind,
    CardField,
    CardValue,
    Expectation,
    Extent,
    Level,
    PositionKind,
    When,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Text = Annotated[str, Field(min_length=1)]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class QuestionFile(_Strict):
    """A question a lawyer asks once the provision is found."""

    id: Id = Field(description="Lower-case words joined by hyphens.")
    question: Text
    guidance: Text = Field("", description="What to consider in the answer.")
    answer: AnswerKind | None = Field(
        None, description="The kind of answer; one_of if options are given, else text."
    )
    options: dict[Text, str] = Field(
        {}, description="What may be answered, each with how a cell says it; empty: it does not."
    )
    says: str = Field(
        "", description="How a cell says an answer that is no option, with {} in its place."
    )
    card_value: CardValue | None = Field(
        None, description="The value of the contract card that answers it, where it is sure enough."
    )
    whose: str = Field(
        "",
        description="The question that says who has the right or exception: read for a side, an "
        "answer counts where that is not the other side alone.",
    )
    applies_to: tuple[Text, ...] = Field(
        (), description="The types of contract that are asked, such as Lease; all if left out."
    )


class SeverityFile(_Strict):
    """A rule for how much a cell matters; the first rule that holds decides."""

    when: When = Field(description="Which cells the rule is for.")
    answers: dict[Id, tuple[Text, ...]] = Field(
        {}, description="Questions of the provision, with the answers for which the rule holds."
    )
    severity: Level
    because: Text = Field(description="The reason, one sentence, as a report prints it.")
    recommend: Text = Field("", description="What to do about it, as a report prints it.")
    burdens: str = Field(
        "",
        description="A question of whom the clause binds: the rule is passed over where that is "
        "the other side alone.",
    )
    favours: str = Field(
        "",
        description="A question of who has the benefit: the rule is passed over where that is our "
        "side alone.",
    )
    ends_within: int | None = Field(
        None, ge=0, le=120, description="Months from the review within which the term ends."
    )


class RuleFile(_Strict):
    """A statement that a contract passes or fails."""

    id: Id = Field(description="Lower-case words joined by hyphens.")
    statement: Text = Field(description="One plain sentence that the contract may say or deny.")
    expects: Expectation = Field("entailed", description="What passes.")
    severity: Level = Field("medium", description="How much a failure matters.")
    because: Text = Field("", description="Why a failure matters, as a report prints it.")
    recommend: Text = Field("", description="What to do about a failure.")


class ClauseEditFile(_Strict):
    """A small change that brings a clause to the position; the first that fits is made."""

    words: str = Field("", description="What comes, with slots in braces; empty: words only go.")
    answers: dict[Id, tuple[Text, ...]] = Field(
        {}, description="Questions of the provision, with the answers of the clauses it is for."
    )
    about: tuple[Text, ...] = Field(
        (), description="Phrases; the sentence that is changed has one of them."
    )
    not_about: tuple[Text, ...] = Field(
        (), description="Phrases; the sentence that is changed has none of them."
    )
    after: tuple[Text, ...] = Field((), description="The words come after the first of these.")
    replace: tuple[Text, ...] = Field((), description="They come in place of the first of these.")
    of: str = Field("", description="A question that asks for a period or an amount to change.")
    at_least: str = Field("", description="How long the period must be, such as 180 days.")
    at_most: str = Field("", description="How long it may be, such as 12 months.")
    unless: tuple[Text, ...] = Field(
        (), description="Phrases; a clause that has one of them is left to a person."
    )


class WordingFile(_Strict):
    """Wording to draft with."""

    clause: str = Field("", description="A whole clause, with slots such as {our party}.")
    heading: str = Field("", description="The clause's heading.")
    beside: tuple[Text, ...] = Field(
        (), description="Words of headings next to which the clause is placed, the best first."
    )
    add_to: tuple[Text, ...] = Field(
        (), description="The types of contract to which it is added where they have no such clause."
    )
    edits: tuple[ClauseEditFile, ...] = Field(
        (), description="Small changes that bring a clause to this position, tried in order."
    )


class PositionFile(_Strict):
    """A position of the house; a clause is classed by the first that holds."""

    kind: PositionKind
    text: Text = Field(description="What the position is, in a sentence.")
    answers: dict[Id, tuple[Text, ...]] = Field(
        {}, description="Questions of the provision, with the answers that class a clause here."
    )
    example: Text = Field("", description="Wording that meets it, to offer to the other side.")
    recommend: Text = Field("", description="What to do where a clause is in this position.")
    burdens: str = Field(
        "",
        description="A question of whom the clause binds, subject or payer: the position is passed "
        "over where that is the other side alone, and a redline changes what binds our side.",
    )
    favours: str = Field(
        "",
        description="A question of who has the benefit, subject, payer or seat: the position is "
        "passed over where that is our side alone.",
    )
    alone: bool = Field(
        default=False,
        description="A redline passes over it where other words found bind, or benefit, the other "
        "side too.",
    )
    about: tuple[Text, ...] = Field(
        (), description="Phrases; a redline looks at words that have one of them."
    )
    not_about: tuple[Text, ...] = Field(
        (), description="Phrases; a redline passes over a sentence that has one of them."
    )
    unless: tuple[Text, ...] = Field(
        (), description="Phrases; a redline passes over a clause that has one of them."
    )
    under: str = Field("", description="It looks at words with a shorter period, as 30 days.")
    over: str = Field("", description="It looks at words with a longer period, as 60 days.")
    wording: WordingFile | None = Field(None, description="Wording that is in this position.")


class ProvisionFile(_Strict):
    """A kind of clause to look for."""

    id: Id = Field(description="Lower-case words joined by hyphens; results are kept under it.")
    name: Text = Field(description="The heading of the column in a report.")
    aliases: tuple[Text, ...] = Field((), description="Other names people use for it.")
    definition: Text = Field(description="What the clause does, and what it is not.")
    query: Text = Field(description="A search query: the clause's words, with boosts.")
    avoid: Text = Field("", description="A search query: look-alikes that must not count.")
    learned: Text = Field(
        "", description="A search query mined from a clause bank: it ranks passages to read."
    )
    examples: tuple[Text, ...] = Field((), description="Example clauses, to search by meaning.")
    instructions: Text = Field("", description="What a language model is told to extract.")
    extent: Extent = Field(
        Extent.SENTENCE,
        description="What a quote is: sentences, the whole clause, or the words of a card's fact.",
    )
    card: CardField | None = Field(
        None, description="The fact of the contract card that speaks for the provision."
    )
    threshold: float | None = Field(
        None, gt=0, lt=1, description="The probability from which a quote counts."
    )
    applies_to: tuple[Text, ...] = Field(
        (), description="The types of contract that have it, such as Lease; all if left out."
    )
    except_for: tuple[Text, ...] = Field(
        (), description="The types of contract that never have it, such as Lease."
    )
    questions: tuple[QuestionFile, ...] = Field((), description="Risk questions.")
    severity: tuple[SeverityFile, ...] = Field(
        (), description="Rules, tried in order; the first that holds decides."
    )
    rules: tuple[RuleFile, ...] = Field(
        (), description="Statements that a contract passes or fails."
    )
    positions: tuple[PositionFile, ...] = Field(
        (), description="What the house prefers, accepts and refuses, tried in order."
    )


class PlaybookFile(_Strict):
    """A fourcorners playbook: a list of provisions to look for in contracts."""

    id: Id = Field(description="Lower-case words joined by hyphens.")
    name: Text = Field(description="The name a report prints.")
    version: Text = Field(description="Your own version; change it when the content changes.")
    language: str = Field(
        "en", pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$", description="A BCP 47 tag, such as en."
    )
    description: Text = ""
    extends: Text = Field(
        "", description="A playbook to start from: built-in name, or path relative to this file."
    )
    payer: Text = Field("", description="What the side that pays is called, such as tenant.")
    payee: Text = Field("", description="What the side that is paid is called, such as landlord.")
    drop: tuple[Id, ...] = Field(
        (), description="Provisions of the playbook that is extended which this one leaves out."
    )
    provisions: tuple[ProvisionFile, ...] = Field(min_length=1)


MODELS: dict[tuple[str, ...], type[BaseModel]] = {
    (): PlaybookFile,
    ("provisions",): ProvisionFile,
    ("provisions", "questions"): QuestionFile,
    ("provisions", "severity"): SeverityFile,
    ("provisions", "rules"): RuleFile,
    ("provisions", "positions"): PositionFile,
    ("provisions", "positions", "wording"): WordingFile,
    ("provisions", "positions", "wording", "edits"): ClauseEditFile,
}
"""The model of the mappings under these keys."""


def json_schema() -> str:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **PlaybookFile.model_json_schema(),
        "title": "Fourcorners playbook",
    }
    _let_extend(schema)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _let_extend(schema: dict[str, Any]) -> None:
    """Ask less of a file that extends another: of a provision its id, and what changes.

    A key with nothing after it takes the other playbook's value away.
    """
    whole = schema["$defs"]["ProvisionFile"]
    schema["$defs"]["ProvisionChange"] = {
        **whole,
        "title": "ProvisionChange",
        "description": "A provision of the playbook that is extended, changed; or a new one.",
        "required": ["id"],
        "properties": {
            key: described if key == "id" else {"anyOf": [described, {"type": "null"}]}
            for key, described in whole["properties"].items()
        },
    }
    listed = {
        key: {"provisions": {"items": {"$ref": f"#/$defs/{key}"}}}
        for key in ("ProvisionFile", "ProvisionChange")
    }
    schema["properties"]["provisions"] = {"title": "Provisions", "type": "array"}
    schema["required"] = [key for key in schema["required"] if key != "provisions"]
    schema["if"] = {"required": ["extends"]}
    schema["then"] = {"properties": listed["ProvisionChange"]}
    schema["else"] = {
        "required": ["provisions"],
        "properties": {"provisions": {**listed["ProvisionFile"]["provisions"], "minItems": 1}},
    }


MAX_PROBLEMS = 20  # reported at once


class PlaybookFileError(PlaybookError):
    """All that is wrong with one playbook file, in the file's order."""

    problems: tuple[FileProblem, ...] = ()


def file_error(problems: Sequence[FileProblem], file: str) -> PlaybookFileError:
    """Return all that is wrong with a file as one error, a line each, in the file's order."""
    ordered = sorted(problems, key=lambda problem: (problem.line, problem.character or 0))
    lines = []
    for problem in ordered[:MAX_PROBLEMS]:
        place = f"{file}, line {problem.line}"
        if problem.character is not None:
            place += f", character {problem.character}"
        if problem.path:
            place += f", {problem.path}"
        lines.append(f"{place}: {problem.what}")
    if len(ordered) > MAX_PROBLEMS:
        lines.append(f"{file}: and {len(ordered) - MAX_PROBLEMS} more.")
    remedies = dict.fromkeys(problem.remedy for problem in ordered if problem.remedy)
    error = PlaybookFileError("\n".join(lines), remedy=" ".join(remedies))
    error.problems = tuple(ordered)
    return error


def explain_error(source: YamlSource, details: ErrorDetails) -> None:
    path, given = details["loc"], details["input"]
    last = str(path[-1]) if path else ""
    written = _kind(given)
    match details["type"]:
        case "missing":
            remedy = "Add the key; the guide on playbooks says what each means."
            source.problem(path[:-1], f"the key {last!r} is missing", remedy)
        case "extra_forbidden":
            offer = name_remedy(last, _known_keys(path))
            source.problem(path, f"there is no key {last!r} here. {offer}")
        case "string_type" if given is not None:
            hint = "put it between single quotes"
            source.problem(path, f"{describe_problem(details, 'this', written)}; {hint}")
        case "tuple_type":
            source.problem(path, f"this must be a list, each item after a hyphen, not {written}")
        case "string_pattern_mismatch" if last == "id":
            example = "lower-case words joined by hyphens, such as change-of-control"
            source.problem(path, f"this must be {example}, not {written}")
        case "too_short" if given:
            pass  # pydantic counts only the items that are right
        case _:
            source.problem(path, describe_problem(details, "this", written))


def _known_keys(path: Path) -> Sequence[str]:
    return tuple(MODELS[tuple(part for part in path[:-1] if isinstance(part, str))].model_fields)


def similar_key(details: ErrorDetails) -> str | None:
    if details["type"] != "extra_forbidden":
        return None
    path = details["loc"]
    near = get_close_matches(str(path[-1]), _known_keys(path), n=1, cutoff=0.5)
    return near[0] if near else None


def _kind(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return repr(value)
