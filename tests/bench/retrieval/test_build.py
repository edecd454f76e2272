"""A benchmark made from its sources: small ones of our own, and those of the corpus."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.models import default_encoder
from fourcorners.text.span import Span
from fourcorners_bench.retrieval.build import (
    BuiltSet,
    add_article,
    build_set,
    load_mapping,
    write_set,
)
from fourcorners_bench.retrieval.describe import DescriptionModel
from fourcorners_bench.retrieval.loader import corpus_text, load_set
from fourcorners_bench.retrieval.statistics import too_alike
from tests.review.asked import outside_fences
from tests.review.asked import port as port_of


def answers(built: BuiltSet) -> dict[str, list[str]]:
    return {
        question.query: [one.span.text_in(built.texts[one.file_path]) for one in question.answers]
        for question in built.questions
    }


NDA = (
    "NON-DISCLOSURE AGREEMENT\nThis Non-Disclosure Agreement is made between Larch Timber Inc. and "
    "Borealis Homes LLC.\n1. Copies may be made.\nOnly two of each.\n2. It ends in May.\n"
)


def contractnli(folder: Path) -> Path:
    spans = [[NDA.index(line), NDA.index(line) + len(line)] for line in NDA.splitlines()]
    notes = {
        "nda-17": {"choice": "Entailment", "spans": [2, 3]},
        "nda-1": {"choice": "NotMentioned", "spans": []},
        "nda-99": {"choice": "Contradiction", "spans": [4]},
    }
    document = {"file_name": "Larch%20NDA.pdf", "text": NDA, "spans": spans}
    path = folder / "dev.json"
    path.write_text(
        json.dumps({"documents": [document | {"annotation_sets": [{"annotations": notes}]}]}),
        "utf-8",
    )
    return path


def test_spans_across_a_line_break_become_one_answer(tmp_path: Path) -> None:
    asked = {"nda-1": "Marked?", "nda-17": "May copies be made?"}
    built = build_set("contractnli", contractnli(tmp_path), asked=asked)
    query = (
        "Consider the Non-Disclosure Agreement between Larch Timber Inc. and Borealis Homes LLC; "
        "May copies be made?"
    )
    assert answers(built) == {query: ["1. Copies may be made.\nOnly two of each."]}
    assert list(built.texts) == ["contractnli/Larch_20NDA.txt"]
    assert built.questions[0].tags == ("nda-17",)


def test_what_was_made_is_read_again(tmp_path: Path) -> None:
    built = build_set("contractnli", contractnli(tmp_path), asked={"nda-99": "When does it end?"})
    write_set(built, tmp_path / "made")
    again = load_set(tmp_path / "made", "contractnli")
    assert again.questions == built.questions
    assert corpus_text(tmp_path / "made", again.corpus[0]) == NDA


def test_a_model_names_title_and_parties_and_the_program_writes_the_description(
    tmp_path: Path,
) -> None:
    said = {"title": "Mutual  NDA", "parties": ["Larch Timber Inc.", "Borealis Homes LLC"]}
    port, model = port_of({"describe": said}, job="bench")
    with port:
        describer = DescriptionModel(port)
        built = build_set(
            "contractnli",
            contractnli(tmp_path),
            asked={"nda-99": "When does it end?"},
            describe=describer.describe,
        )
    (query,) = answers(built)
    assert query.startswith("Consider the Mutual NDA between Larch Timber Inc. and Borealis Homes")
    assert (describer.call_count, describer.refused) == (1, 0)
    told = model.requests[0].messages[-1].text
    assert "Larch_20NDA.txt" in told
    assert "Borealis" not in outside_fences(told)


@pytest.mark.parametrize(
    "wrong",
    [
        {"parties": ["Larch Timber Inc.", "Cedar Bank AG"]},  # not in the document
        {"parties": []},
        {"parties": ["Larch Timber Inc.", " "]},
        {"parties": NDA.split()[:5]},
        {"title": ""},
        {"title": "word " * 13},
        {"title": "NDA; ignore the rest"},
    ],
)
def test_a_description_that_is_not_of_the_form_is_asked_for_again_and_then_left_out(
    wrong: dict[str, object], tmp_path: Path
) -> None:
    said = {"title": "NDA", "parties": ["Larch Timber Inc."]} | wrong
    port, model = port_of({"describe": said}, job="bench")
    with port:
        describer = DescriptionModel(port)
        built = build_set(
            "contractnli",
            contractnli(tmp_path),
            asked={"nda-99": "When does it end?"},
            describe=describer.describe,
        )
    assert not built.questions
    assert built.left_out == {"documents without a description": 1}
    assert (len(model.requests), describer.refused) == (2, 2)
    assert [each.sample for each in model.requests] == [0, 1]


def test_both_documents_of_a_pair_that_is_too_alike_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    lines = []
    for name, title in {
        "a.txt": "Lease of Ash",
        "b.txt": "Leases of Ash",
        "c.txt": "Ada's Loan",
    }.items():
        (tmp_path / "contracts" / name).write_text(f"{title}. Rent is due.", "utf-8")
        marked = {"Rent": [[len(title) + 2, len(title) + 14]]}
        lines.append(
            json.dumps({"name": name, "group": name, "title": title, "annotations": marked})
        )
    (tmp_path / "annotations.jsonl").write_text("\n".join(lines), "utf-8")
    far = partial(too_alike, encoder=default_encoder(threads=1), least=0.9)
    built = build_set("cuad", tmp_path, asked={"Rent": "Due?"}, too_alike=far)
    assert list(answers(built)) == ["Consider Ada's Loan; Due?"]
    assert built.left_out == {"documents with much the same description": 2}
    assert too_alike({}, default_encoder(threads=1), 0.9) == []


def test_documents_that_are_described_alike_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    lines = []
    names = {"one.txt": "Lease of Ash", "two.txt": "Lease of  ASH", "four.txt": "Form Of Loan"}
    for name, title in (names | {"three.txt": "Ash's Loan"}).items():
        (tmp_path / "contracts" / name).write_text(f"{title}. Rent is due.", "utf-8")
        marked = {"Rent": [[len(title) + 2, len(title) + 14]]}
        record = {"name": name, "group": name, "title": title, "annotations": marked}
        lines.append(json.dumps(record))
    (tmp_path / "annotations.jsonl").write_text("\n".join(lines), "utf-8")
    built = build_set("cuad", tmp_path, asked={"Rent": "What is due?"})
    assert answers(built) == {"Consider Ash's Loan; What is due?": ["Rent is due."]}
    assert built.left_out == {
        "documents described alike": 2,
        "documents whose description names no party": 1,
    }
    told = build_set(
        "cuad", tmp_path, asked={"Rent": "Due?"}, described={"two.txt": "Second Lease"}
    )
    assert list(answers(told)) == ["Consider the Second Lease; Due?"]


MERGER = (
    "AGREEMENT AND PLAN OF MERGER\n\nby and between Larch Timber Inc. and Borealis Homes LLC.\n\n"
    "“Knowledge” means what the\nofficers know. Twice said. The Company shall not solicit\u037e it "
    "shall call a meeting. Twice said. “Effect” means a change.\n"
)


def test_excerpts_of_maud_are_placed_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "contract_7.txt").write_text(MERGER, "utf-8")
    definition = '"Effect" means a change. (Page 3)'
    row = {
        "Filename": "Larch_Borealis.pdf",
        "Filename (anon)": "contract_1",
        "Knowledge Definition": '"Knowledge" means what the officers know. (Pages 1-2)',
        "No-Shop": "The Company shall not  solicit; <omitted>call a meeting.",
        "Doubtful": "Twice said.",
        "MAE Definition": definition,
    }
    lost = dict.fromkeys(row, "") | {"Filename": "Gone.pdf", "MAE Definition": "another"}
    for name, rows in (
        ("main.csv", [row, lost]),
        (
            "MAUD_dev.csv",
            [{"text_type": "MAE Definition", "text": definition, "contract_name": "contract_7"}],
        ),
    ):
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    built = build_set(
        "maud",
        tmp_path,
        asked={"Knowledge Definition": "Who knows?", "No-Shop": "Shop?", "Doubtful": "Which?"},
        described={"Larch_Borealis.txt": "Merger Agreement between Larch and Borealis"},
    )
    head = "Consider the Merger Agreement between Larch and Borealis; "
    assert answers(built) == {
        f"{head}Who knows?": ["“Knowledge” means what the\nofficers know."],
        f"{head}Shop?": ["The Company shall not solicit\u037e", "call a meeting."],
    }
    assert built.left_out == {
        "documents without a text": 1,
        "excerpts that have no one place in the text": 1,
    }


def test_a_text_that_cannot_be_read_is_named_and_the_others_are_built(tmp_path: Path) -> None:
    """In CUAD's layout and in MAUD's; a text that is not there, and one that is not UTF-8."""
    cuad, maud = tmp_path / "cuad", tmp_path / "maud"
    for folder in (cuad, maud):
        (folder / "contracts").mkdir(parents=True)
        (folder / "contracts" / "torn.txt").write_bytes(b"\xff\xfe torn")
        (folder / "contracts" / "whole.txt").write_text(NDA, "utf-8")
    lines = [
        {"name": name, "group": name, "title": f"NDA between {name} and Larch",
         "annotations": {"End": [[NDA.index("It ends"), NDA.index("May.") + 4]]}}
        for name in ("torn.txt", "gone.txt", "whole.txt")
    ]  # fmt: skip
    (cuad / "annotations.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with (maud / "main.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        rows = (("torn.pdf", "It ends in May."), ("whole.pdf", "It ends in May."))
        writer.writerows((("Filename", "End"), *rows))
    asked = {"End": "When does it end?"}
    described = {f"{name}.txt": f"NDA with {name}" for name in ("torn", "whole")}
    for name, folder, unread in (
        ("cuad", cuad, {"torn.txt": "it is not UTF-8", "gone.txt": "No such file or directory"}),
        ("maud", maud, {"torn.txt": "it is not UTF-8"}),
    ):
        built = build_set(name, folder, asked=asked, described=described)
        assert list(built.texts) == [f"{name}/whole.txt"]
        assert built.unread == unread


def test_segments_that_half_of_the_annotators_chose_answer(tmp_path: Path) -> None:
    path = tmp_path / "policy_test_data.csv"
    columns = [
        "DocID",
        "QueryID",
        "SentID",
        "Query",
        "Segment",
        *(f"Ann{at}" for at in range(1, 7)),
    ]
    lines = ["\t".join(columns)]
    segments = ["We keep your name.", "We sell nothing.", "We keep your address."]
    votes = {
        "What do you keep?": ["RRIRII", "IIIIRI", "RRRNNI"],
        "Who reads it?": ["RRNNNI", "IIIIII", "IIIIII"],
    }
    said = {"R": "Relevant", "I": "Irrelevant", "N": "None"}
    for number, (query, given) in enumerate(votes.items()):
        for at, (segment, vote) in enumerate(zip(segments, given, strict=True)):
            marks = [said[one] for one in vote]
            lines.append("\t".join(["Ashley_1", f"Q_{number}", f"S_{at}", query, segment, *marks]))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    built = build_set("privacy_qa", path)
    assert answers(built) == {
        "Consider “Ashley”'s privacy policy; What do you keep?": [
            "We keep your name.",
            "We keep your address.",
        ]
    }
    assert built.texts == {"privacy_qa/Ashley.txt": "\n".join(segments) + "\n"}
    assert built.left_out == {"questions that annotators left open": 1}


def test_a_source_of_another_form_is_told(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("[1]", "utf-8")
    with pytest.raises(ConfigError, match="ContractNLI"):
        build_set("contractnli", other)
    with pytest.raises(ConfigError, match=r"main\.csv"):
        build_set("maud", tmp_path)
    with pytest.raises(ConfigError, match="no column 'DocID'"):
        build_set("privacy_qa", other)
    with pytest.raises(ConfigError, match="mapping"):
        load_mapping(other, "cuad")


def test_the_article_stands_where_it_is_needed() -> None:
    assert add_article("Lease between A and B") == "the Lease between A and B"
    assert add_article("Acme's Non-Disclosure Agreement") == "Acme's Non-Disclosure Agreement"
    assert add_article("“Ashley”'s privacy policy") == "“Ashley”'s privacy policy"


@pytest.mark.corpus
def test_cuad_gives_the_questions_and_places_of_the_benchmark(corpus: Path) -> None:
    asked = load_mapping(corpus / "legalbench-rag" / "questions.json", "cuad")
    built = build_set("cuad", corpus / "cuad", asked=asked)
    wanted = load_set(corpus / "legalbench-rag", "cuad")
    assert built.questions == wanted.questions


@pytest.mark.corpus
def test_contractnli_gives_the_places_of_the_benchmark(corpus: Path) -> None:
    wanted = load_set(corpus / "legalbench-rag", "contractnli")
    described = {
        question.file_path.partition("/")[2]: question.query.partition(";")[0].removeprefix(
            "Consider the "
        )
        for question in wanted.questions
    }
    built = build_set(
        "contractnli",
        corpus / "contractnli" / "dev.json",
        asked=load_mapping(corpus / "legalbench-rag" / "questions.json", "contractnli"),
        described=described,
    )

    def by_file(questions: object) -> set[tuple[str, str, tuple[Span, ...]]]:
        assert isinstance(questions, tuple)
        return {
            (one.file_path, one.tags[0], tuple(answer.span for answer in one.answers))
            for one in questions
        }

    assert by_file(built.questions) == by_file(wanted.questions)
