"""What the teacher learns from, by origin: families, statements, labelled clauses, hypotheses.

Nothing here reads the blind contracts. Of families a tenth is left out; of labelled clauses one
fold by group; of ContractNLI the development documents.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.models.verdict_reader.features import EACH_PARTY, NO_MENTION
from fourcorners.models.verdict_reader.reader import IS
from training.common.blind import load_contracts
from training.lessons.clauses import CLAUSES as READ_CLAUSES
from training.lessons.clauses import read_nda_rows, read_questions
from training.lessons.left_out import is_left_out
from training.lessons.readings import load_families
from training.lessons.statements import Statement, statements
from training.questions.data import texts as contract_texts
from training.reader.data import ANSWERS, BOTH, NOT_YES, UNKNOWN, Asked, Clause, Kind, encode
from training.verdicts.data import (
    JUDGED_FOLD,
    NO_FOLD,
    Example,
    group_folds,
    load_examples,
    question_id,
)
from training.verdicts.sample import load_attributes

READ_PASSAGES = Path(__file__).parents[1] / "lessons/passages.jsonl"
WRITTEN = Path(__file__).parents[1] / "questions/lay_questions.jsonl"
EARLIER = Path(__file__).parents[1] / "questions/families.jsonl"
FAMILIES, STATEMENTS, LABELS, HYPOTHESES = "families", "statements", "labels", "hypotheses"
CLAUSES, RULINGS, PASSAGES = "clauses", "rulings", "passages"
COUNT, JUDGED = 14_000, 600  # sentences with a true and a false statement, to learn and to judge
NTH_HYPOTHESIS = 2  # of ContractNLI's rows: one in so many is learned
AROUND = 350  # characters before and after the marked words
YES, NO, DEPENDS, NONE = range(len(ANSWERS))
_NLI = (YES, NO, NONE)  # of labels 0, 1, 2
_LETTERS = {"y": YES, "n": NO, "d": DEPENDS, "o": NONE, "t": YES, "f": NOT_YES, "s": NONE}
_RELEVANT = {"y": 1.0, "n": 1.0, "d": 1.0, "o": 0.0}  # of questions: whether a passage answers


def all_lessons(
    data: Path | None, tokenizer: Tokenizer
) -> tuple[list[Clause], dict[str, list[Clause]]]:
    """Return what is learned, and by origin what is judged on; families alone without data."""
    clauses = family_clauses(tokenizer)
    if data is not None:
        sentences = statement_clauses(data / "cuad", COUNT + JUDGED, 0, tokenizer)
        clauses += label_clauses(data / "cuad", tokenizer)
        clauses += real_clauses(data, tokenizer)
        clauses += ruling_clauses(data, tokenizer)
        clauses += passage_clauses(data / "cuad", tokenizer)
        clauses += sentences
        clauses += hypothesis_clauses(data / "contractnli", tokenizer)[::NTH_HYPOTHESIS]
    train: list[Clause] = []
    tests: dict[str, list[Clause]] = {}
    for each in clauses:
        own = tests.setdefault(each.origin, []) if each.group == JUDGED_FOLD else train
        own.append(each)
    return train, tests


def family_clauses(tokenizer: Tokenizer) -> list[Clause]:
    """Return the clauses of all families; the group is `JUDGED_FOLD` of those left out."""
    earlier = EARLIER.read_text("utf-8").splitlines()
    return [
        encode(FAMILIES, group, text, list(_family_asked(family, at, text)), tokenizer)
        for number, family in enumerate([*load_families(), *map(json.loads, earlier)], 1)
        for group in [JUDGED_FOLD if is_left_out(family) else number]
        for at, text in enumerate(family["clauses"])
    ]


def _family_asked(family: Mapping[str, Any], at: int, text: str) -> Iterator[Asked]:
    for ask in family["asks"]:
        if ask["a"][at] is not None:
            answer = ANSWERS.index(ask["a"][at])
            yield Asked(Kind.ASK, ask["q"], answer, relevant=float(answer != NONE))
            if "says" in ask:
                yield Asked(Kind.ASK, ask["says"], answer)
    for kind, name, answers in ((Kind.WORDS, "wh", "spans"), (Kind.WHOSE, "whose", "parties")):
        for ask in family.get(name, ()):
            words = ask[answers][at]
            relevant = float(words is not None)
            if words is None or (kind is Kind.WHOSE and words == "both"):
                yield Asked(kind, ask["q"], span=BOTH if words else None, relevant=relevant)
            elif found := re.search(re.escape(words), text, re.IGNORECASE):
                yield Asked(kind, ask["q"], span=found.span(), relevant=relevant)


def statement_clauses(cuad: Path, count: int, seed: int, tokenizer: Tokenizer) -> list[Clause]:
    """Return sentences with statements of them, true and false; the first `JUDGED` are judged."""
    judged, learned = split_statements(cuad, count, seed)
    found = []
    for group, drawn in ((JUDGED_FOLD, judged), (NO_FOLD, learned)):
        for quote, own in drawn:
            asked = [Asked(Kind.ASK, each.words, YES if each.is_true else NOT_YES) for each in own]
            found.append(encode(STATEMENTS, group, quote, asked, tokenizer))
    return found


Sentences = list[tuple[str, list[Statement]]]
"""Sentences with the statements of each."""


def split_statements(
    cuad: Path, count: int = COUNT + JUDGED, seed: int = 0
) -> tuple[Sentences, Sentences]:
    """Return the sentences that are judged and those that are learned, none of them in both."""
    by_quote = groupby(statements(cuad, seed), key=lambda each: each.quote)
    found = [(quote, list(own)) for quote, own in by_quote]
    random.Random(seed).shuffle(found)
    learned = found[JUDGED:count]
    known = {quote for quote, _ in learned}  # contracts share sentences
    return [each for each in found[:JUDGED] if each[0] not in known], learned


def hypothesis_clauses(contractnli: Path, tokenizer: Tokenizer) -> list[Clause]:
    """Return the evidence of ContractNLI's training documents with its hypotheses."""
    return [
        encode(
            HYPOTHESES,
            NO_FOLD,
            " ".join(row["concatenated_spans"].split()),
            [Asked(Kind.ASK, row["hypothesis"], _NLI[int(row["label"])])],
            tokenizer,
        )
        for row in read_nda_rows(contractnli)
    ]


