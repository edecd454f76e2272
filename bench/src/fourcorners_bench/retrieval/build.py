"""A benchmark of LegalBench-RAG's form, made from the data sets that it was made from.

Section 3.1.3 of its paper: a question is the description of a document and the question that a
category of annotation stands for; its answers are the annotation's places in the text. Answers are
joined across one character, such as the line break between two of ContractNLI's spans.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.system.private_files import make_folder
from fourcorners.text.span import Span, merge_spans
from fourcorners.work_folder import replace_text
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.retrieval.describe import join_parties
from fourcorners_bench.retrieval.loader import ASKS, Question, Snippet

BRIDGED = 1
"""Characters between two answers that become one."""

# Section 3.2: what its description does not distinguish is left out; an agreement is distinguished
# from others of its kind by its parties.
_NAMES_A_PARTY = re.compile(r"\b(?:between|among|of|with)\b|['’]s\s|[\"“]")
_UNSAFE = re.compile(r"[%/\\\x00-\x1f]")
_PAGES = re.compile(r"\(Pages?\s*[\d\s,-]+\)\s*$")
_OMITTED = re.compile(r"\s*<omitted>\s*")
_RARE = "<RARE_ANSWERS>"  # what MAUD's splits call contracts that it hides
_PRIVACY_QA = ("DocID", "QueryID", "SentID", "Query", "Segment")
_ANNOTATORS = 6  # columns of PrivacyQA's table
_MOST_SILENT = 2  # of PrivacyQA's annotators, beyond which a question is left out


@dataclass(frozen=True, slots=True)
class BuiltSet:
    """A set, ready to be written.

    `left_out` counts what was left out, by reason; `unread` says why files could not be read.
    """

    name: str
    questions: tuple[Question, ...]
    texts: Mapping[str, str]
    left_out: Mapping[str, int]
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """A document of a data set.

    `annotated` has the places of each category (or question), in order of the data set. If the text
    cannot be read, `unread` says why.
    """

    file_name: str
    text: str
    annotated: Mapping[str, tuple[Span, ...]]
    description: str | None = None
    unread: str = ""


Describe: TypeAlias = Callable[[str, str], "str | None"]
"""The name of a file and its text in, a description out."""
TooAlike: TypeAlias = Callable[[Mapping[str, str]], Iterable[str]]


def build_set(
    name: str,
    source: Path,
    *,
    asked: Mapping[str, str] | None = None,
    described: Mapping[str, str] | None = None,
    describe: Describe | None = None,
    too_alike: TooAlike | None = None,
) -> BuiltSet:
    """Make a set from its source.

    Args:
        name: `cuad`, `contractnli`, `maud` or `privacy_qa`.
        source: The data set's folder or file.
        asked: The question that each category stands for, in order; what has none is left out.
            PrivacyQA has its own questions.
        described: The description of each document by its file name; by default that of the data
            set, or else the title and parties that its contract card gives.
        describe: What describes the documents in their place.
        too_alike: Which of some descriptions are so alike that none of them is kept.

    Raises:
        ConfigError: If the source is not of its data set's form.
    """
    left: Counter[str] = Counter()
    everything = list(_SOURCES[name](source, left))
    unread = {each.file_name: each.unread for each in everything if each.unread}
    sources = [each for each in everything if not each.unread]
    descriptions = _descriptions(name, sources, described, left, describe)
    for file in too_alike(descriptions) if too_alike else ():
        left["documents with much the same description"] += 1
        del descriptions[file]
    questions: list[Question] = []
    texts: dict[str, str] = {}
    for each in sources:
        description = descriptions.get(each.file_name)
        if description is None:
            continue
        path = f"{name}/{each.file_name}"
        wanted = dict.fromkeys(each.annotated) if name == "privacy_qa" else (asked or {})
        for category in wanted:
            spans = merge_spans(each.annotated.get(category, ()), gap=BRIDGED)
            if not spans:
                continue
            question = category if name == "privacy_qa" else (asked or {})[category]
            questions.append(
                Question(
                    f"Consider {add_article(description)}{ASKS}{question}",
                    tuple(Snippet(path, span) for span in spans),
                    () if name == "privacy_qa" else (category,),
                )
            )
            texts[path] = each.text
    return BuiltSet(name, tuple(questions), texts, dict(left), unread)


def add_article(description: str) -> str:
    """Return a description with the article that it needs: `the Lease between …`, `Acme's NDA`."""
    possessive = re.search(r"['’]s\s", description) and " between " not in description
    return description if possessive or description[:1] in "\"“'" else f"the {description}"


def load_mapping(path: Path, name: str) -> dict[str, str]:
    """Return the part of a JSON file of mappings that belongs to a set; empty if it has none.

    Raises:
        ConfigError: If the file is no such mapping.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {str(key): str(value) for key, value in content.get(name, {}).items()}
    except (OSError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{path} is not a mapping of sets to mappings ({error}).",
            remedy='Write it as {"cuad": {"Audit Rights": "What are the audit rights …?"}}.',
        ) from error


