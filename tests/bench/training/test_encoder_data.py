from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.settings import Settings
from fourcorners.text.span import Span
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import CATEGORIES
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.precedents.loader import AcordQuery, Format
from tests.models.fake import HashEncoder
from training.common.leakage import Judged
from training.encoder.batches import Drawing, Lessons, gather
from training.encoder.data import (
    HELD_FOLD,
    HELD_QUERIES,
    Contract,
    Precedents,
    folded,
    mine,
    overlaps,
    paraphrases,
    read_hypotheses,
    without_held,
)

LAW, INSURANCE = CATEGORIES.index("Governing Law"), CATEGORIES.index("Insurance")
TOWNS = ("Aarhus", "Bergen", "Cadiz", "Dover", "Essen", "Faro", "Ghent", "Hull", "Jena", "Kiel")
GOODS = ("anvils", "boats", "crates", "drums", "easels", "ferns", "gates", "harps", "irons", "jugs")


def asked(name: str, judged: dict[str, int], category: str = "Cap") -> AcordQuery:
    return AcordQuery(name, category, {Format.SHORT: name}, judged)


def test_a_sentence_answers_if_half_of_it_or_of_the_annotation_is_shared() -> None:
    spans = np.array([(0, 100, 0), (100, 200, 0), (200, 300, 1)])
    marks = {"Insurance": (Span(90, 200),), "Governing Law": (Span(210, 220),)}
    answers, touched = overlaps(spans, marks)
    assert answers[:, INSURANCE].tolist() == [False, True, False]
    assert touched[:, INSURANCE].tolist() == [True, True, False]
    assert answers[:, LAW].tolist() == [False, False, True]
    assert not answers[:, CATEGORIES.index("Parties")].any()


def test_near_misses_are_never_touched_by_an_annotation() -> None:
    passages = ((0, 60, ""), (60, 120, "2 Law"), (120, 180, ""), (180, 190, ""))
    touched = np.zeros((3, len(CATEGORIES)), bool)
    touched[1, LAW] = True
    sentences = np.array([(0, 60, 0), (60, 120, 1), (120, 180, 2)])
    contract = Contract("x", 1, "x" * 190, sentences, passages, touched, touched, (), ())
    vectors = np.array([(0.1, 0), (0.9, 0), (0.5, 0), (1, 0)], np.float32)
    found = mine(contract, vectors, np.tile(np.array((1, 0), np.float32), (len(CATEGORIES), 1)))
    assert found[LAW].tolist() == [2, 0, -1, -1]  # the last passage is too short
    assert found[INSURANCE].tolist() == [1, 2, 0, -1]


def test_near_paraphrases_stay_in_one_fold() -> None:
    queries = [asked(name, {}) for name in "abcdef"]
    vectors = np.eye(6, dtype=np.float32)
    vectors[1] = vectors[0]
    group = paraphrases(queries, vectors)
    assert group[0] == group[1]
    assert len(set(group)) == 5
    fold = folded(group)
    assert fold[0] == fold[1]
    assert set(fold) == {0, 1, 2, 3, 4}
    elsewhere = [*queries[:1], asked("b", {}, "Insurance"), *queries[2:]]
    assert len(set(paraphrases(elsewhere, vectors))) == 6


def test_clauses_with_stars_for_a_held_query_are_not_learned_from() -> None:
    text = "{} shall insure the {} in {} against loss by fire flood and theft of every kind"
    clauses = {f"c{at}": text.format(TOWNS[at], GOODS[at], TOWNS[-at]) for at in range(8)}
    clauses["copy"] = clauses["c0"] + " at all times"
    stars = {f"c{at}": at % 3 for at in range(8)}
    precedents = Precedents(
        learned=(asked("learned", {**stars, "copy": 4}), asked("few stars", {"c1": 1, "c3": 0})),
        held=(asked("held", {"c0": 3, "c1": 0}),),
        valid=(asked("valid", {"c2": 1}),),
        clauses={name: words.replace(" shall insure the", " " + " ".join(words.split()[::-1]))
                 if name not in {"c0", "copy"} else words for name, words in clauses.items()},
    )  # fmt: skip
    judged = Judged()
    judged.add([precedents.clauses["c0"]])
    found = without_held(precedents, judged)
    assert [each.id for each, _ in found] == ["learned"]
    assert set(found[0][1]) == {"c1", "c3", "c4", "c5", "c6", "c7"}
    assert judged.dropped == {"acord": 2}


