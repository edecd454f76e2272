"""Test cases of a playbook: what it must find, and what it must not.

A case names a document of a library, or contains a text, and says what the cell of one provision
must be. Cases can be made from what people confirmed, so that a change of a playbook is measured
against all earlier judgements.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError, describe_problem
from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.file.source import parse_yaml as read_yaml
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import Calibration, default_calibration
from fourcorners.review.finding import Author, CellState, Finding, ReviewState, Severity
from fourcorners.review.run import prepare_provisions
from fourcorners.text.normalisation import normalise_text

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

MAX_BYTES = 10_000_000  # of a file of cases
_Words = Annotated[str, Field(min_length=1)]


class Case(BaseModel):
    """What the cell of one provision must be, in a document or in a text.

    Attributes:
        words: Words that the quotes must contain, regardless of white space and kinds of quotation
            marks.
        answers: How the answer must begin, by the id of the question.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    document: str = ""
    text: str = ""
    provision: _Words
    found: bool | None = None
    words: tuple[_Words, ...] = ()
    without: tuple[_Words, ...] = ()
    severity: Literal["high", "medium", "to_read", "low", "none"] | None = None
    position: Literal["preferred", "fallback", "unacceptable", "none"] | None = None
    answers: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_place(self) -> Case:
        if bool(self.document) == bool(self.text):
            raise ValueError("a case has either a document or a text")
        return self


class _Cases(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """The result of a case; it passed if there are no problems."""

    case: Case
    mismatches: tuple[str, ...]
    finding: Finding

    @property
    def passed(self) -> bool:
        return not self.mismatches


def read_cases(path: Path) -> tuple[Case, ...]:
    """Return the cases of a YAML file.

    Raises:
        ConfigError: If it cannot be read; each line of the message gives the line of one problem.
    """
    try:
        content = path.read_bytes()[: MAX_BYTES + 1]
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"cannot read the cases {path}: {error}.", remedy="Give a YAML file in UTF-8."
        ) from error
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{path}: cases may hold {MAX_BYTES:,} bytes; this file has more.")
    source = read_yaml(text)
    faults = [f"{path}, line {each.line}: {each.what}" for each in source.problems]
    if not faults:
        try:
            return _Cases.model_validate(source.data).cases
        except ValidationError as error:
            faults = []
            for each in error.errors():
                place = f"{path}, line {source.line(each['loc'])}, {source.name(each['loc'])}"
                faults.append(describe_problem(each, place))
    raise ConfigError("\n".join(faults), remedy="The guide on playbooks shows a file of cases.")


def run_cases(
    library: Library | None,
    playbook: Playbook,
    cases: Sequence[Case],
    *,
    encoder: Encoder | None,
    calibration: Calibration | None = None,
) -> Iterator[CaseOutcome]:
    """Yield the outcome of each case, in order; each document is read once, and nothing is stored.

    A text is read as a separate contract, by its words alone if there is no encoder.

    Raises:
        ConfigError: If a case names no provision of the playbook or no document of the library.
    """
    prepared, judge = prepare_provisions(playbook, encoder), ProvisionReader.default(encoder)
    curves = calibration or default_calibration()
    wanted = [playbook.provision(each.provision).id for each in cases]
    keys = [_key(library, each) for each in cases]
    asked: dict[str, set[str]] = {}
    for key, provision in zip(keys, wanted, strict=True):
        asked.setdefault(key, set()).add(provision)
    known: dict[str, dict[str, Finding]] = {}
    for case, key, provision in zip(cases, keys, wanted, strict=True):
        if key not in known:
            reading = (
                _of_text(case.text, encoder)
                if case.text or library is None
                else read_contract(library, key)
            )
            chosen = [each for each in prepared if each.provision.id in asked[key]]
            cells = extract_findings(reading, chosen, curves, judge)
            known[key] = {cell.provision: cell for cell in cells}
        finding = known[key][provision]
        yield CaseOutcome(case, tuple(_wrong(case, finding)), finding)


