"""Entailment by language models: what they are shown, how answers count, what stands beside."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import BudgetExceeded, ConfigError, LlmRefused
from fourcorners.library.store import Library
from fourcorners.llm import Budget, Options, Request, Spending
from fourcorners.models import Encoder, default_encoder
from fourcorners.models.entailment.verdict import Label
from fourcorners_bench.answers.run_files import report_text
from fourcorners_bench.entailment import agents as entailment_agents
from fourcorners_bench.entailment import model_report as results
from fourcorners_bench.entailment import model_run as entailment_asking
from fourcorners_bench.entailment.exemplars import (
    Exemplar,
    ExemplarSet,
    contract_digest,
    evidence_words,
    read_examples,
)
from fourcorners_bench.entailment.loader import Split, load_split, sample_questions
from fourcorners_bench.entailment.model_run import read_settings
from fourcorners_bench.entailment.paper import paper_figures
from fourcorners_bench.entailment.report import BEST_QUOTES, LABELS
from fourcorners_bench.record import Json
from tests.bench.entailment.test_loader import SENTENCES, content
from tests.review import asked

COPIES, POACH, LAW = SENTENCES
CSV = """concatenated_spans,hypothesis,num_spans,num_evidence_spans,num_tokens,label
"The Taker may copy once, ""for its file"".",Recipient may make copies.,3,1,9,0
No copy shall be taken.,Recipient may make copies.,3,1,9,1
Bananas are yellow.,Recipient may make copies.,3,0,9,2
No member of staff may be hired.,Recipient may poach staff.,3,1,9,1
The Taker may hire whom it likes.,Recipient may poach staff.,3,1,9,0
Pears are green.,Recipient may poach staff.,3,0,9,2
The books are open.,Discloser may audit accounts.,3,1,9,0
The books are closed.,Discloser may audit accounts.,3,1,9,1
Plums are blue.,Discloser may audit accounts.,3,0,9,2
"""


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return default_encoder(threads=1)


@pytest.fixture
def split(tmp_path: Path) -> Split:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(content(3, 5)))
    return load_split(path)


@pytest.fixture
def exemplars(tmp_path: Path) -> ExemplarSet:
    path = tmp_path / "train_spans.csv"
    path.write_text(CSV, "utf-8")
    return ExemplarSet(read_examples(path))


def by_hypothesis(request: Request) -> dict[str, Any]:
    told = request.messages[-1].text.rpartition("Hypothesis: ")[2]
    label, quotes = "not mentioned", []
    if told.startswith("Recipient may make copies"):
        label, quotes = "entailment", [COPIES, "The moon is made of cheese and of nothing else."]
    elif told.startswith("Recipient may poach"):
        label, quotes = "contradiction", [POACH]
    return {"reasoning": "", "label": label, "quotes": quotes}


def naive(request: Request) -> dict[str, Any]:
    return {"label": by_hypothesis(request)["label"]}


BY: dict[str, Any] = {"nli": by_hypothesis, "nli_naive": naive}
WHOLE = ("few-shot", "few-shot-gold")
SETTINGS = {each.name: each for each in read_settings("paper")}
PLAIN = [name for name in SETTINGS if name not in (*WHOLE, "agents")]


@pytest.mark.parametrize("name", PLAIN)
def test_each_setting_asks_every_hypothesis_and_scores_the_answers(
    name: str, split: Split, exemplars: ExemplarSet, encoder: Encoder
) -> None:
    port, model = asked.port(BY, job="bench")
    with port:
        tried = entailment_asking.run_attempt(
            split, SETTINGS[name], port, exemplars, number=1, encoder=encoder
        )
    assert len(model.requests) == len(tried.answers) == 6
    found = results.build_result(split, SETTINGS[name], "fake:model", [tried], port.spending)
    assert found.mean("accuracy") == 1.0
    assert found.mean("f1_contradiction") == 1.0
    naive = name in ("zero-shot", "zero-shot-gold")
    assert found.mean(BEST_QUOTES) == (0.0 if naive else 1.0)
    assert found.invented == (0 if naive else 2)
    told = [request.messages[-1].text for request in model.requests]
    assert {request.sample for request in model.requests} == {1}
    for prompt in told:
        outside = asked.outside_fences(prompt)
        assert not any(each in outside for each in SENTENCES)
        assert not any(words in outside for words in ("Bananas", "may be hired", "books are"))
    assert [prompt.count("Example ") for prompt in told] == [3 * SETTINGS[name].needs_examples] * 6
    assert ("Step by step" in told[0]) is SETTINGS[name].reasons


@pytest.mark.parametrize("name", WHOLE)
def test_whole_contracts_are_shown_where_they_are_known_and_never_the_contract_itself(
    name: str, split: Split, exemplars: ExemplarSet, tmp_path: Path
) -> None:
    port, _ = asked.port(BY, job="bench")
    with port, pytest.raises(ConfigError, match="no 3 examples with whole contracts"):
        entailment_asking.run_attempt(split, SETTINGS[name], port, exemplars)
    train = content(7, 8, 9)
    for number, document in enumerate(train["documents"]):  # type: ignore[arg-type,var-annotated]
        document["text"] += f" Appendix {number}."
    path = tmp_path / "train.json"
    path.write_text(json.dumps(train))
    known = ExemplarSet(read_examples(path))
    port, model = asked.port(BY, job="bench")
    with port:
        tried = entailment_asking.run_attempt(split, SETTINGS[name], port, known)
    assert len(model.requests) == 6
    assert all(each.messages[-1].text.count("Appendix") == 3 for each in model.requests)
    found = results.build_result(split, SETTINGS[name], "fake:model", [tried], port.spending)
    assert (found.mean("accuracy"), found.mean(BEST_QUOTES), found.invented) == (1.0, 1.0, 2)
    own = load_split(path).documents[0]
    shown = known.draw(own, "x", attempt=0, same=False, whole=True)
    assert all("Appendix 0" not in each.contract for each in shown)


def test_examples_are_of_the_same_hypothesis_and_the_same_each_time(
    split: Split, exemplars: ExemplarSet
) -> None:
    document = split.documents[0]
    hypothesis = split.hypotheses["poach"]
    first = exemplars.draw(document, hypothesis, attempt=0, same=True, whole=False)
    assert {each.hypothesis for each in first} == {hypothesis}
    assert first == exemplars.draw(document, hypothesis, attempt=0, same=True, whole=False)
    assert evidence_words(document, "poach") == POACH
    assert evidence_words(document, "audit") == evidence_words(document, "audit") != ""


def test_the_nearest_example_of_each_label_is_retrieved(split: Split, encoder: Encoder) -> None:
    document, poach = split.documents[0], split.hypotheses["poach"]
    words = "No person on the staff may be hired."
    bans = [
        Exemplar(f"No {who} may be hired.", poach, Label.CONTRADICTION)
        for who in ("staff", "member of staff", "guard")
    ]
    right = Exemplar("The Taker may hire whom it likes.", poach, Label.ENTAILMENT)
    silent = Exemplar("Pears are green.", poach, Label.NOT_MENTIONED)
    other = Exemplar(words, "Recipient may make copies.", Label.ENTAILMENT)
    indexed = ExemplarSet([other, silent, *bans, right])
    found = indexed.retrieve(document, poach, words, encoder)
    assert {each.label for each in found} == set(Label)
    assert found[0] in bans
    assert indexed.retrieve(document, "The Recipient may hire staff.", words, encoder) == found
    never = ExemplarSet([*bans, silent]).retrieve(document, poach, words, encoder)
    assert [each.label for each in never].count(Label.CONTRADICTION) == 2
    own = replace(bans[0], words=words, digest=contract_digest(document.text))
    assert own not in ExemplarSet([own, *bans, right]).retrieve(document, poach, words, encoder)
    assert ExemplarSet([]).retrieve(document, poach, "x", encoder) == []


def test_an_experiment_that_retrieves_examples_needs_an_encoder(
    split: Split, exemplars: ExemplarSet
) -> None:
    assert [name for name, each in SETTINGS.items() if each.needs_encoder] == [
        "few-shot-retrieved",
        "rag",
        "agents",
    ]
    port, _ = asked.port(BY, job="bench")
    with port, pytest.raises(ConfigError, match="few-shot-retrieved needs an encoder"):
        entailment_asking.run_attempt(split, SETTINGS["few-shot-retrieved"], port, exemplars)


def test_damaged_examples_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for text in ("a,b\n1,2\n", CSV.replace(",0\n", ",7\n"), CSV.splitlines()[0] + "\n"):
        path.write_text(text)
        with pytest.raises(ConfigError, match="holds no solved examples"):
            read_examples(path)


def test_an_answer_that_never_came_is_counted_and_a_budget_ends_the_run(
    split: Split, exemplars: ExemplarSet
) -> None:
    def refuse(request: Request) -> Any:
        return (
            LlmRefused("no.")
            if "Hypothesis: Recipient may poach" in request.messages[-1].text
            else by_hypothesis(request)
        )

    port, _ = asked.port({"nli": refuse}, job="bench")
    with port:
        tried = entailment_asking.run_attempt(
            split, SETTINGS["zero-shot-optimised"], port, exemplars
        )
    assert tried.failed == 2
    assert [each.label for each in tried.answers].count(Label.NOT_MENTIONED) == 4
    tight, _ = asked.port(
        BY, job="bench", budget=Budget(tokens=1_500), options=Options(max_tokens=100)
    )
    with tight, pytest.raises(BudgetExceeded):
        entailment_asking.run_attempt(split, SETTINGS["zero-shot-optimised"], tight, exemplars)


def test_the_agents_report_and_the_report_is_labelled(
    split: Split, exemplars: ExemplarSet, encoder: Encoder, tmp_path: Path
) -> None:
    def draft(request: Request) -> dict[str, Any]:
        (line,) = [each for each in request.messages[-1].text.splitlines() if POACH in each]
        finding = {"number": 1, "statement": POACH, "sentences": [line.split("]")[0]]}
        told = {"ruling": "no", "confidence": 0.9, "sentences": [{"text": "No.", "findings": [1]}]}
        return {"title": "Staff", "findings": [finding], "answer": told, "confident": True}

    by: dict[str, Any] = {
        "archivist": {"question": "May the Recipient poach staff?"},
        "mend": lambda request: {"answer": draft(request)["answer"]},
        "draft": draft,
        "nli_report": {"label": "contradiction", "quotes": [POACH]},
    }
    one = Split(split.documents[:1], {"poach": split.hypotheses["poach"]})
    only = {"poach": one.documents[0].truths["poach"]}
    document = type(one.documents[0])(
        3, "3.txt", one.documents[0].text, one.documents[0].spans, only
    )
    one = Split((document,), one.hypotheses)
    port, model = asked.port(by, job="bench")
    with port, Library.open(tmp_path / "bench.db") as library:
        tried = entailment_agents.InquiryAttempts(library).run_attempt(
            one, SETTINGS["agents"], port, exemplars, encoder=encoder
        )
    assert [each.label for each in tried.answers] == [Label.CONTRADICTION]
    found = results.build_result(one, SETTINGS["agents"], "fake:model", [tried], port.spending)
    assert found.mean(BEST_QUOTES) == 1.0
    last = model.requests[-1]
    assert last.prompt.name == "nli_report"
    assert last.messages[-1].text.count("Example ") == 3
    assert POACH not in asked.outside_fences(last.messages[-1].text)
    assert port.ledger.job_spending("bench").calls == len(model.requests)
    (told,) = tried.reports
    assert (told.question, told.by) == ("3 poach", f"agents, {told.answer.made.by}")
    assert POACH in report_text(told.answer)


def test_plain_retrieval_writes_reports_on_the_same_questions(
    split: Split, encoder: Encoder, tmp_path: Path
) -> None:
    said = {"ruling": "no", "sentences": [{"text": "No.", "quotes": [POACH]}]}
    port, model = asked.port({"rag": said}, job="bench")
    drawn = sample_questions(split, 4, seed=1)
    with port, Library.open(tmp_path / "bench.db") as library:
        reports = entailment_agents.plain_reports(library, drawn, port, encoder=encoder)
    questions = [f"{each.id} {key}" for each in drawn.documents for key in each.truths]
    assert [each.question for each in reports] == questions
    assert len(model.requests) == 4
    assert {each.by.partition(",")[0] for each in reports} == {"plain retrieval"}
    assert all(POACH in report_text(each.answer) for each in reports)


def test_questions_are_drawn_from_all_documents_the_same_each_time(split: Split) -> None:
    whole = {(each.id, key) for each in split.documents for key in each.truths}
    drawn = sample_questions(split, 3, seed=2)
    keys = {(each.id, key) for each in drawn.documents for key in each.truths}
    assert len(keys) == 3
    assert keys < whole
    assert drawn == sample_questions(split, 3, seed=2)
    assert sample_questions(split, 99).documents == split.documents


def test_the_papers_figures_stand_beside_those_of_the_same_method() -> None:
    methods = {
        each.system.rpartition(", ")[2]
        for each in (*paper_figures().systems, *paper_figures().appendix)
    }
    for each in SETTINGS.values():
        assert set(each.methods) <= methods
    figures = dict.fromkeys((*LABELS, BEST_QUOTES), 0.5)
    whole = results.Result(SETTINGS["chain-of-thought"], "fake:model", (figures,))
    assert all("PAKTON" in each.system for each in results.published_beside([whole]))
    made = results.Result(SETTINGS["chain-of-thought-gold"], "fake:model", (figures, figures))
    beside = [each.system for each in results.published_beside([made])]
    assert beside.count("GPT-4o, CoT isolated") == 1
    assert sum("PAKTON" in each for each in beside) == 10
    shown = list(results.table([made], "x").columns[0].cells)
    assert shown[:3] == ["chain-of-thought-gold, fake:model", "  try 1", "  try 2"]
    bounds: dict[str, Json] = {**figures, "intervals": {name: [0.4, 0.6] for name in figures}}
    once = results.table([replace(made, tries=(bounds,))], "x")
    assert [list(each.cells)[1] for each in once.columns[:2]] == ["  95%", "40–60"]
    assert made.to_json()["cost"] == 0.0
    assert results.effort_line(made).startswith(
        "chain-of-thought-gold, fake:model: 0 calls, cost 0.00; 0 "
    )
    unknown = Spending(calls=1, unpriced=1)
    assert results.Result(made.setting, "m", made.tries, spent=unknown).to_json()["cost"] is None


def test_robustness_is_measured_as_the_paper_measures_its_own() -> None:
    told = results.published_robustness()
    assert told.models == 10
    assert told.variation == pytest.approx(5.7, abs=0.05)
    assert told.baseline > 15.9
    assert told.f == pytest.approx(4.19, abs=0.005)
    assert told.p == pytest.approx(0.075, abs=0.0005)
    assert told.slope == pytest.approx(0.33, abs=0.005)


def test_settings_are_compared_over_models_from_three_on() -> None:
    def made(name: str, model: str, value: float) -> results.Result:
        return results.Result(SETTINGS[name], model, ({"f1_weighted": value},))

    found = [made("zero-shot", m, v) for m, v in (("a", 0.2), ("b", 0.4), ("c", 0.6))]
    found += [made("rag", m, v) for m, v in (("a", 0.5), ("b", 0.6))]
    assert results.robustness_by_setting(found) == []
    (told,) = results.robustness_by_setting([*found, made("rag", "c", 0.7)])
    assert (told.method, told.models, round(told.slope, 6)) == ("rag", 3, 0.5)
    rows = list(results.robustness_table([told]).columns[0].cells)
    assert rows == ["rag", "PAKTON, table 1"]


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(ConfigError, match="no experiment 'psychic'"):
        read_settings("psychic")
    assert Exemplar("w", "h", Label.ENTAILMENT).contract == ""
