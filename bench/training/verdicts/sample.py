"""Draw the clauses that readers label: what lawyers marked of each provision, and look-alikes.

`python -m training.verdicts.sample --data DIR/cuad --out sample.jsonl` writes a line a clause:
`id` (made of its place, so that it tells nothing of the order of drawing), `provision`, the
contract's `name` and `group`, the marked `span`, the `clause` around it, a `hash` of the marked
words, and whether lawyers `marked` it. `--batches DIR` writes the same with its words for readers,
in an order of each reader's own. Two sets of contracts are left out, with all that share their
groups: they are for trials that nothing has learned from.

`--review review.json` (`fourcorners review --json` of contracts) adds to the sample that is there
what the program itself quotes, right or wrong, of the same groups, for one reader: up to `QUOTED`
of a provision, if no clause of the sample has most of its words, each with the probability with
which it was `found`. The blind contracts are left out.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from fourcorners.playbooks import RiskQuestion, load_playbook
from fourcorners.review.risk.clauses import CLAUSE, clause_around
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

HERE = Path(__file__).parent
PLAYBOOK = "due-diligence"
SEED = 20261124
TRIAL = 12  # contracts of one blind trial
MARKED = 120  # clauses of a provision that lawyers marked, at most
MORE = 400  # clauses of a provision that lawyers marked, beyond those, which one reader reads
LOOK_ALIKES = 50  # clauses of a provision that look like it
QUOTED = 530  # quotes of a provision, at most
KNOWN = 0.6  # of the longer span, what two have in common from which on they are one
BATCH = 20  # clauses that a reader reads at once


def load_attributes() -> dict[str, Any]:
    """Read what each provision is labelled for: its guide, with the playbook's questions."""
    guides = dict(yaml.safe_load((HERE / "attributes.yaml").read_text("utf-8"))["provisions"])
    playbook = load_playbook(PLAYBOOK)
    for provision, guide in guides.items():
        never_silent = guide.pop("never_silent", ())
        asked = {
            each.id.replace("-", "_"): each
            for each in playbook.provision(provision).questions
            if each.answer != "text" or each.says
        }
        guide["attributes"] = {
            name: _attribute(question, may_be_silent=name not in never_silent)
            for name, question in asked.items()
        }
    return guides


def _attribute(question: RiskQuestion, *, may_be_silent: bool) -> dict[str, Any]:
    if question.options:
        silent = {"silent": ""} if may_be_silent else {}
        return {"ask": question.question, "options": {**question.options, **silent}}
    if question.answer in ("date", "duration"):
        return {"ask": question.question, "value": question.answer}
    return {"ask": question.question, "span": "party" if question.answer == "party" else "words"}


def load_contracts(data: Path) -> list[dict[str, Any]]:
    """Read the annotated contracts with their texts, in order of their names."""
    lines = (data / "annotations.jsonl").read_text("utf-8").splitlines()
    contracts = sorted(map(json.loads, lines), key=lambda each: each["name"])
    for each in contracts:
        with (data / "contracts" / each["name"]).open(encoding="utf-8", newline="") as file:
            each["text"] = file.read()
    return contracts


def trial_groups(contracts: list[dict[str, Any]], trials: int = 2) -> list[list[str]]:
    """Return the groups of each blind trial; a trial takes one contract of each."""
    groups = sorted({each["group"] for each in contracts})
    random.Random(SEED).shuffle(groups)
    return [groups[at * TRIAL : (at + 1) * TRIAL] for at in range(trials)]


def marked_clauses(contract: dict[str, Any], categories: list[str]) -> Iterator[Span]:
    """Yield what lawyers marked of categories: whole sentences, near ones joined."""
    spans = sorted(Span(*each) for name in categories for each in contract["annotations"][name])
    sentences = contract["sentences"]
    starts = [each.start for each in sentences]
    joined: list[Span] = []
    for span in spans:
        first = sentences[max(bisect_right(starts, span.start) - 1, 0)]
        last = sentences[max(bisect_right(starts, span.end - 1) - 1, 0)]
        whole = Span(min(first.start, span.start), max(last.end, span.end))
        if joined and whole.start - joined[-1].end < 40 and whole.end - joined[-1].start < CLAUSE:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, whole.end))
        elif not joined or whole.start >= joined[-1].end:
            joined.append(whole)
    yield from (each for each in joined if len(each) < 2 * CLAUSE)


def look_alikes(contract: dict[str, Any], categories: list[str], words: str) -> Iterator[Span]:
    """Yield sentences with the words of a provision that no lawyer marked."""
    marked = [Span(*each) for name in categories for each in contract["annotations"][name]]
    pattern = re.compile(words, re.IGNORECASE)
    for sentence in contract["sentences"]:
        is_marked = any(each.overlaps(sentence) for each in marked)
        is_alike = 40 < len(sentence) < CLAUSE and not is_marked
        if is_alike and pattern.search(sentence.text_in(contract["text"])):
            yield sentence


