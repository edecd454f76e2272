from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fourcorners.errors import ModelError
from fourcorners.models.entailment import model as entailment
from fourcorners.models.entailment.features import (
    BUCKETS,
    context_scores,
    hash_ngrams,
    modality_features,
    span_positions,
)
from fourcorners.models.entailment.heads import TreeEnsemble, WordWeights, sigmoid, softmax
from fourcorners.models.entailment.model import (
    MAX_BY_MEANING,
    assemble,
    bag_vector,
    highest_scores,
    likely_spans,
    load_entailment,
    swap_labels,
)
from fourcorners.models.entailment.unseen import (
    HypothesisGuide,
    SpanSet,
    contradiction_score,
    span_features,
)
from fourcorners.models.entailment.verdict import Label, Verdict
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from tests.models.fake import HashEncoder

NDA = """1. Confidential Information means all information that a party discloses, whether in \
writing, orally or by any other means, and whether technical, financial or commercial.
2. The Receiving Party shall use the Confidential Information for the Purpose only and for nothing \
else.
3. The Receiving Party may disclose Confidential Information to those of its employees who need to \
know it.
4. The Receiving Party shall not reverse engineer, decompile or disassemble any sample or prototype.
5. The duties of this agreement survive its termination for five years.
6. This deed is governed by the law of Norway.
"""
ENGINEER = (
    "Receiving Party shall not reverse engineer any objects which embody Disclosing Party's "
    "Confidential Information."
)
SOLICIT = "Receiving Party shall not solicit some of Disclosing Party's representatives."
EMPLOYEES = (
    "Receiving Party may share some Confidential Information with some of Receiving Party's "
    "employees."
)
SURVIVE = "Some obligations of Agreement may survive termination of Agreement."
SPANS = split_sentences(NDA)


def evidence(verdict: Verdict) -> str:
    return SPANS[verdict.evidence[0][0]].text_in(NDA)


def test_known_hypotheses_are_judged_with_evidence() -> None:
    engineer, solicit, employees, survive = load_entailment().judge(
        NDA, SPANS, [ENGINEER, SOLICIT, EMPLOYEES, SURVIVE]
    )
    assert [engineer.label, employees.label, survive.label] == [Label.ENTAILMENT] * 3
    assert solicit.label is Label.NOT_MENTIONED
    assert "decompile" in evidence(engineer)
    assert "employees" in evidence(employees)
    assert "five years" in evidence(survive)


@pytest.mark.parametrize("hypothesis", [ENGINEER, "Supplier shall carry insurance."])
def test_scores_are_probabilities_and_all_spans_are_ranked(hypothesis: str) -> None:
    (verdict,) = load_entailment().judge(NDA, SPANS, [hypothesis])
    assert sum(verdict.scores) == pytest.approx(1.0)
    assert verdict.scores[list(Label).index(verdict.label)] == max(verdict.scores)
    assert sorted(at for at, _ in verdict.evidence) == list(range(len(SPANS)))
    chances = [chance for _, chance in verdict.evidence]
    assert chances == sorted(chances, reverse=True)
    assert all(0 <= chance <= 1 for chance in chances)


def test_the_same_is_said_again_and_in_any_company() -> None:
    model = load_entailment()
    alone = model.judge(NDA, SPANS, [EMPLOYEES])
    assert model.judge(NDA, SPANS, [ENGINEER, EMPLOYEES])[1:] == alone


def test_a_hypothesis_is_recognised_by_its_words_but_not_turned_round() -> None:
    model = load_entailment()
    column = model.known_hypothesis(ENGINEER)
    assert column is not None
    assert model.hypotheses[column] == ENGINEER
    assert model.known_hypothesis(ENGINEER.upper()) == column
    assert model.known_hypothesis(ENGINEER.replace("shall not", "may")) is None
    assert model.known_hypothesis("Supplier shall carry insurance.") is None
    assert {model.known_hypothesis(each) for each in model.hypotheses} == set(range(17))


def test_unknown_hypotheses_find_their_words() -> None:
    asked = "The agreement is governed by the law of Norway."
    texts = [span.text_in(NDA) for span in SPANS]
    boosts = np.array([5.0 * ("law" in text) for text in texts], np.float32)
    guide = HypothesisGuide(boosts, ("Which law governs.", "The law of France applies."))
    model = load_entailment()
    (alone,) = model.judge(NDA, SPANS, [asked])
    (guided,) = model.judge(NDA, SPANS, [asked], [guide])
    assert "Norway" in evidence(alone)
    assert "Norway" in evidence(guided)
    assert guided.scores != alone.scores
    assert model.guided.margin >= model.margin


