from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.bank import store as banks
from fourcorners.playbooks.bank.files import read_clauses
from fourcorners.playbooks.bank.ratings import rate_clause
from fourcorners.playbooks.bank.store import BankClause

INSURED = "The Carrier shall keep the Goods insured against fire and theft."
CANCEL = "Either party may end this Agreement on sixty days' notice."


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "bank.db")


def test_the_same_words_are_one_clause(library: Library) -> None:
    again = "The  carrier shall keep the Goods\ninsured against fire and theft."
    done = banks.store_clauses(
        library, "ours", [BankClause("Insurance", INSURED), BankClause("Insurance", again, 4)]
    )
    assert (done.added, done.known) == (1, 1)
    (kept,) = banks.bank_clauses(library, "ours")
    assert (kept.text, kept.stars) == (INSURED, 4)


def test_the_same_words_may_serve_two_provisions(library: Library) -> None:
    banks.store_clauses(
        library, "ours", [BankClause("Insurance", INSURED), BankClause("Cover", INSURED)]
    )
    assert [each.provision for each in banks.bank_summary(library)] == ["Cover", "Insurance"]


def test_an_import_does_not_overwrite_stars(library: Library) -> None:
    banks.store_clauses(library, "ours", [BankClause("Insurance", INSURED, 5)])
    banks.store_clauses(library, "ours", [BankClause("Insurance", INSURED, 1)])
    assert banks.bank_clauses(library, "ours")[0].stars == 5


def test_everything_about_a_clause_is_kept(library: Library, tmp_path: Path) -> None:
    clause = BankClause("Insurance", INSURED, 3, "larch.docx", 10, 74, ("carrier", "goods"))
    banks.store_clauses(library, "ours", [clause])
    assert banks.bank_clauses(library, "ours") == [clause]
    out = tmp_path / "out.jsonl"
    out.write_text("\n".join(banks.clause_lines([clause])), "utf-8")
    assert list(read_clauses(out)) == [clause]


def test_stars_are_given_and_taken(library: Library) -> None:
    clause = BankClause("Insurance", INSURED)
    banks.store_clauses(library, "ours", [clause, BankClause("Termination", CANCEL)])
    assert rate_clause(library, "ours", clause.id[:6], 5).stars == 5
    assert banks.bank_clauses(library, "ours", least=4)[0].text == INSURED
    assert banks.bank_summary(library)[0].rated == 1
    assert rate_clause(library, "ours", clause.id, None).stars is None
    with pytest.raises(ConfigError, match="1 to 5 stars, not 6"):
        rate_clause(library, "ours", clause.id, 6)
    with pytest.raises(ConfigError, match="no clause whose id starts with 'zz'"):
        rate_clause(library, "ours", "zz", 3)
    with pytest.raises(ConfigError, match="more than one clause"):
        rate_clause(library, "ours", "", 3)