def draw(data: Path) -> Iterator[dict[str, Any]]:
    """Yield the clauses of all provisions, at most one look-alike a contract and provision."""
    contracts = load_contracts(data)
    held = {group for trial in trial_groups(contracts) for group in trial}
    learned = [each for each in contracts if each["group"] not in held]
    for each in learned:
        each["sentences"] = split_sentences(each["text"])
    for provision, guide in load_attributes().items():
        chance = random.Random(f"{SEED} {provision}")
        marked, others = [], []
        for contract in learned:
            spans = list(marked_clauses(contract, guide["categories"]))
            marked += [(contract, span) for span in spans]
            alike = list(look_alikes(contract, guide["categories"], guide["look_alikes"]))
            if alike:
                others.append((contract, chance.choice(alike)))
        chance.shuffle(marked)
        chance.shuffle(others)
        chosen = [(*each, True) for each in marked[:MARKED]]
        chosen += [(*each, False) for each in others[: LOOK_ALIKES + MARKED - len(chosen)]]
        chosen += [(*each, True) for each in marked[MARKED : MARKED + MORE]]
        for contract, span, is_marked in chosen:
            yield _line(contract, provision, span, marked=is_marked)


def draw_quoted(
    contracts: Iterable[Mapping[str, Any]],
    review: Mapping[str, Any],
    sampled: Sequence[Mapping[str, Any]],
) -> Iterator[dict[str, Any]]:
    """Yield quotes of a review of which no clause of the sample has most words; none twice."""
    groups = {each["group"] for each in sampled}
    by_name = {each["name"]: each for each in contracts if each["group"] in groups}
    read = defaultdict(list)
    for each in sampled:
        read[each["name"], each["provision"]].append(Span(*each["span"]))
    names = {each["id"]: each["name"] for each in review["documents"]}
    quotes: dict[str, dict[str, tuple[str, Span, float]]] = defaultdict(dict)
    for finding in review["findings"]:
        name, provision = names[finding["document"]], finding["provision"]
        for evidence in finding["evidence"] if name in by_name else ():
            quote = evidence["quote"]
            span = Span(quote["start"], quote["end"])
            if not any(_is_one(span, other) for other in read[name, provision]):
                words = " ".join(quote["text"].lower().split())
                quotes[provision].setdefault(words, (name, span, evidence["score"]))
    for provision, own in quotes.items():
        chosen = list(own.values())
        random.Random(f"{SEED} {provision}").shuffle(chosen)
        for name, span, found in chosen[:QUOTED]:
            yield {**_line(by_name[name], provision, span, marked=False), "found": found}


def _is_one(span: Span, other: Span) -> bool:
    common = span.intersection(other)
    return common is not None and len(common) > KNOWN * max(len(span), len(other))


def _line(
    contract: Mapping[str, Any], provision: str, span: Span, *, marked: bool
) -> dict[str, Any]:
    text = contract["text"]
    words, clause = span.text_in(text), clause_around(text, span)
    place = f"{contract['name']} {span.start} {span.end}"
    return {
        "id": f"{provision}-{sha256(place.encode()).hexdigest()[:6]}",
        "provision": provision,
        "name": contract["name"],
        "group": contract["group"],
        "span": [span.start, span.end],
        "clause": [clause.start, clause.end],
        "hash": sha256(words.encode()).hexdigest()[:16],
        "marked": marked,
        "words": f"{text[clause.start : span.start]}⟦{words}⟧{text[span.end : clause.end]}",
    }


def write_batches(clauses: list[dict[str, Any]], folder: Path, readers: int = 2) -> None:
    """Write what readers read: batches of one provision, in an order of each reader's own."""
    by_provision = defaultdict(list)
    for each in clauses:
        by_provision[each["provision"]].append(each)
    for reader in range(1, readers + 1):
        for provision, own in by_provision.items():
            random.Random(f"{SEED} {reader} {provision}").shuffle(own)
            for at in range(0, len(own), BATCH):
                path = folder / f"reader-{reader}" / f"{provision}-{at // BATCH:02}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                parts = (
                    f"### {each['id']}\n{each['words'].strip()}\n" for each in own[at : at + BATCH]
                )
                path.write_text("\n".join(parts), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--batches", type=Path)
    parser.add_argument("--review", type=Path)
    options = parser.parse_args()
    if options.review:
        sampled = list(map(json.loads, options.out.read_text("utf-8").splitlines()))
        review = json.loads(options.review.read_text("utf-8"))
        from training.common.blind import load_contracts as load_learned  # which reads this module

        clauses = list(draw_quoted(load_learned(options.data), review, sampled))
    else:
        clauses = list(draw(options.data))
    if options.batches:
        write_batches(clauses, options.batches, readers=1 if options.review else 2)
    with options.out.open("a" if options.review else "w", encoding="utf-8") as file:
        for each in clauses:
            file.write(json.dumps({k: v for k, v in each.items() if k != "words"}) + "\n")


if __name__ == "__main__":
    main()