def real_clauses(data: Path, tokenizer: Tokenizer) -> list[Clause]:
    """Return the real clauses with the questions of `lessons/questions.jsonl`, by fold.

    Raises:
        ValueError: If the words at a place are not those that were read.
    """
    contracts = {each["name"]: each for each in load_contracts(data / "cuad")}
    rows, folds = read_nda_rows(data / "contractnli"), group_folds()
    wanted = read_questions()
    found = []
    for row in map(json.loads, READ_CLAUSES.read_text("utf-8").splitlines()):
        contract, number = contracts.get(row["name"]), row["name"]
        text = contract["text"] if contract else rows[int(number)]["concatenated_spans"].strip()
        fold = folds.get(contract["group"], NO_FOLD) if contract else NO_FOLD
        asked = list(_real_asked(row["answers"], wanted[row["provision"]]))
        found.append(encode(CLAUSES, fold, words_at(text, row), asked, tokenizer))
    return found


def _real_asked(
    answers: Mapping[str, Any], questions: Mapping[str, Sequence[str]]
) -> Iterator[Asked]:
    for key, answer in answers.items():
        number = int(key[1:]) - 1
        if key[0] == "a":
            yield Asked(Kind.ASK, questions["asks"][number], ANSWERS.index(answer))
        elif answer in ("both", "-"):
            span = BOTH if answer == "both" else None
            yield Asked(Kind.WHOSE, questions["whose"][number], span=span)
        else:
            start, size = answer
            yield Asked(Kind.WHOSE, questions["whose"][number], span=(start, start + size))


def ruling_clauses(data: Path, tokenizer: Tokenizer) -> list[Clause]:
    """Return the written questions of yes or no, with the sentences that answer or nearly do.

    The group is the fold; questions of the contracts that others are judged on are left out.
    """
    contracts = {each["name"]: each for each in load_contracts(data / "cuad")}
    folds = group_folds()
    held = {name for name, (_, is_held) in contract_texts(data).items() if is_held}
    found = []
    for row in map(json.loads, WRITTEN.read_text("utf-8").splitlines()):
        contract = contracts.get(f"{row['in']}.txt")
        silent = row["kind"] == "silent"
        spans = row.get("near", []) if silent else [*row["needed"], *row.get("near", [])[:1]]
        if contract is None or row["in"] in held or not spans:
            continue
        if not silent and "ruling" not in row:
            continue
        text, fold = contract["text"], folds.get(contract["group"], NO_FOLD)
        words = " ".join(" ".join(text[start:end].split()) for start, end in sorted(spans)[:4])
        answer = NONE if silent else ANSWERS.index(row["ruling"])
        asked = [Asked(Kind.ASK, row["ask"], answer)]
        found.append(encode(RULINGS, fold, words, asked, tokenizer))
    return found