def test_spans_that_are_surely_no_evidence_are_not_encoded() -> None:
    model = load_entailment()
    idle = "".join(f"{number}. The parties met in room {number}.\n" for number in range(7, 400))
    text = NDA + idle
    spans = split_sentences(text)
    read: list[str] = []

    class Counting:
        name = model.encoder.name
        dimension = model.encoder.dimension

        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            read.extend(texts)
            return model.encoder.encode(texts)

    found = replace(model, encoder=Counting()).judge(text, spans, [ENGINEER])[0]
    assert found.label is Label.ENTAILMENT
    assert "decompile" in spans[found.evidence[0][0]].text_in(text)
    assert 0 < len(read) <= MAX_BY_MEANING * len(model.hypotheses) < len(spans)


def test_the_likely_are_the_first_of_any_hypothesis() -> None:
    scores = np.zeros((40, 2), np.float32)
    scores[[3, 30], [0, 1]] = 1.0
    found = likely_spans(scores)
    assert found[3]
    assert found[30]
    assert MAX_BY_MEANING <= found.sum() <= 2 * MAX_BY_MEANING


@pytest.mark.parametrize(
    ("hypothesis", "text", "against"),
    [
        ("Goods shall only include machines.", "Goods means machines, tools and parts.", True),
        ("Goods shall only include machines.", "Goods means machines only.", False),
        ("Recipient may copy the notes.", "The Recipient shall not copy notes.", True),
        ("Recipient may copy the notes.", "The Recipient shall not copy notes, except one.", False),
        ("Recipient may copy the notes.", "The Recipient may copy notes.", False),
        ("Recipient may make a copy.", "The Recipient shall not make copies.", True),
        ("Recipient may copy the notes.", "The Recipient shall not copy notes:", False),
        ("Recipient may share information.", "This shall not apply to information.", False),
        ("Recipient shall not copy the notes.", "The Recipient may freely copy notes.", True),
        ("Recipient shall not copy the notes.", "The Recipient shall not copy notes.", False),
    ],
)
def test_what_cuts_the_other_way_is_told_by_rules(
    hypothesis: str, text: str, against: bool
) -> None:
    assert (contradiction_score(hypothesis, text) > 0.5) is against


def test_evidence_that_clashes_turns_the_answer_round() -> None:
    entailed, contradicted, neither = swap_labels(np.array([0.7, 0.1, 0.2]))
    assert contradicted > entailed
    assert entailed + contradicted + neither == pytest.approx(1.0)
    assert swap_labels(np.array([0.1, 0.7, 0.2])).tolist() == pytest.approx([0.1, 0.7, 0.2])


def test_a_model_taught_beside_another_encoder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entailment, "load_encoder", lambda _name: HashEncoder())
    with pytest.raises(ModelError, match="trained with the encoder") as refused:
        load_entailment.__wrapped__()
    assert "Train it again" in str(refused.value.remedy)


def test_without_spans_nothing_is_mentioned() -> None:
    (verdict,) = load_entailment().judge("", [], [ENGINEER])
    assert (verdict.label, verdict.evidence) == (Label.NOT_MENTIONED, ())


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_gets_an_answer(text: str) -> None:
    verdicts = load_entailment().judge(
        text, [Span(0, len(text))], [ENGINEER, "Supplier is insured."]
    )
    assert all(np.isfinite(verdict.scores).all() for verdict in verdicts)


def test_a_damaged_or_missing_file_is_told_with_a_remedy(tmp_path: Path) -> None:
    info = replace(load_entailment().info, folder=tmp_path)
    with pytest.raises(ModelError, match="cannot read") as missing:
        info.read(entailment.FILE)
    assert "Reinstall" in str(missing.value.remedy)
    (tmp_path / entailment.FILE).write_bytes(b"other")
    with pytest.raises(ModelError, match="damaged"):
        info.read(entailment.FILE)
    with pytest.raises(ModelError, match="not of the form"):
        assemble(info, {}, HashEncoder())


def test_the_card_tells_what_was_learned_from() -> None:
    model = load_entailment()
    assert len(model.learned_from()) == 61
    assert model.info.kind == "entailment"
    assert model.info.identity.startswith("entailment/3-")
    size = sum((model.info.folder / name).stat().st_size for name, _ in model.info.files)
    assert size <= 4_000_000


