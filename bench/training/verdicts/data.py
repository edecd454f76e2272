"""What verdicts are learned from: labelled clauses, settled, with what each question may answer.

A label is settled where two readers agree, or a third agrees with one of them; what only one has
read is learned from and not judged on. Invented clauses are learned from only. An answer that names
a party or a figure is one of the clause's mentions.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fourcorners.models.verdict_reader.clause import MarkedClause, MentionKind
from fourcorners.models.verdict_reader.features import NO_MENTION
from fourcorners.models.verdict_reader.reader import IS, Head
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.read import read_card
from fourcorners.review.mentions import MentionFinder
from fourcorners.review.people.labelled_clauses import mention_answer
from fourcorners.text.span import Span
from fourcorners_bench.outline.references import text_document
from training.common.blind import load_contracts
from training.verdicts.labels import READERS, THIRD
from training.verdicts.sample import SEED, load_attributes

HERE = Path(__file__).parent
FOLDS = 5
JUDGED_FOLD = 0  # that the reader learns nothing from
OUT_OF_FOLD = "transformer.pickle"  # what the transformer says out of fold, in the folder of a run
UNCLEAR = "unclear"  # to a reader of a label
NO_FOLD = -1  # of what is learned from in every fold: invented clauses
GROUPS = {
    f"{provision}.{question}": group
    for group, named in {
        "who must": {
            "assignment": "restricted",
            "exclusivity": "bound",
            "minimum-commitment": "bound",
            "insurance": "bound",
            "most-favoured-nation": "bound",
            "non-compete": "bound",
            "non-solicitation": "bound",
            "right-of-first-refusal": "granted-by",
            "licence-grant": "licensor",
        },
        "who may": {
            "termination-for-convenience": "who",
            "audit-rights": "who",
            "change-of-control": "may-act",
            "right-of-first-refusal": "holder",
            "licence-grant": "licensee",
            "most-favoured-nation": "benefits",
            "assignment": "free-party",
        },
        "of whom": {
            "audit-rights": "audited",
            "change-of-control": "whose",
            "cap-on-liability": "protects",
        },
    }.items()
    for provision, question in named.items()
}
"""Questions of a party that mean alike: what is learned of one is learned of the others."""
_MARKED = re.compile("⟦(.*)⟧", re.DOTALL)
_KINDS = {"party": MentionKind.PARTY, "duration": MentionKind.DURATION, "date": MentionKind.DATE}


@dataclass(slots=True)
class Example:
    """A labelled clause: `answers` by question, of which those in `settled` can be judged on."""

    id: str
    provision: str
    fold: int
    clause: MarkedClause
    answers: dict[str, str]
    settled: set[str] = field(default_factory=set)


def load_heads() -> list[Head]:
    """Return the questions of all provisions, in the order of the guide; `is` comes first."""
    found = []
    for provision, guide in load_attributes().items():
        silent = frozenset(("no", "related"))
        found.append(Head(provision, IS, None, "", ("yes", "no", "related"), silent, None))
        for name, attribute in guide["attributes"].items():
            options = tuple(attribute.get("options", ()))
            kind = None if options else _kind(attribute)
            known_options = attribute.get("options", {})
            silent = frozenset((NO_MENTION, *(each for each in options if not known_options[each])))
            question = question_id(name)
            group = GROUPS.get(f"{provision}.{question}", "")
            found.append(Head(provision, question, kind, group, options, silent, None))
    return found


def _kind(attribute: Mapping[str, Any]) -> MentionKind:
    return _KINDS.get(attribute.get("value", attribute.get("span")), MentionKind.AMOUNT)


def load_examples(data: Path) -> list[Example]:
    """Return the labelled clauses of all contracts but the blind ones, then the invented ones."""
    guides = load_attributes()
    texts = {each["name"]: each["text"] for each in load_contracts(data)}
    finders: dict[str, MentionFinder] = {}
    sampled = _lines(HERE / "sample.jsonl")
    folds = group_folds()
    examples = []
    for row in _lines(HERE / "labels.jsonl").values():
        place = sampled[row["id"]]
        name = place["name"]
        if (text := texts.get(name)) is None:
            continue
        if name not in finders:
            document = text_document(name, text)
            finders[name] = MentionFinder(text, read_card(document, build_outline(document)))
        clause = _mark_clause(text, Span(*place["clause"]), Span(*place["span"]), finders[name])
        answers, settled = settle(row, guides[place["provision"]]["attributes"], clause)
        if answers:
            fold = folds[place["group"]]
            examples.append(Example(row["id"], place["provision"], fold, clause, answers, settled))
    return examples + list(invented(guides))


def group_folds() -> dict[str, int]:
    """Return the fold of each group of contracts that has labelled clauses."""
    groups = sorted({each["group"] for each in _lines(HERE / "sample.jsonl").values()})
    random.Random(SEED).shuffle(groups)
    return {group: at % FOLDS for at, group in enumerate(groups)}


def invented(guides: Mapping[str, Any]) -> Iterator[Example]:
    """Yield the invented clauses: their words are in the file, the marked ones in ⟦ ⟧."""
    for at, row in enumerate((HERE / "invented.jsonl").read_text("utf-8").splitlines()):
        each = json.loads(row)
        marked = _MARKED.search(each["text"])
        if marked is None:
            continue
        text = each["text"].replace("⟦", "").replace("⟧", "")
        span = Span(marked.start(), marked.start() + len(marked[1]))
        clause = _mark_clause(text, Span(0, len(text)), span, MentionFinder(text, Card()))
        guide = guides[each["provision"]]["attributes"]
        labels = _reader_answers({"is": each["is"], **_locate_answers(each, text, guide)}, guide)
        answers = _answers(labels, guide, clause)
        yield Example(f"invented-{at}", each["provision"], NO_FOLD, clause, answers)


def settle(
    row: Mapping[str, Any], guide: Mapping[str, Any], clause: MarkedClause
) -> tuple[dict[str, str], set[str]]:
    """Return the answers on which the readers of a clause agree, and which are settled."""
    given = [row[each] for each in (*READERS, THIRD) if each in row]
    read = [_answers(_reader_answers(each, guide), guide, clause) for each in given]
    verdict, is_settled = _majority([each[IS] for each in read])
    if verdict in (None, UNCLEAR):
        return {}, set()
    answers, settled = {IS: str(verdict)}, {IS} if is_settled else set()
    for question in map(question_id, guide if verdict != "no" else ()):
        same = [each[question] for each in read if question in each]
        answer, is_settled = _majority(same) if same else (None, False)
        if answer not in (None, UNCLEAR):
            answers[question] = str(answer)
            settled |= {question} if is_settled else set()
    return answers, settled


def _majority(given: Sequence[str]) -> tuple[str | None, bool]:
    """Return what most say, and whether at least two do; None where they are at odds."""
    answer, count = Counter(given).most_common(1)[0]
    return (None, False) if count < 2 <= len(given) else (answer, count >= 2)


def _reader_answers(reader_labels: Mapping[str, Any], guide: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reader's labels with what was left out: silence, `no`, or nothing mentioned."""
    if reader_labels["is"] == "no":
        return {"is": "no"}
    labels = {"is": reader_labels["is"]}
    for name, attribute in guide.items():
        options = attribute.get("options")
        left_out = next((each for each in ("silent", "no") if options and each in options), None)
        value = reader_labels.get(name, left_out if options else NO_MENTION)
        if value is not None:
            labels[name] = value
    return labels