def _key(library: Library | None, case: Case) -> str:
    if case.text:
        return f"text {hashlib.sha256(case.text.encode()).hexdigest()}"
    if library is None:
        raise ConfigError(
            f"the case of {case.document!r} needs a library.", remedy="Give it with --library."
        )
    return library.resolve(case.document).id


def _of_text(text: str, encoder: Encoder | None) -> Contract:
    digest = hashlib.sha256(text.encode()).hexdigest()
    document = Document(
        id=digest[:16],
        name="case",
        path="case",
        sha256=digest,
        media_type="text/plain",
        reader="case",
        text=text,
    )
    outline = build_outline(document)
    cut = cut_passages(document, outline)
    words = [f"{each.context}\n{each.span.text_in(text)}".lstrip("\n") for each in cut]
    vectors = encoder.encode(words) if encoder is not None and words else None
    return Contract.build(document, outline, read_card(document, outline), cut, vectors)


def _wrong(case: Case, finding: Finding) -> Iterator[str]:
    state = finding.state.value.replace("_", " ")
    if finding.state is CellState.FAILED:
        yield f"failed: {finding.error}"
        return
    found = finding.state is CellState.FOUND
    if case.found is not None and case.found is not found:
        yield f"{state}; {'something' if case.found else 'nothing'} was to be found"
    quoted = _plain(" ".join(each.quote.words for each in finding.evidence))
    for words in case.words:
        if _plain(words) not in quoted:
            yield f"not quoted: {words}"
    for words in case.without:
        if _plain(words) in quoted:
            yield f"quoted: {words}"
    if case.severity is not None and finding.severity.value != case.severity:
        yield f"severity {finding.severity.value}, not {case.severity}"
    position = finding.position.kind if finding.position else "none"
    if case.position is not None and position != case.position:
        yield f"position {position}, not {case.position}"
    answers = {each.id: each for each in finding.answers}
    for identifier, wanted in case.answers.items():
        given = answers[identifier].answer if identifier in answers else "not asked"
        if not given.casefold().startswith(wanted.casefold()) or (given and not wanted):
            yield f"{identifier}: {given or 'left to a person'}, not {wanted or 'left to a person'}"


def _plain(words: str) -> str:
    return " ".join(normalise_text(words).text.split()).casefold()


def confirmed_cases(library: Library, playbook: Playbook) -> list[Case]:
    """Return a case for each finding that a person confirmed, corrected or rejected.

    Words of a correction count if they are the contract's; a person's own words do not.
    """
    return [
        case
        for entry in library.documents()
        for finding in store.load_findings(library, playbook, entry.id).values()
        for case in _confirmed(entry.name, finding)
    ]


def _confirmed(name: str, finding: Finding) -> Iterable[Case]:
    found = finding.state is CellState.FOUND
    undecided = finding.severity is Severity.TO_READ
    proposed = tuple(each.quote.words for each in finding.proposal.evidence)
    match finding.review:
        case ReviewState.CONFIRMED if found:
            yield Case(
                document=name,
                provision=finding.provision,
                found=True,
                words=tuple(each.quote.words for each in finding.evidence),
                severity=None if undecided else finding.severity.value,
            )
        case ReviewState.CONFIRMED if finding.state is CellState.NOT_FOUND:
            yield Case(document=name, provision=finding.provision, found=False)
        case ReviewState.CORRECTED if found:
            given = {
                each.id: each.answer
                for each in finding.answers
                if each.author is Author.PERSON and each.value
            }
            if finding.place is not None or given or finding.severity_by:
                yield Case(
                    document=name,
                    provision=finding.provision,
                    found=True,
                    words=(finding.value,) if finding.place is not None else (),
                    answers=given,
                    severity=finding.severity.value if finding.severity_by else None,
                )
        case ReviewState.REJECTED if proposed:
            yield Case(document=name, provision=finding.provision, without=proposed)


def cases_yaml(cases: Iterable[Case]) -> str:
    import yaml

    listed = [case.model_dump(mode="json", exclude_defaults=True) for case in cases]
    text: str = yaml.safe_dump({"cases": listed}, sort_keys=False, allow_unicode=True, width=96)
    return text
