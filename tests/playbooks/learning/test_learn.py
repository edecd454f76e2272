from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fourcorners.errors import ConfigError
from fourcorners.playbooks import load_playbook
from fourcorners.playbooks.bank.files import read_annotated_folder
from fourcorners.playbooks.learning.learn import (
    Clause,
    LearnedQuery,
    QueryLearner,
    Sentence,
    average_precision,
    central_rows,
    cross_validate,
    group_folds,
    label_sentences,
    mark_sentences,
)
from fourcorners.playbooks.learning.mining import MAX_DISTANCE, Sentences, terms_query
from fourcorners.playbooks.write import learned_yaml, provision_id
from fourcorners.search.query import parse_query
from fourcorners.search.query.match import is_match
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from tests.models.fake import HashEncoder

TREES = "larch birch cedar maple alder hazel rowan aspen willow juniper".split()  # noqa: SIM905


def insurance(number: int) -> str:
    tree = TREES[number % len(TREES)]
    return f"The {tree} carrier shall maintain liability insurance for load {number} at its cost."


def other(number: int) -> str:
    tree = TREES[number % len(TREES)]
    return f"The {tree} carrier shall deliver load {number} to the yard before noon each day."


@pytest.fixture
def bank() -> list[Clause]:
    return [Clause("Insurance", insurance(n), f"company {n}") for n in range(20)]


def learn_queries(
    bank: dict[str, list[Clause]],
    background: list[str],
    *,
    encoder: HashEncoder | None = None,
    centres: int = 4,
) -> dict[str, LearnedQuery]:
    clauses = [clause for each in bank.values() for clause in each]
    learner = QueryLearner(label_sentences(clauses, background), clauses, encoder=encoder)
    return {name: learner.learn(name, centres=centres) for name in bank}


def background() -> list[str]:
    return [other(n) for n in range(40)] + ["The carrier bears all liability for late loads."]


def test_the_mined_query_tells_the_clauses_from_the_rest(bank: list[Clause]) -> None:
    found = learn_queries({"Insurance": bank}, background())["Insurance"]
    query = parse_query(found.query)
    assert all(is_match(query, WordIndex(clause.text)) for clause in bank)
    assert not any(is_match(query, WordIndex(text)) for text in background()[:40])
    assert "insurance" in found.query


def test_what_one_source_alone_says_is_not_learned(bank: list[Clause]) -> None:
    odd = [Clause("Insurance", f"{clause.text[:-1]} via Zebu.", "one") for clause in bank]
    found = learn_queries({"Insurance": bank + odd}, background())["Insurance"]
    assert "zebu" not in found.query


def test_counts_of_terms_are_those_of_the_sentences(bank: list[Clause]) -> None:
    texts = [clause.text for clause in bank] + background()
    groups = [clause.group for clause in bank] + ["rest"] * len(background())
    of_kind = np.arange(len(texts)) < len(bank)
    for term in Sentences(texts, groups).mine(of_kind):
        query = parse_query(term.words)
        held = np.array([is_match(query, WordIndex(text)) for text in texts])
        assert (term.hits, term.other_hits) == (held[of_kind].sum(), held[~of_kind].sum())


def test_words_too_far_apart_make_no_pair() -> None:
    def text(n: int, between: int) -> str:
        return f"Alpha {' '.join(['the'] * between)} omega item number {TREES[n % 10]} here."

    near = [text(n, MAX_DISTANCE) for n in range(20)]
    far = [text(n, MAX_DISTANCE + 1) for n in range(20)]
    texts, groups = near + far, [f"g{n}" for n in range(40)]
    terms = Sentences(texts, groups).mine(np.arange(40) < 20)
    assert [term.words for term in terms] == [f'"alpha omega"~{MAX_DISTANCE}']
    assert (terms[0].hits, terms[0].other_hits) == (20, 0)


def test_forms_of_a_word_are_one_term() -> None:
    forms = ["assign", "assigns", "assigned", "assigning"]
    texts = [f"No party {forms[n % 4]} the deed of {TREES[n % 10]} now." for n in range(40)]
    texts += [f"A party signs the deed of {TREES[n % 10]} now." for n in range(40)]
    terms = Sentences(texts, [f"g{n}" for n in range(80)]).mine(np.arange(80) < 40)
    assert "assign*" in terms_query(terms)


def test_the_most_central_row_comes_first() -> None:
    angles = np.radians([0, 10, 20, 90, 100])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert central_rows(rows, 1) == [2]
    assert sorted(central_rows(rows, 2))[0] in (0, 1, 2)
    assert max(central_rows(rows, 2)) >= 3
    assert len(central_rows(rows, 9)) == 5
    assert central_rows(rows[:0], 3) == []


def test_better_examples_count_more() -> None:
    angles = np.radians([0, 60, 90])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert central_rows(rows, 1, weights=np.array([50.0, 1.0, 1.0])) == [0]


def test_examples_are_clauses_of_the_bank(bank: list[Clause]) -> None:
    found = learn_queries({"Insurance": bank}, background(), encoder=HashEncoder(), centres=3)[
        "Insurance"
    ]
    assert len(found.examples) == 3
    assert set(found.examples) <= {clause.text for clause in bank}
    assert found.centres is not None
    assert found.centres.shape[0] == 3


