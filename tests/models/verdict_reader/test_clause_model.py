"""The transformer beside the regressions: what it is given, what it says, and what is damaged."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourcorners.errors import ModelError
from fourcorners.models.registry import default_verdict_reader
from fourcorners.models.session import EMBEDDINGS, TOKENIZER, read_tokenizer
from fourcorners.models.verdict_reader.clause import MarkedClause, Mention, MentionKind
from fourcorners.models.verdict_reader.clause_model import HEADS, LONGEST, ClauseModel, read_tokens
from fourcorners.models.verdict_reader.features import EACH_PARTY, NO_MENTION, ClauseFeatures
from fourcorners.models.verdict_reader.reader import (
    QUOTED,
    ClauseReading,
    Head,
    LinearModel,
    judge,
)
from fourcorners.text.span import Span

TEXT = "The Supplier shall not assign this Agreement without the consent of the Buyer."


def marked(text: str, words: str, *parties: str) -> MarkedClause:
    start = text.index(words)
    mentions = tuple(
        Mention(MentionKind.PARTY, each.lower(), Span(at, at + len(each)))
        for each in parties
        for at in [text.index(each)]
    )
    return MarkedClause(text, Span(0, len(text)), Span(start, start + len(words)), mentions)


@pytest.fixture(scope="module")
def model() -> ClauseModel:
    return ClauseModel(default_verdict_reader().info)


def test_the_marked_words_stand_between_their_marks(model: ClauseModel) -> None:
    tokenizer = read_tokenizer(model.info)
    tokens = read_tokens(tokenizer, "audit-rights", marked(TEXT, "not assign", "Buyer"))
    assert tokenizer.decode(list(tokens.ids[: tokens.first])) == "audit rights"
    start, end = tokens.marked
    assert tokenizer.decode(list(tokens.ids[start + 1 : end - 1])) == "not assign"
    ((low, high),) = tokens.places[MentionKind.PARTY]["buyer"]
    assert tokenizer.decode(list(tokens.ids[low:high])) == "buyer"


@pytest.mark.parametrize(("before", "after"), [(0, 9_000), (9_000, 0), (9_000, 9_000)])
def test_what_is_far_from_the_marked_words_is_cut(
    model: ClauseModel, before: int, after: int
) -> None:
    text = f"The Owner may. {'word ' * before}{TEXT} {'word ' * after}The Tenant may."
    clause = marked(text, TEXT, "Owner", "Supplier", "Tenant")
    tokens = read_tokens(read_tokenizer(model.info), "assignment", clause)
    assert len(tokens.ids) <= LONGEST + tokens.first + 3
    assert set(tokens.places[MentionKind.PARTY]) == {
        "supplier",
        *([] if before else ["owner"]),
        *([] if after else ["tenant"]),
    }


def test_marked_words_longer_than_what_is_read_are_cut_at_their_end(model: ClauseModel) -> None:
    text = "The Supplier shall " + "deliver and " * 5_000
    tokens = read_tokens(read_tokenizer(model.info), "assignment", marked(text, text, "Supplier"))
    assert len(tokens.ids) <= LONGEST + tokens.first + 3
    assert "supplier" in tokens.places[MentionKind.PARTY]


def test_each_question_has_its_choices_and_their_chances(model: ClauseModel) -> None:
    heads = [e for e in default_verdict_reader().heads["assignment"] if e.question != QUOTED]
    said = model.read("assignment", heads, marked(TEXT, TEXT, "Supplier", "Buyer"))
    assert set(said) == {each.question for each in heads}
    for head in heads:
        choices = said[head.question]
        assert np.isclose(sum(np.exp(list(choices.values()))), 1)
        if head.kind is None:
            assert tuple(choices) == head.options
        elif head.kind is MentionKind.PARTY:
            assert set(choices) == {"supplier", "buyer", NO_MENTION, EACH_PARTY}
    assert max(said["effect"], key=said["effect"].__getitem__) == "consent"


def test_the_subject_may_be_told_from_who_consents(model: ClauseModel) -> None:
    heads = default_verdict_reader().heads["assignment"]
    said = model.read("assignment", heads, marked(TEXT, TEXT, "Supplier", "Buyer"))["restricted"]
    assert said["supplier"] > said["buyer"]


def test_no_text_is_too_odd_to_read(model: ClauseModel) -> None:
    heads = default_verdict_reader().heads["assignment"]
    for text in (" ", "\ud800", "§" * 100_000, "a" * 1_000_000):
        clause = MarkedClause(text, Span(0, len(text)), Span(0, len(text)), ())
        assert model.read("assignment", heads, clause)["effect"]


EVEN = Head("assignment", "who", MentionKind.PARTY, "", (), frozenset(), None)
FLAT = LinearModel(
    np.zeros(0, np.int64), np.zeros((0, 1), np.float32), np.zeros((0, 1), np.float32),
    np.zeros(1, np.float32),
)  # fmt: skip


def test_both_count_and_an_unread_mention_is_unlikely() -> None:
    features = ClauseFeatures(marked(TEXT, TEXT, "Supplier", "Buyer"))
    said = {"supplier": np.log(0.8), NO_MENTION: np.log(0.1), EACH_PARTY: np.log(0.1)}
    judged = dict(judge(EVEN, {"party": FLAT}, ClauseReading(features, {"who": said})))
    assert np.isclose(sum(judged.values()), 1)
    assert judged["supplier"] > judged[NO_MENTION] > judged["buyer"]
    alone = dict(judge(EVEN, {"party": FLAT}, ClauseReading(features, {})))
    assert np.allclose(list(alone.values()), 1 / 4)


@pytest.mark.parametrize("file", [HEADS, "model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_named(model: ClauseModel, tmp_path: Path, file: str) -> None:
    folder = tmp_path / "reader"
    shutil.copytree(model.info.folder, folder)
    for shared in (TOKENIZER, EMBEDDINGS):
        shutil.copyfile(model.info.path(shared), folder / shared)
    (folder / file).write_bytes(b"no such file")
    files = tuple(
        (each.name, hashlib.sha256(each.read_bytes()).hexdigest()) for each in folder.iterdir()
    )
    damaged = ClauseModel(replace(model.info, folder=folder, files=files))
    heads = default_verdict_reader().heads["assignment"]
    with pytest.raises(ModelError, match=file.replace(".", r"\.")):
        damaged.read("assignment", heads, marked(TEXT, TEXT))