def write_set(built: BuiltSet, folder: Path) -> None:
    tests = [
        {
            "query": question.query,
            "tags": list(question.tags),
            "snippets": [
                {
                    "file_path": one.file_path,
                    "span": [one.span.start, one.span.end],
                    "answer": one.span.text_in(built.texts[one.file_path]),
                }
                for one in question.answers
            ],
        }
        for question in built.questions
    ]
    for file_path, text in built.texts.items():
        path = folder / "corpus" / file_path
        make_folder(path.parent)
        replace_text(path, text)
    path = folder / "benchmarks" / f"{built.name}.json"
    make_folder(path.parent)
    content = json.dumps({"tests": tests}, ensure_ascii=False, indent=1)
    replace_text(path, content + "\n")


def _descriptions(
    name: str,
    sources: Iterable[Source],
    described: Mapping[str, str] | None,
    left: Counter[str],
    describe: Describe | None,
) -> dict[str, str]:
    """Return the descriptions by file name, without those that would not tell documents apart."""
    found: dict[str, str] = {}
    for each in sources:
        described_as = described.get(each.file_name) if described is not None else each.description
        if described is None and describe is not None:
            described_as = describe(each.file_name, each.text)
        elif described_as is None and described is None:
            described_as = _from_card(name, each)
        if described_as is None:
            left["documents without a description"] += 1
        elif described is None and describe is None and not _NAMES_A_PARTY.search(described_as):
            left["documents whose description names no party"] += 1
        else:
            found[each.file_name] = described_as.strip()
    plain = {
        file: " ".join(described_as.split()).casefold() for file, described_as in found.items()
    }
    often = Counter(plain.values())
    alike = [file for file, described_as in plain.items() if often[described_as] > 1]
    left["documents described alike"] += len(alike)
    left += Counter()  # drops what is zero
    return {file: described_as for file, described_as in found.items() if file not in alike}


def _from_card(name: str, source: Source) -> str | None:
    """Return title and parties as the contract card gives them; None if a party is missing."""
    from fourcorners.outline.build import build_outline as outline
    from fourcorners.outline.card.read import read_card
    from fourcorners_bench.outline.references import text_document

    document = text_document(source.file_name, source.text)
    card = read_card(document, outline(document))
    parties = list(dict.fromkeys(each.value.name for each in card.parties))
    title = "Non-Disclosure Agreement" if name == "contractnli" else ""
    if not title and card.title is not None:
        title = " ".join(card.title.value.split()).title()
    if not title or not parties:
        return None
    return join_parties(title, parties)


def _cuad(folder: Path, _: Counter[str]) -> Iterator[Source]:
    for each in cuad.load_cuad(folder, keep_unread=True):
        yield Source(each.name, each.text, each.annotations, each.title or None, each.unread)


def _contractnli(path: Path, _: Counter[str]) -> Iterator[Source]:
    try:
        documents = json.loads(path.read_text(encoding="utf-8"))["documents"]
        for each in documents:
            spans = [Span(start, end) for start, end in each["spans"]]
            for annotations in each["annotation_sets"][:1]:
                yield Source(
                    _UNSAFE.sub("_", f"{Path(each['file_name'].strip()).stem}.txt"),
                    each["text"],
                    {
                        label: tuple(spans[at] for at in one["spans"])
                        for label, one in annotations["annotations"].items()
                    },
                )
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ConfigError(f"{path} is not of ContractNLI's form ({error!r}).") from error


def _maud(folder: Path, left: Counter[str]) -> Iterator[Source]:
    """Read MAUD: `main.csv` (or `raw/main.csv`), and the texts in `contracts`.

    Texts are called as in the column `Filename`, or as the splits `MAUD_*.csv` call the contract
    that has the same definition of a material adverse effect.
    """
    table = next(
        (at for at in (folder / "main.csv", folder / "raw" / "main.csv") if at.is_file()), None
    )
    if table is None:
        raise ConfigError(f"{folder} holds no main.csv.", remedy="Give MAUD's folder `data`.")
    by_definition = _maud_names(folder)
    for row in _rows(table, ",", ("Filename",)):
        stem = row.get("Filename", "").replace("\n", "|").removesuffix(".pdf")
        called = by_definition.get(row.get("MAE Definition", ""), {stem})
        texts = [folder / "contracts" / f"{name}.txt" for name in (stem, *sorted(called))]
        text = next((at for at in texts if at.is_file()), None)
        if text is None or len(called) != 1:
            left["documents without a text"] += 1
            continue
        words, unread = cuad.read_contract_text(text)
        bare = _Bare.principal_of(words)
        annotated: dict[str, tuple[Span, ...]] = {}
        for category, excerpt in () if unread else row.items():
            if category in ("Filename", "Filename (anon)") or not excerpt.strip():
                continue
            spans = bare.find(excerpt)
            if spans:
                annotated[category] = spans
            else:
                left["excerpts that have no one place in the text"] += 1
        yield Source(f"{_UNSAFE.sub('_', stem)}.txt", words, annotated, unread=unread)