@pytest.fixture
def contractnli(tmp_path: Path) -> Path:
    folder = tmp_path / "contractnli"
    folder.mkdir()
    own = "The Recipient must give back every paper copy within nine days of the end of the talks."
    labels = {
        "nda-1": {"hypothesis": "Papers go back."},
        "nda-2": {"hypothesis": "Copies are fine."},
    }
    dev = {"labels": labels, "documents": [{"id": 1, "text": own, "spans": [[0, 20]]}]}
    folder.joinpath("dev.json").write_text(json.dumps(dev))
    rows = [
        (
            f"{own}\nAll drafts and notes are to be burnt when the project ends.",
            "Papers go back.",
            0,
        ),
        ("Three copies of the plan may be made for the use of the board.", "Copies are fine.", 0),
        ("Three copies of the plan may be made for the use of the board.", "Papers go back.", 1),
        ("This letter is written in French and in Dutch.", "Copies are fine.", 2),
    ]
    with folder.joinpath("train_spans.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["concatenated_spans", "hypothesis", "label"])
        writer.writerows(rows)
    return folder


def test_evidence_of_development_documents_is_not_learned_from(contractnli: Path) -> None:
    judged = Judged()
    dev = json.loads(contractnli.joinpath("dev.json").read_text())
    judged.add(document["text"] for document in dev["documents"])
    found = read_hypotheses(contractnli, {"nda-1": "Do papers go back?"}, judged)
    assert found.wordings == (
        ("Copies are fine.", "Copies are fine."),
        ("Papers go back.", "Do papers go back?"),
    )
    assert [text.split()[0] for text in found.texts] == ["All", "Three", "This"]
    assert found.evidence.tolist() == [[False, True], [True, True], [False, False]]
    assert found.near == ((2,), ())
    assert judged.dropped == {"contractnli": 1}


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lessons, Precedents, Path]:
    """What is gathered from ten small contracts, six queries and two hypotheses."""
    data = tmp_path_factory.mktemp("data")
    texts = data / "cuad" / "contracts"
    texts.mkdir(parents=True)
    lines = []
    for at, (town, goods) in enumerate(zip(TOWNS, GOODS, strict=True)):
        law = f"{town} law rules all {goods} sold by {town} firms to {goods} shops."
        insured = f"The {goods} of {town} get {town} cover from one {goods} mutual of {town}."
        text = (
            f"SALE OF {goods.upper()}\n\n1. Law\n\n1.1 {law}\n\n2. Insurance\n\n2.1 {insured}\n\n"
            f"3. Price\n\n3.1 For {goods} the buyer pays {at + 3} coins in {town}.\n"
        )
        (texts / f"{at}.txt").write_text(text)
        places = {"Governing Law": law, "Insurance": insured}
        marked = {
            name: [[text.index(words), text.index(words) + len(words)]]
            for name, words in places.items()
        }
        group = f"group {at // 2}"
        lines.append(
            {
                "name": f"{at}.txt",
                "group": group,
                "annotations": {name: [] for name in CATEGORIES} | marked,
            }
        )
    (data / "cuad" / "annotations.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    (data / "legalbench-rag").mkdir()
    questions = {"cuad": {"Insurance": "Who insures the goods?"}, "contractnli": {}}
    (data / "legalbench-rag" / "questions.json").write_text(json.dumps(questions))
    acord(data / "acord")
    nli(data / "contractnli")
    encoder = HashEncoder(32)
    library = data / "all.db"
    with Library.open(library) as store:
        add_files(store, [texts], collection="CUAD", encoder=encoder,
            settings=Settings(jobs=1, memory_mb=800, seconds=30, ocr=False))  # fmt: skip
    found, precedents = gather(data, library, encoder)
    return found, precedents, data


def acord(folder: Path) -> None:
    (folder / "qrels").mkdir(parents=True)
    clauses = {
        f"k{at}": f"{town} clause on {GOODS[-at]}, {at} lines of it"
        for at, town in enumerate(TOWNS)
    }
    (folder / "corpus.jsonl").write_text(
        "\n".join(json.dumps({"_id": each, "text": text}) for each, text in clauses.items()) + "\n"
    )
    names = [f"{goods} liability" for goods in GOODS[:6]]
    (folder / "queries.jsonl").write_text(
        "\n".join(
            json.dumps({"_id": each, "text": each, "metadata": {"category": each}})
            for each in [*names, "v"]
        )
        + "\n"
    )
    for split, queries in (("train", names), ("valid", ["v"])):
        rows = [
            f"{query}\t{clause}\t{0 if split == 'valid' else 2 * ((at - 2 * row) % 10 < 5)}"
            for row, query in enumerate(queries)
            for at, clause in enumerate(clauses)
        ]
        (folder / "qrels" / f"{split}.tsv").write_text(
            "query\tclause\tscore\n" + "\n".join(rows) + "\n"
        )


def nli(folder: Path) -> None:
    folder.mkdir()
    labels = {f"nda-{at}": {"hypothesis": f"Secret {at} is kept."} for at in range(2)}
    (folder / "dev.json").write_text(json.dumps({"labels": labels, "documents": []}))
    rows = ["concatenated_spans,hypothesis,label"]
    for at, town in enumerate(TOWNS):
        rows.append(f"In {town} the secret {at} must be kept,Secret {at % 2} is kept.,{at % 3}")
    (folder / "train_spans.csv").write_text("\n".join(rows) + "\n")


def test_no_held_out_document_is_learned_from(lessons: tuple[Lessons, Precedents, Path]) -> None:
    found, precedents, data = lessons
    contracts = cuad.load_cuad(data / "cuad")
    held = {
        contract.name: contract
        for contract, fold in zip(contracts, cuad.assign_folds(contracts), strict=True)
        if fold == HELD_FOLD
    }
    assert 1 < len(held) < 10
    learned = {contract.name for contract in found.contracts}
    assert learned == {contract.name for contract in contracts} - set(held)
    groups = {contract.group for contract in held.values()}
    assert not groups & {each.group for each in contracts if each.name in learned}
    told = str(found.facts["learned_from"]).split()
    assert told == [document_id(each.text) for each in contracts if each.name not in held]
    assert len(precedents.held) + len(precedents.learned) == 6
    assert precedents.held
    assert found.graded
    assert not {each.id for each, _ in found.graded} & {each.id for each in precedents.held}


def test_batches_say_what_belongs_together(lessons: tuple[Lessons, Precedents, Path]) -> None:
    drawing = Drawing(lessons[0])
    for seed in range(5):
        batch = drawing.clauses_of(np.random.default_rng(seed), kinds=2, each=2)
        assert batch.match.shape == (len(CATEGORIES), len(batch.texts))
        for text, law, insured in zip(
            batch.texts, batch.match[LAW], batch.match[INSURANCE], strict=True
        ):
            assert law == (" law rules all " in text)
            assert insured == (" cover from one " in text)
        told = drawing.told(np.random.default_rng(seed), contracts=2)
        assert (np.diag(told.match) == 1).all()
        for row, question in enumerate(told.questions):
            for column, other in enumerate(told.questions):
                if row != column:
                    assert told.match[row, column] == (-1 if question == other else 0)


def test_what_was_not_judged_counts_for_nothing(lessons: tuple[Lessons, Precedents, Path]) -> None:
    found = lessons[0]
    batch = Drawing(found).graded(np.random.default_rng(0), queries=2)
    by_wording = {each.forms[Format.SHORT]: own for each, own in found.graded}
    ids = {text: clause for clause, text in found.clauses.items()}
    for question, row in zip(batch.questions, batch.match, strict=True):
        own = by_wording[question]
        assert row.tolist() == [own.get(ids[text], -1) for text in batch.texts]


def test_the_same_numbers_give_the_same_batch(lessons: tuple[Lessons, Precedents, Path]) -> None:
    one, other = (Drawing(lessons[0]).told(np.random.default_rng((0, 7)), 2) for _ in range(2))
    assert one.texts == other.texts
    assert np.array_equal(one.match, other.match)


def test_the_held_fold_is_one_of_five() -> None:
    assert HELD_FOLD in range(5)
    assert HELD_QUERIES in range(5)