def test_codes_are_of_words_alone_and_in_order() -> None:
    found = hash_ngrams("Shall not disclose.")
    assert found.tolist() == sorted(set(found.tolist()))
    assert hash_ngrams("SHALL  not, disclose").tolist() == found.tolist()
    assert set(hash_ngrams("not disclose")) < set(found)
    assert (
        hash_ngrams("in 2019").tolist()
        == hash_ngrams("in 2024").tolist()
        != hash_ngrams("in 20").tolist()
    )
    assert hash_ngrams("").size == 0
    assert found.max() < BUCKETS


def test_items_know_their_lead_in() -> None:
    place = span_positions(
        ["Excluded is what:", "(a) is public;", "(b) was known.", "This Agreement ends.", "(c) no"]
    )
    assert place.leading.tolist() == [-1, 0, 0, -1, -1]
    assert place.appearance.shape == (5, 6)


def test_context_sees_neighbours() -> None:
    scores = np.array([[1.0, 0.0], [3.0, 0.5], [-2.0, 4.0]], np.float32)
    meant = np.array([[0.5, 0.0], [2.0, 0.0], [1.0, 0.0]], np.float32)
    rows = context_scores(scores, 0, span_positions(["Lead:", "(a) one;", "(b) two."]), meant)
    assert rows[:, -2:].tolist() == [[0.5, -1.5], [2.0, 0.0], [1.0, -1.0]]
    own, below_best, rank, before, after = rows[:, :5].T
    assert own.tolist() == [1.0, 3.0, -2.0]
    assert below_best.tolist() == [-2.0, 0.0, -5.0]
    assert np.round(np.expm1(rank)).tolist() == [1, 0, 2]
    assert before.tolist() == [-8.0, 1.0, 3.0]
    assert after.tolist() == [3.0, -2.0, -8.0]


def test_shared_words_count_by_their_rarity() -> None:
    texts = ["The staff shall be insured.", "The law of Norway applies.", "Staff are paid."]
    encoder = HashEncoder()
    spans = SpanSet(texts, span_positions(texts), encoder.encode(texts))
    share = span_features(spans, "Staff may be insured", None, encoder).rows[:, 0]
    assert share[0] == pytest.approx(1.0)
    assert share[1] == 0.0
    assert 0 < share[2] < 0.5


def test_speech_tells_denials_and_permissions() -> None:
    assert modality_features("Recipient may not copy.")[:3] == [1.0, 1.0, 0.0]
    assert modality_features("Recipient shall copy.")[:3] == [0.0, 0.0, 1.0]


def test_trees_add_their_leaves() -> None:
    trees = TreeEnsemble(
        roots=np.array([0, 3], np.int32),
        feature=np.array([0, 0, 0, 0], np.int16),
        threshold=np.array([0.5, 0, 0, 0], np.float32),
        left=np.array([1, 1, 2, 3], np.int32),
        right=np.array([2, 1, 2, 3], np.int32),
        value=np.array([0, 1, 2, 10], np.float32),
        base=100.0,
        depth=1,
    )
    assert trees(np.array([[0.0], [0.5], [0.6]], np.float32)).tolist() == [111.0, 111.0, 112.0]


def test_words_make_rows_of_length_one() -> None:
    buckets = hash_ngrams("copies of notes")
    words = WordWeights(
        buckets,
        np.ones(len(buckets), np.float32),
        np.full((len(buckets), 2), 2, np.int8),
        np.array([0.5, 1.0], np.float32),
        np.zeros(2, np.float32),
    )
    used, rows = words.rows(["copies of notes", "weather"])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 0.0])
    assert words.select(used, slice(0, 2))[0].tolist() == [1.0, 2.0]
    mixed = bag_vector(rows, np.array([8.0, -8.0]))
    assert np.linalg.norm(mixed) == pytest.approx(1.0, abs=1e-3)
    assert np.linalg.norm(bag_vector(rows, np.array([-8.0, -8.0]))) < 0.01


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=5))
def test_softmax_adds_up(scores: list[float]) -> None:
    found = softmax(np.array([scores]))
    assert found.sum() == pytest.approx(1.0)
    assert found[0, np.argmax(scores)] == found.max()


def test_tops_are_padded() -> None:
    assert highest_scores(np.array([[1.0], [3.0]])).ravel().tolist() == [3.0, 1.0, -8.0]
    assert sigmoid(np.array([0.0])).tolist() == [0.5]