def _maud_names(folder: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for split in sorted(folder.glob("MAUD_*.csv")):
        for row in _rows(split, ",", ("text_type", "text", "contract_name")):
            name = row.get("contract_name", "")
            if row.get("text_type") == "MAE Definition" and name != _RARE:
                found.setdefault(row.get("text", ""), set()).add(name.removesuffix(".pdf"))
    return found


@dataclass(frozen=True, slots=True)
class _Bare:
    """A text without white space, and with plain quotation marks and dashes: where each is from."""

    text: str
    starts: list[int]
    ends: list[int]

    @classmethod
    def principal_of(cls, text: str) -> _Bare:
        from fourcorners.text.normalisation import normalise_text

        view = normalise_text(text)
        visible = [at for at, character in enumerate(view.text) if not character.isspace()]
        return cls(
            "".join(view.text[at] for at in visible),
            [view.offsets[at] for at in visible],
            [view.ends[at] for at in visible],
        )

    def find(self, excerpt: str) -> tuple[Span, ...]:
        """Return the places of an excerpt's parts, in order; none if one is missing or doubtful."""
        spans: list[Span] = []
        at = 0
        for part in _OMITTED.split(_PAGES.sub("", excerpt)):
            words = _Bare.principal_of(part).text
            if not words:
                continue
            start = self.text.find(words, at)
            at = start + len(words)
            if start < 0 or self.text.find(words, at) >= 0:
                return ()
            spans.append(Span(self.starts[start], self.ends[at - 1]))
        return tuple(spans)


def _privacy_qa(path: Path, left: Counter[str]) -> Iterator[Source]:
    """Read PrivacyQA's table: the segments of a policy, a line each, are its text.

    A segment answers if at least half of the annotators who judged it say so.
    """
    segments: dict[str, dict[int, str]] = {}
    relevant: dict[str, dict[str, list[int]]] = {}
    silent: set[tuple[str, str]] = set()
    for row in _rows(path, "\t", _PRIVACY_QA):
        policy = row["DocID"].split("_")[0].strip()
        number = row["SentID"].rpartition("_")[2]
        if not number.isdecimal():
            raise ConfigError(f"{path} is not of PrivacyQA's form: a SentID is {row['SentID']!r}.")
        segment, question = int(number), row["Query"].strip()
        segments.setdefault(policy, {})[segment] = row["Segment"]
        judged = [row.get(f"Ann{at}") or "" for at in range(1, _ANNOTATORS + 1)]
        verdict_words = [word.strip().casefold() for word in judged]
        for_it, against = verdict_words.count("relevant"), verdict_words.count("irrelevant")
        found = relevant.setdefault(policy, {}).setdefault(question, [])
        if len(verdict_words) - for_it - against > _MOST_SILENT:
            silent.add((policy, question))
        elif for_it and for_it >= against:
            found.append(segment)
    left["questions that annotators left open"] += len(silent)
    for policy, parts in segments.items():
        text, spans = _lined(parts)
        annotated = {
            question: tuple(spans[at] for at in found)
            for question, found in relevant[policy].items()
            if (policy, question) not in silent
        }
        yield Source(
            f"{_UNSAFE.sub('_', policy)}.txt", text, annotated, f"“{policy}”'s privacy policy"
        )


def _lined(parts: Mapping[int, str]) -> tuple[str, dict[int, Span]]:
    """Return segments, a line each, in order of their numbers, and the place of each."""
    text = ""
    spans: dict[int, Span] = {}
    for number in sorted(parts):
        spans[number] = Span(len(text), len(text) + len(parts[number]))
        text += parts[number] + "\n"
    return text, spans


def _rows(path: Path, delimiter: str, needed: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a table that must have some columns; a cell that is missing is empty."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file, delimiter=delimiter, restval="")
            rows = list(table)
    except (OSError, ValueError, csv.Error) as error:
        raise ConfigError(f"{path} cannot be read: {error}.") from error
    missing = [name for name in needed if name not in (table.fieldnames or ())]
    if missing:
        raise ConfigError(
            f"{path} has no column {missing[0]!r}.", remedy=f"It must have: {', '.join(needed)}."
        )
    return [{name: row[name] for name in row if isinstance(row[name], str)} for row in rows]


_SOURCES: Mapping[str, Callable[[Path, Counter[str]], Iterator[Source]]] = {
    "cuad": _cuad,
    "contractnli": _contractnli,
    "maud": _maud,
    "privacy_qa": _privacy_qa,
}