def test_nothing_of_a_group_left_out_is_learned(bank: list[Clause]) -> None:
    marked = [
        Clause("Insurance", f"A quokka guards load {n} at {TREES[n]} yard.", f"company {n}")
        for n in range(10)
    ]
    clauses = marked + bank[10:]
    learner = QueryLearner(label_sentences(clauses, background()), clauses)
    assert "guards" in learner.learn("Insurance").query
    out = frozenset(clause.group for clause in marked)
    assert "guards" not in learner.learn("Insurance", without=out).query


def test_a_sentence_of_the_bank_does_not_speak_against_itself(bank: list[Clause]) -> None:
    given = label_sentences(bank, [bank[0].text.upper(), other(1)])
    assert sum(not each.provisions for each in given) == 1


def test_too_little_to_learn_from_is_told(bank: list[Clause]) -> None:
    with pytest.raises(ConfigError, match=r"too few clauses of 'Insurance'.*: 3 from 3"):
        learn_queries({"Insurance": bank[:3]}, background())
    with pytest.raises(ConfigError, match="nothing to tell the clauses"):
        learn_queries({"Insurance": bank}, [])


def test_marks_are_given_to_the_sentences_they_lie_in() -> None:
    text = "One two three four. Five six seven eight. Nine ten."
    spans = [Span(0, 19), Span(20, 41), Span(42, 51)]
    found = mark_sentences(text, spans, {"A": [Span(20, 41)], "B": [Span(4, 8), Span(15, 51)]}, "g")
    assert [sorted(each.provisions) for each in found] == [["B"], ["A", "B"], ["B"]]


def test_folds_share_no_group() -> None:
    dealt = group_folds([f"g{n}" for n in range(12)] * 2, k=5)
    assert sorted(group for fold in dealt for group in fold) == sorted(f"g{n}" for n in range(12))
    assert len(dealt) == 5
    assert len(group_folds(["a", "b"], k=5)) == 2


@pytest.mark.parametrize(
    ("scores", "relevant", "expected"),
    [
        ([3, 2, 1], [True, False, False], 1.0),
        ([1, 2, 3], [True, False, False], 1 / 3),
        ([3, 2, 1], [True, False, True], (1 + 2 / 3) / 2),
        ([0, 0], [True, False], 0.5),
        ([1, 2], [False, False], 0.0),
    ],
)
def test_average_precision(scores: list[float], relevant: list[bool], expected: float) -> None:
    assert average_precision(scores, relevant) == pytest.approx(expected)


def test_the_gain_is_that_of_clauses_not_learned_from(bank: list[Clause]) -> None:
    learner = QueryLearner(label_sentences(bank, background()), bank)
    found = cross_validate(learner, "Insurance", parse_query("deliver"))
    assert found is not None
    assert found.learned == pytest.approx(1.0)
    assert found.before is not None
    assert found.before < 0.6
    assert found.clauses == 20


def test_what_is_written_is_a_playbook(bank: list[Clause], tmp_path: Path) -> None:
    named = [Clause("Insurance cover", each.text, each.group) for each in bank]
    learned = learn_queries({"Insurance cover": named}, background(), encoder=HashEncoder())
    path = tmp_path / "own.yaml"
    path.write_text(learned_yaml(learned, None, "Our own"), "utf-8")
    (provision,) = load_playbook(path).provisions
    assert provision.id == "insurance-cover"
    assert provision.learned is not None
    assert str(provision.learned) == str(parse_query(learned["Insurance cover"].query))
    assert provision.examples == learned["Insurance cover"].examples


def test_a_playbook_keeps_what_it_had(bank: list[Clause], tmp_path: Path) -> None:
    before = load_playbook("due-diligence")
    path = tmp_path / "own.yaml"
    learned = learn_queries({"Insurance": bank}, background(), encoder=HashEncoder())
    path.write_text(learned_yaml(learned, "due-diligence", "x"), "utf-8")
    after = load_playbook(path)
    assert [each.id for each in after.provisions] == [each.id for each in before.provisions]
    own, was = after.provision("insurance"), before.provision("insurance")
    assert own.learned is not None
    assert (own.query, own.examples, own.severity) == (was.query, was.examples, was.severity)
    assert after.provision("exclusivity") == before.provision("exclusivity")


def test_identifiers_hold_the_schema() -> None:
    assert provision_id("Rofr/Rofo/Rofn") == "rofr-rofo-rofn"
    assert provision_id("§§") == "provision"


def test_annotated_contracts_become_sentences_and_clauses(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    text = f"{insurance(1)} {other(2)}"
    (tmp_path / "contracts" / "a.txt").write_text(text, "utf-8")
    end = len(insurance(1))
    record = {"name": "a.txt", "group": "Larch", "annotations": {"Insurance": [[0, end]]}}
    (tmp_path / "annotations.jsonl").write_text(json.dumps(record), "utf-8")
    given, clauses = read_annotated_folder(tmp_path)
    assert given == [
        Sentence(insurance(1), "Larch", frozenset({"Insurance"})),
        Sentence(other(2), "Larch"),
    ]
    assert clauses == [Clause("Insurance", insurance(1), "Larch")]
