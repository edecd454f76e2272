"""What the checks of a report's statements are worth: `python -m training.statements.measure`.

Three kinds of pairs of words of a contract and a statement are judged: the project's own
(`pairs.yaml`); those that lawyers labelled in ContractNLI (`train_spans.csv`); and sentences of
CUAD, as they are, with one word turned round or the one denial moved to another verb, where the
statement is false, and in nearly the same words.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from fourcorners.models.entailment.model import load_entailment
from fourcorners.models.entailment.spans import split_items
from fourcorners.research.agents.figures import find_figures, unknown_figures
from fourcorners.research.agents.statement_check import check_quotes, compare_direction
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from training.verdicts.sample import trial_groups

PAIRS = Path(__file__).with_name("pairs.yaml")
TURNS = (
    (r"\bshall not\b", "may"),
    (r"\bmay not\b", "may"),
    (r"\bshall\b(?! not)", "shall not"),
    (r"\bmay\b(?! not)", "may not"),
    (r"\bmust\b(?! not)", "must not"),
    (r"\bwill\b(?! not)", "will not"),
    (r"\bis not\b", "is"),
    (r"\bEither party\b", "Neither party"),
    (r"\bNeither party\b", "Either party"),
    (r"\bright\b", "perpetual right"),
    (r"\bnotice\b", "oral notice"),
    (r"\b30 days\b|\bthirty \(30\) days\b", "60 days"),
)
NEARLY = (
    (r"\bshall not\b", "may not"),
    (r"\b[Tt]his (Agreement|Lease|License)\b", r"the \1"),
    (r"\s*\([^()]*\)", ""),
)
DENIAL = re.compile(r"\b(?:not|nor?|neither|never|none|cannot|nothing)\b|n['’]t\b", re.IGNORECASE)
VERB = re.compile(
    r"\b(?:shall|may|must|will|can|should|would|is|are|was|were|has|have|does|do)\b"
    r"(?P<not> not\b)?",
    re.IGNORECASE,
)
LEAST, MOST = 8, 40  # words of a sentence that is turned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    model = load_entailment()
    labels: Counter[tuple[str, str]] = Counter()
    checks: Counter[tuple[str, str]] = Counter()
    for kind, words, statement in own_pairs():
        spans = split_items(words, [Span(0, len(words))])
        labels[kind, model.judge(words, spans, [statement])[0].label.value] += 1
        checks[kind, _standing(statement, words)] += 1
    _print("own pairs, the entailment model", labels)
    _print("own pairs, the whole check", checks)
    with (data / "contractnli" / "train_spans.csv").open(encoding="utf-8") as file:
        names = {"0": "entailment", "1": "contradiction", "2": "not mentioned"}
        found = Counter(
            (
                names[row["label"]],
                compare_direction(row["hypothesis"], row["concatenated_spans"]).value,
            )
            for row in csv.DictReader(file)
        )
    _print("ContractNLI, the direction alone", found)
    _print("CUAD, sentences as they are and turned round", Counter(turned_pairs(data / "cuad")))
    _print("CUAD, sentences with one denial, the direction", Counter(denials(data / "cuad")))


def own_pairs() -> Iterator[tuple[str, str, str]]:
    for pairs in yaml.safe_load(PAIRS.read_text("utf-8")).values():
        for pair in pairs:
            for kind in ("supported", "opposite", "unrelated"):
                yield kind, pair["quote"], pair[kind]


def turned_pairs(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield how true and turned sentences fare by figures and direction."""
    for words in sentences(folder):
        for pattern, instead in TURNS:
            turned = re.sub(pattern, instead, words, count=1)
            if turned != words:
                yield "true", _direction(words, words)
                yield "turned", _direction(turned, words)
                break


def denials(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield how sentences that deny one thing fare: as they are, nearly so, and turned."""
    for words in sentences(folder):
        if len(DENIAL.findall(words)) != 1:
            continue
        yield "as it is", _direction(words, words)
        near = words
        for pattern, instead in NEARLY:
            near = re.sub(pattern, instead, near)
        if near != words and DENIAL.search(near):
            yield "nearly so", _direction(near, words)
        for moved in move_denial(words):
            yield "denial moved", _direction(moved, words)


def move_denial(words: str) -> Iterator[str]:
    """Yield a sentence with its one "not" after each of its other verbs."""
    verbs = list(VERB.finditer(words))
    for denied in (each for each in verbs if each["not"]):
        start, end = denied.span("not")
        for other in (each for each in verbs if each is not denied):
            at = other.end()
            if at > start:
                yield f"{words[:start]}{words[end:at]} not{words[at:]}"
            else:
                yield f"{words[:at]} not{words[at:start]}{words[end:]}"


def sentences(folder: Path) -> Iterator[str]:
    """Yield the sentences of contracts that the check was not made with."""
    lines = (folder / "annotations.jsonl").read_text("utf-8").splitlines()
    contracts = [json.loads(line) for line in lines]
    left_out = {group for trial in trial_groups(contracts) for group in trial}
    for contract in contracts:
        if contract["group"] in left_out:
            continue
        text = (folder / "contracts" / contract["name"]).read_text("utf-8")
        for span in split_sentences(text, Span(0, len(text))):
            words = " ".join(span.text_in(text).split())
            if LEAST <= len(words.split()) <= MOST:
                yield words


def _direction(statement: str, words: str) -> str:
    if unknown_figures(statement, find_figures(words)):
        return "unknown figure"
    return compare_direction(statement, words).value


def _standing(statement: str, words: str) -> str:
    return check_quotes(statement, [words])[0].value


def _print(title: str, found: Counter[tuple[str, str]]) -> None:
    print(title)
    for (kind, outcome), count in sorted(found.items()):
        print(f"  {kind:14} {outcome:14} {count:6}")


if __name__ == "__main__":
    main()