def _locate_answers(each: Mapping[str, Any], text: str, guide: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels of an invented clause with places for the words of parties and amounts."""
    labels: dict[str, Any] = {}
    for name, value in (each.get("labels") or {}).items():
        if name not in guide:
            continue
        if "span" in guide[name] and value not in ("both", "neither", UNCLEAR):
            places = [(text.find(part), len(part)) for part in str(value).split("; ")]
            labels[name] = [[at, at + size] for at, size in places if at >= 0] or UNCLEAR
        else:
            labels[name] = value
    return {name: value for name, value in labels.items() if value != UNCLEAR}


def question_id(name: str) -> str:
    """Return the id of the playbook's question that labels call by a name."""
    return name.replace("_", "-")


def _answers(
    labels: Mapping[str, Any], guide: Mapping[str, Any], clause: MarkedClause
) -> dict[str, str]:
    return {question_id(key): _answer(key, value, guide, clause) for key, value in labels.items()}


def _answer(
    name: str, value: str | list[list[int]], guide: Mapping[str, Any], clause: MarkedClause
) -> str:
    """Return a label as an answer of its question: an option, a mention's key, or `UNLISTED`."""
    if name == IS or "options" in guide[name] or value == UNCLEAR:
        return str(value)
    return mention_answer(_kind(guide[name]), value, clause)


def _mark_clause(text: str, clause: Span, marked: Span, finder: MentionFinder) -> MarkedClause:
    return MarkedClause(text, clause, marked, finder.find(clause))


def _lines(path: Path) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in map(json.loads, path.open(encoding="utf-8"))}


def load_contrary() -> Iterator[Example]:
    """Yield the contrary clauses, which are judged on only; their answers are what is wrong."""
    for at, row in enumerate((HERE / "contrary.jsonl").read_text("utf-8").splitlines()):
        each = json.loads(row)
        whole = Span(0, len(each["text"]))
        clause = _mark_clause(each["text"], whole, whole, MentionFinder(each["text"], Card()))
        yield Example(f"contrary-{at}", each["provision"], NO_FOLD, clause, {})