def passage_clauses(cuad: Path, tokenizer: Tokenizer) -> list[Clause]:
    """Return passages with the questions and statements that were written for each, by fold."""
    contracts = {each["name"]: each for each in load_contracts(cuad)}
    folds = group_folds()
    found = []
    for row in map(json.loads, READ_PASSAGES.read_text("utf-8").splitlines()):
        contract = contracts[row["name"]]
        words = words_at(contract["text"], row)
        asked = [
            Asked(Kind.ASK, each[2:], _LETTERS[each[0]], relevant=_RELEVANT.get(each[0], UNKNOWN))
            for each in row["asks"]
        ]
        fold = folds.get(contract["group"], NO_FOLD)
        found.append(encode(PASSAGES, fold, " ".join(words.split()), asked, tokenizer))
    return found


def words_at(text: str, row: Mapping[str, Any]) -> str:
    """Return the words of a contract's text at the place of a row.

    Raises:
        ValueError: If they are not those that were read.
    """
    words = text[slice(*row["span"])]
    if sha256(words.encode()).hexdigest()[:16] != row["hash"]:
        raise ValueError(
            f"{row['name']}, {row['span']}: the words there are not those that were read"
        )
    return words


def label_clauses(cuad: Path, tokenizer: Tokenizer) -> list[Clause]:
    """Return the labelled clauses of `verdicts`; the group is the fold."""
    guides = load_attributes()
    open_names = {each["name"] for each in load_contracts(cuad)}
    sample = Path(__file__).parents[1] / "verdicts/sample.jsonl"
    rows = map(json.loads, sample.read_text("utf-8").splitlines())
    open_ids = {each["id"] for each in rows if each["name"] in open_names}
    return [
        label_clause(example, guides[example.provision], tokenizer)
        for example in load_examples(cuad)
        if example.id in open_ids or example.id.startswith("invented")
    ]


def label_clause(example: Example, guide: Mapping[str, Any], tokenizer: Tokenizer) -> Clause:
    clause = example.clause
    start = max(clause.clause.start, clause.marked.start - AROUND)
    end = min(clause.clause.end, clause.marked.end + AROUND)
    asked = list(label_asked(example.answers, guide, clause, start))
    return encode(LABELS, example.fold, clause.text[start:end], asked, tokenizer)


def label_asked(
    answers: Mapping[str, str], guide: Mapping[str, Any], clause: MarkedClause, start: int
) -> Iterator[Asked]:
    """Yield the questions that a clause is labelled for.

    Each option is one of yes and no, and a question of yes and no is one itself.
    """
    such = {"yes": YES, "related": DEPENDS, "no": NONE}[answers[IS]]
    yield Asked(Kind.ASK, guide["means"], such)
    for name, attribute in guide["attributes"].items():
        answer = answers.get(question_id(name))
        if answer is None:
            continue
        ask = attribute["ask"]
        if options := attribute.get("options"):
            yield from option_asked(ask, options, answer)
            continue
        kind = Kind.WHOSE if attribute.get("span") == "party" else Kind.WORDS
        if answer in (NO_MENTION, EACH_PARTY):
            yield Asked(kind, ask, span=BOTH if answer == EACH_PARTY else None)
            continue
        for mention in clause.mentions:
            if mention.key == answer and mention.span.start >= start:
                yield Asked(kind, ask, span=(mention.span.start - start, mention.span.end - start))
                break


def option_asked(ask: str, options: Mapping[str, str], answer: str) -> Iterator[Asked]:
    """Yield a question with each of its options; one of yes and no alone."""
    silent = not options[answer]
    if set(options) <= {"yes", "no", "silent"}:
        yield Asked(Kind.ASK, ask, NONE if silent else YES if answer == "yes" else NO)
        return
    for option, words in options.items():
        if words:
            right = NONE if silent else YES if option == answer else NO
            yield Asked(Kind.ASK, f"{ask} {words.capitalize()}.", right)
