"""Real clauses with the questions of `questions.jsonl`, answered by readers: lessons by place.

    python -m training.lessons.clauses draw --data DIR --batches BATCHES
    python -m training.lessons.clauses disputes --data DIR --batches BATCHES --readings READINGS
    python -m training.lessons.clauses settle --data DIR --batches BATCHES --readings READINGS
    python -m training.lessons.clauses agreement

The first draws clauses that lawyers marked of each provision, and paragraphs next to some of them,
of contracts that may be learned from, and writes what readers read. The second writes what two
readers dispute, for a third. `settle` puts all readings together and writes `clauses.jsonl`: places
and answers, and no words of a contract. The last prints how far the two agree.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from fourcorners.review.risk.clauses import clause_around
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from training.common.blind import load_contracts
from training.verdicts.labels import kappa
from training.verdicts.sample import marked_clauses

HERE = Path(__file__).parent
QUESTIONS, CLAUSES = HERE / "questions.jsonl", HERE / "clauses.jsonl"
CATEGORIES = HERE.parents[1] / "src/fourcorners_bench/categories.json"
SEED = 20261128
MARKED, NEXT_TO = 34, 6  # clauses of a provision
BATCH = 20
LEAST = 60  # characters of a clause
LETTERS = {"y": "yes", "n": "no", "d": "depends", "o": "none"}
BOTH, NOBODY = "both", "-"
Answers = Mapping[str, str]  # the answer to each question: a1, a2, … and w1, w2 for parties
SUBJECTS = {
    "Confidentiality of Agreement": "confidentiality-of-agreement",
    "Explicit identification": "explicit-identification",
    "Inclusion of verbally conveyed information": "oral-information",
    "Limited use": "limited-use",
    "No licensing": "no-licence",
    "No reverse engineering": "no-reverse-engineering",
    "None-inclusion of non-technical information": "technical-information-only",
    "Notice on compelled disclosure": "compelled-disclosure",
    "Permissible acquirement of similar information": "information-from-third-parties",
    "Permissible copy": "permitted-copies",
    "Permissible development of similar information": "independent-development",
    "Permissible post-agreement possession": "retention",
    "Return of confidential information": "return-or-destruction",
    "Sharing with employees": "sharing-with-employees",
    "Sharing with third-parties": "sharing-with-third-parties",
    "Survival of obligations": "survival",
}


@dataclass(frozen=True, slots=True)
class RealClause:
    """A clause by its place: of a contract of CUAD, or of a row of ContractNLI."""

    id: str
    provision: str
    name: str
    start: int
    end: int
    words: str


def read_questions() -> dict[str, Any]:
    """Return the questions of each provision: `asks` (yes or no) and `whose` (a party).

    `dropped` are those that turned out too unclear to be lessons.
    """
    rows = map(json.loads, QUESTIONS.read_text("utf-8").splitlines())
    return {row.pop("provision"): row for row in rows}


def read_nda_rows(contractnli: Path) -> list[dict[str, str]]:
    """Return the rows of ContractNLI's training split: evidence, hypothesis and label."""
    with (contractnli / "train_spans.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def draw(data: Path) -> Iterator[RealClause]:
    """Yield clauses of each provision, the same for each run."""
    wanted = read_questions()
    categories = json.loads(CATEGORIES.read_text("utf-8"))["categories"]
    contracts = load_contracts(data / "cuad")
    for each in contracts:
        each["sentences"] = split_sentences(each["text"])
    for category, (_, provision) in categories.items():
        if provision not in wanted:
            continue
        chance = random.Random(f"{SEED} {provision}")
        marked = [
            (contract, span)
            for contract in contracts
            for span in marked_clauses(contract, [category])
        ]
        chance.shuffle(marked)
        places = [
            (contract, clause_around(contract["text"], span)) for contract, span in marked[:MARKED]
        ]
        for contract, span in marked[MARKED : MARKED + NEXT_TO]:
            after = clause_around(contract["text"], span).end
            places.append((contract, _paragraph(contract["text"], after)))
        for contract, span in places:
            if len(span) > LEAST:
                yield _of_contract(provision, contract, span)
    yield from _of_nda(data, wanted)


def _paragraph(text: str, after: int) -> Span:
    """Return the paragraph behind a place."""
    start = after + len(text[after:]) - len(text[after:].lstrip())
    end = text.find("\n\n", start)
    return Span(start, min(start + 1_200, len(text) if end < 0 else end))


def _of_contract(provision: str, contract: Mapping[str, Any], span: Span) -> RealClause:
    words = span.text_in(contract["text"])
    start = span.start + len(words) - len(words.lstrip())
    words = words.strip()
    place = sha256(f"{contract['name']} {start} {len(words)}".encode()).hexdigest()[:6]
    return RealClause(
        f"{provision}-{place}", provision, contract["name"], start, start + len(words), words
    )


def _of_nda(data: Path, wanted: Mapping[str, Any]) -> Iterator[RealClause]:
    labels = json.loads((data / "contractnli/dev.json").read_text("utf-8"))["labels"]
    names = {each["hypothesis"]: each["short_description"] for each in labels.values()}
    rows = defaultdict(list)
    for number, row in enumerate(read_nda_rows(data / "contractnli")):
        text = row["concatenated_spans"].strip()
        if row["label"] != "2" and LEAST < len(text) < 1_600:
            provision = SUBJECTS.get(names[row["hypothesis"]], "")
            rows[provision].append((number, text))
    for provision in sorted(set(rows) & set(wanted)):
        random.Random(f"{SEED} {provision}").shuffle(rows[provision])
        for number, text in rows[provision][:MARKED]:
            yield RealClause(f"{provision}-{number}", provision, str(number), 0, len(text), text)


def write_batches(clauses: list[RealClause], folder: Path) -> None:
    """Write what readers read: the questions of a provision, and some of its clauses."""
    wanted = read_questions()
    by_provision = defaultdict(list)
    for each in clauses:
        by_provision[each.provision].append(each)
    folder.mkdir(parents=True, exist_ok=True)
    for provision, own in by_provision.items():
        random.Random(f"{SEED} {provision}").shuffle(own)
        for at in range(0, len(own), BATCH):
            asked = wanted[provision]
            lines = [f"# {provision}"]
            for kind in ("asks", "whose"):
                lines += [f"{kind} {n}: {each}" for n, each in enumerate(asked[kind], 1)]
            for each in own[at : at + BATCH]:
                lines += [f"\n### {each.id}", each.words]
            name = f"{provision}-{at // BATCH + 1}.txt"
            (folder / name).write_text("\n".join(lines) + "\n", "utf-8")


def read_readings(folder: Path) -> dict[str, Answers]:
    """Return what a reader said of each clause.

    A line is `ID | yndo… | party | party`; of disputes, `ID | a3=y | w1=Supplier`.
    """
    found: dict[str, Answers] = {}
    for path in sorted(folder.glob("*.txt")):
        for line in filter(str.strip, path.read_text("utf-8").splitlines()):
            identity, *parts = (part.strip() for part in line.split("|"))
            if all("=" in part for part in parts):
                found[identity] = dict(part.split("=", 1) for part in parts)
            else:
                letters, *parties = parts
                found[identity] = {
                    **{f"a{n}": each for n, each in enumerate(letters, 1)},
                    **{f"w{n}": each for n, each in enumerate(parties, 1)},
                }
    return found


def disputed(one: Answers, other: Answers) -> list[str]:
    """Return the questions that two readers answer differently."""
    return [key for key in one if _fold(one[key]) != _fold(other[key])]


def _fold(reply: str) -> str:
    return re.sub(r"^(?:the|each|either) | party$", "", reply.casefold())


def write_disputes(clauses: list[RealClause], readings: list[dict[str, Answers]], to: Path) -> None:
    """Write what a third reader decides, without what the two said."""
    wanted = read_questions()
    lines = []
    for each in clauses:
        keys = disputed(readings[0][each.id], readings[1][each.id])
        if keys:
            asked = wanted[each.provision]
            lines += [f"\n### {each.id}", each.words]
            for key in keys:
                kind = "asks" if key[0] == "a" else "whose"
                lines.append(f"{key}: {asked[kind][int(key[1:]) - 1]}")
    to.write_text("\n".join(lines) + "\n", "utf-8")


def settle(clause: RealClause, readings: Sequence[Answers]) -> dict[str, Any]:
    """Return the answers that two of three readers gave.

    A party is its place in the clause (start, length), `both`, or `-` for nobody.
    """
    settled: dict[str, Any] = {}
    for key, first in readings[0].items():
        reply = [first, *(each[key] for each in readings[1:] if key in each)]
        counted = Counter(map(_fold, reply)).most_common(1)[0]
        agreed = next(each for each in reply if _fold(each) == counted[0])
        place = clause.words.casefold().find(agreed.casefold())
        if counted[1] < 2:
            continue
        if key[0] == "a" or agreed in (BOTH, NOBODY):
            settled[key] = LETTERS.get(agreed, agreed)
        elif place >= 0:
            settled[key] = [place, len(agreed)]
    return settled


def print_agreement() -> None:
    """Print how far the two readers agree, of answers and of parties."""
    rows = [json.loads(line) for line in CLAUSES.read_text("utf-8").splitlines()]
    pairs = [pair for row in rows for pair in zip(*row["letters"], strict=True)]
    value, agreed, count = kappa(pairs)
    print(f"answers: {count:,} pairs, {agreed:.3f} alike, kappa {value:.3f}")
    same = [each for row in rows for each in row["same_parties"]]
    print(f"parties: {len(same):,} pairs, {sum(same) / len(same):.3f} alike")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("draw", "disputes", "settle", "agreement"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--batches", type=Path)
    parser.add_argument("--readings", type=Path)
    given = parser.parse_args()
    if given.step == "agreement":
        print_agreement()
        return
    clauses = list({each.id: each for each in draw(given.data)}.values())
    if given.step == "draw":
        write_batches(clauses, given.batches)
        print(f"{len(clauses)} clauses of {len({each.provision for each in clauses})} provisions")
        return
    readings = [read_readings(given.readings / each) for each in ("one", "two")]
    if given.step == "disputes":
        write_disputes(clauses, readings, given.batches / "disputes.txt")
        return
    third = read_readings(given.readings / "three")
    wanted = read_questions()
    with CLAUSES.open("w", encoding="utf-8") as file:
        for each in clauses:
            dropped = wanted[each.provision].get("dropped", ())
            reply = [readings[0][each.id], readings[1][each.id], third.get(each.id, {})]
            reply = [{k: v for k, v in own.items() if k not in dropped} for own in reply]
            row: dict[str, Any] = {"id": each.id, "provision": each.provision, "name": each.name}
            row |= {
                "span": [each.start, each.end],
                "hash": sha256(each.words.encode()).hexdigest()[:16],
                "answers": settle(each, reply),
                "letters": ["".join(_of_kind(own, "a")) for own in reply[:2]],
                "same_parties": [
                    _fold(one) == _fold(two)
                    for one, two in zip(*(_of_kind(own, "w") for own in reply[:2]), strict=True)
                ],
            }
            file.write(json.dumps(row) + "\n")
    print_agreement()


def _of_kind(replies: Answers, kind: str) -> list[str]:
    return [reply for key, reply in replies.items() if key[0] == kind]


if __name__ == "__main__":
    main()
