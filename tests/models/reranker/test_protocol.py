from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Encoding

from fourcorners.errors import ConfigError, ModelError
from fourcorners.models.reranker.onnx import BATCH, OnnxReranker, _Loaded, reranker_card
from fourcorners.models.reranker.protocol import Reranker, probabilities
from tests.models.fake import OverlapReranker
from tests.models.graph import cross_encoder, field, write_tokenizer

SEP = 3  # ends the passage, and belongs to it


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cross-encoder whose logit is the sum of the ids of the passage's tokens."""
    path = tmp_path / "summing"
    path.mkdir()
    path.joinpath("model.onnx").write_bytes(cross_encoder())
    write_tokenizer(path)
    return path


def load(folder: Path, *, threads: int = 2) -> OnnxReranker:
    return OnnxReranker(reranker_card(folder), threads=threads)


def test_each_passage_is_read_with_the_question(folder: Path) -> None:
    reranker: Reranker = load(folder)
    found = reranker.scores("notice notice", ["term", "law law", "", "assign term"])
    assert found.tolist() == [5 + SEP, 16 + SEP, SEP, 11 + SEP]
    assert found.dtype == np.float32


def test_no_passages_give_no_scores_and_load_nothing(folder: Path) -> None:
    reranker = load(folder)
    (folder / "model.onnx").unlink()
    assert reranker.scores("notice", []).shape == (0,)


def test_a_score_does_not_depend_on_its_company(folder: Path) -> None:
    reranker = load(folder)
    passages = [" ".join(["law"] * count) for count in range(3 * BATCH + 5)]
    together = reranker.scores("term", [*passages, passages[3]])
    alone = load(folder, threads=1)
    assert together.tolist() == [alone.scores("term", [each])[0] for each in passages] + [27.0]


@pytest.mark.parametrize(("quantised", "most"), [(b"", BATCH), (b"DynamicQuantizeLinear", 1)])
def test_pairs_run_together_unless_a_score_would_depend_on_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, quantised: bytes, most: int
) -> None:
    (folder / "model.onnx").write_bytes(cross_encoder() + field(6, quantised))  # a remark
    sizes: list[int] = []
    run = _Loaded.run

    def noted(model: _Loaded, pairs: Sequence[Encoding]) -> NDArray[np.float32]:
        sizes.append(len(pairs))
        return run(model, pairs)

    monkeypatch.setattr(_Loaded, "run", noted)
    passages = [" ".join(["law"] * count) for count in range(BATCH + 1)]
    found = load(folder, threads=1).scores("term", passages)
    assert found.tolist() == [8 * count + SEP for count in range(BATCH + 1)]
    assert max(sizes) == most
    assert sum(sizes) == len(passages)


def test_the_passage_is_cut_and_not_the_question(folder: Path) -> None:
    card(folder)  # of 12 tokens, three of which frame the pair
    reranker = load(folder)
    assert reranker.scores("notice " * 5, ["law " * 50])[0] == 4 * 8 + SEP
    assert reranker.scores("notice " * 90, ["law " * 50])[0] == 3 * 8 + SEP  # half is left


def test_two_classes_are_one_logit(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(cross_encoder(width=2))
    assert load(folder).scores("notice", ["term", "law"]).tolist() == [2 * 8.0, 2 * 11.0]


def test_more_classes_are_refused(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(cross_encoder(width=3))
    with pytest.raises(ModelError, match="gives 3 values"):
        load(folder).scores("notice", ["term"])


def test_the_name_changes_with_the_files(folder: Path) -> None:
    name = reranker_card(folder).identity
    assert name.startswith("summing/local-")
    (folder / "model.onnx").write_bytes(cross_encoder(width=2))
    assert reranker_card(folder).identity != name


def card(folder: Path, *, kind: str = "reranker") -> None:
    files = {
        name: sha256((folder / name).read_bytes()).hexdigest()
        for name in ("model.onnx", "tokenizer.json")
    }
    folder.joinpath("card.yaml").write_text(
        f"{{name: judge, version: '1', kind: {kind}, description: d, dimension: 1, "
        f"max_tokens: 12, licence: MIT, source: s, files: {files}}}"
    )


def test_a_card_vouches_for_the_files(folder: Path) -> None:
    card(folder)
    assert load(folder).name.startswith("judge/1-")
    assert load(folder).scores("notice " * 5, ["law " * 50])[0] == 4 * 8 + SEP
    (folder / "model.onnx").write_bytes(cross_encoder(width=2))
    with pytest.raises(ModelError, match=r"model\.onnx is damaged") as caught:
        load(folder).scores("notice", ["term"])
    assert str(folder) in caught.value.remedy


def test_a_model_of_another_kind_is_refused(folder: Path) -> None:
    card(folder, kind="encoder")
    with pytest.raises(ConfigError, match="no reranker: its card says 'encoder'"):
        reranker_card(folder)


def test_a_missing_folder_or_file_is_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere is not there.*\[reranker\]"):
        reranker_card(folder.parent / "nowhere")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json: No such file"):
        reranker_card(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_something_else_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"{}" * 20)
    with pytest.raises(ModelError, match=rf"{name} cannot be used") as caught:
        load(folder).scores("notice", ["term"])
    assert "[reranker]" in caught.value.remedy


def test_strange_text_is_no_error(folder: Path) -> None:
    found = load(folder).scores("\ud800", ["law \udfff 契約", "\x00"])
    assert np.isfinite(found).all()


def test_threads_may_share_a_reranker(folder: Path) -> None:
    shared = load(folder)
    passages = [" ".join(["law"] * count) for count in range(40)]
    wanted = shared.scores("term", passages).tolist()
    with ThreadPoolExecutor(3) as pool:
        for found in pool.map(lambda _: shared.scores("term", passages).tolist(), range(3)):
            assert found == wanted


@given(st.lists(st.floats(-(2.0**90), 2.0**90)))
def test_probabilities_keep_the_order(logits: list[float]) -> None:
    found = probabilities(np.array(logits, dtype=np.float32))
    assert ((found >= 0) & (found <= 1)).all()
    order = np.argsort(np.array(logits), kind="stable")
    assert (np.diff(found[order]) >= 0).all()


def test_the_sigmoid_is_the_sigmoid() -> None:
    found = probabilities(np.array([0.0, 2.0, -2.0], dtype=np.float32))
    assert found == pytest.approx([0.5, 0.880797, 0.119203], abs=1e-6)


def test_the_fake_counts_shared_words() -> None:
    reranker: Reranker = OverlapReranker()
    found = reranker.scores("notice of term", ["the term of notice", "of", "law"])
    assert found.tolist() == pytest.approx([4, 8 / 3 - 4, -4])
    assert reranker.scores("?", ["a", "b"]).tolist() == [0, 0]