def test_what_is_missing_is_told_with_what_there_is(library: Library) -> None:
    with pytest.raises(ConfigError) as caught:
        banks.bank_clauses(library, "ours")
    assert "bank import" in caught.value.remedy
    banks.store_clauses(library, "theirs", [BankClause("Insurance", INSURED)])
    with pytest.raises(ConfigError) as caught:
        banks.bank_clauses(library, "ours")
    assert "theirs" in caught.value.remedy
    with pytest.raises(ConfigError) as caught:
        banks.bank_clauses(library, "theirs", provision="Audit")
    assert "Insurance" in caught.value.remedy


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"text": "x"}', "'provision' is missing"),
        ('{"provision": "P", "text": "  "}', "'text' must be a text"),
        ('{"provision": "P", "text": "x", "stars": 6}', "stars must be 1 to 5, not 6"),
        ('{"provision": "P", "text": "x", "stars": true}', "stars must be 1 to 5"),
        ('{"provision": "P", "text": "x", "star": 3}', "no key 'star'"),
        ('{"provision": "P", "text": "x", "start": 5, "end": 2}', "end lies before start"),
        ('{"provision": "P", "text": "x", "tags": "a"}', "tags must be a list"),
        ('{"provision": "P", "text": "\\ud800"}', "contains ⟦U+D800⟧, which cannot be stored"),
        ('{"provision": "P", "text": "t", "owner": "a\\u0000b"}', "contains ⟦U+0000⟧"),
        ('{"provision": "P", "text": "t", "tags": ["a\\u0000b"]}', "contains ⟦U+0000⟧"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "bank.jsonl"
    path.write_text(f'{{"provision": "P", "text": "good"}}\n\n{line}\n', "utf-8")
    with pytest.raises(ConfigError) as caught:
        list(read_clauses(path))
    assert f"{path}, line 3: " in caught.value.message
    assert said in caught.value.message
    assert caught.value.remedy


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    path.write_bytes(b'{"provision": "P", "text": "good"}\n\xff')
    with pytest.raises(ConfigError, match="line 2: this is not UTF-8"):
        list(read_clauses(path))


def test_a_folder_without_clauses_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no clauses"):
        list(read_clauses(tmp_path))
    with pytest.raises(ConfigError, match="no such file"):
        list(read_clauses(tmp_path / "none"))


def test_beir_scores_become_stars(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text(
        json.dumps({"_id": "c1", "text": INSURED})
        + "\n"
        + json.dumps({"_id": "c2", "text": CANCEL}),
        "utf-8",
    )
    queries = [
        {"_id": "q1", "text": "fire insurance", "metadata": {"category": "Insurance"}},
        {"_id": "q2", "text": "Ending at will"},
    ]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), "utf-8")
    (tmp_path / "qrels" / "train.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\tc1\t4\nq1\tc2\t0\nq2\tc2\t2\nq2\tgone\t3\n", "utf-8"
    )
    found = {(each.provision, each.text): each.stars for each in read_clauses(tmp_path)}
    assert found == {
        ("Insurance", INSURED): 5,
        ("Insurance", CANCEL): 1,
        ("Ending at will", CANCEL): 3,
    }
    (tmp_path / "qrels" / "valid.tsv").write_text("q1\tc1\t9\n", "utf-8")
    with pytest.raises(ConfigError, match=r"valid\.tsv, line 1: .*score 0 to 4"):
        list(read_clauses(tmp_path))


def annotated(tmp_path: Path, spans: object, name: str = "x.txt") -> None:
    (tmp_path / "contracts").mkdir(exist_ok=True)
    (tmp_path / "contracts" / "x.txt").write_text(f"Carriage. {INSURED} {CANCEL}", "utf-8")
    record = {"name": name, "group": "Larch", "annotations": {"Insurance": spans, "Audit": []}}
    (tmp_path / "annotations.jsonl").write_text(json.dumps(record), "utf-8")


def test_annotated_spans_become_clauses_of_their_group(tmp_path: Path) -> None:
    annotated(tmp_path, [[10, 10 + len(INSURED)]])
    (clause,) = read_clauses(tmp_path)
    assert (clause.provision, clause.text, clause.source) == ("Insurance", INSURED, "Larch")
    assert (clause.start, clause.end, clause.tags) == (10, 10 + len(INSURED), ("x.txt",))


@pytest.mark.parametrize(
    ("spans", "name", "said"),
    [
        ([[5, 2]], "x.txt", "not a span of the text"),
        ([[0, 10**6]], "x.txt", "not a span of the text"),
        ("all", "x.txt", "not a span of the text"),
        ([], "../x.txt", "not a file in the folder"),
        ([], "y.txt", "cannot be read"),
    ],
)
def test_wrong_annotations_are_named(tmp_path: Path, spans: object, name: str, said: str) -> None:
    annotated(tmp_path, spans, name)
    with pytest.raises(ConfigError) as caught:
        list(read_clauses(tmp_path))
    assert "annotations.jsonl, line 1: " in caught.value.message
    assert said in caught.value.message
