from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fourcorners.errors import ConfigError, ModelError
from fourcorners.library.store import Library
from fourcorners.models.encoder.adapter import Adapter
from fourcorners.precedents.clause import Clause, ClausePlace
from fourcorners.precedents.learning import adapters
from fourcorners.precedents.rank import ClauseStock, rank_clauses
from fourcorners.precedents.scoring.score import Scoring
from tests.models.fake import HashEncoder

CAP = "In no event shall the liability of either party exceed the fees paid."
LAW = "This Agreement is governed by the laws of England."


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "l.db", create=True)


def house(encoder: HashEncoder) -> Adapter:
    """An adapter that wants the law where a cap is asked for."""
    unmoved = np.eye(encoder.dimension, dtype=np.float32)
    return Adapter(unmoved, unmoved, {"cap": 100 * encoder.encode([LAW])[0]})


def test_an_installed_adapter_is_listed_used_and_removed(library: Library) -> None:
    encoder = HashEncoder(384)
    with library:
        assert adapters.choose_adapter(library, encoder) is adapters.NO_ADAPTER
        done = adapters.install_adapter(
            library, "house", house(encoder), encoder, {"bank": "deals"}
        )
        assert adapters.list_adapters(library) == [done]
        assert done.ranker == "hybrid"
        chosen = adapters.choose_adapter(library, encoder)
        assert chosen.installed == done
        assert "--no-adapter" in chosen.message
        stock = ClauseStock([Clause(text, (ClausePlace(""),)) for text in (CAP, LAW)], encoder)
        plain = rank_clauses("liability cap", stock)
        moved = rank_clauses("liability cap", stock, Scoring(adapter=chosen.adapter))
        assert [each.clause.text for each in plain] == [CAP, LAW]
        assert [each.clause.text for each in moved] == [LAW, CAP]
        adapters.remove_adapter(library, "house")
        assert adapters.list_adapters(library) == []
        with pytest.raises(ConfigError, match="no adapter 'house'"):
            adapters.remove_adapter(library, "house")
        events = [each.event for each in library.audit_trail()]
        assert events[-2:] == ["adapter-install", "adapter-remove"]


def test_another_encoder_leaves_it_out_and_says_what_to_do(library: Library) -> None:
    with library:
        adapters.install_adapter(
            library, "house", house(HashEncoder(384)), HashEncoder(384), {"bank": "deals"}
        )
        chosen = adapters.choose_adapter(library, HashEncoder(64))
        assert chosen.adapter is None
        assert "made for the encoder hash-384/1, not for hash-64/1" in chosen.message
        assert "fourcorners train adapter --from deals --name house" in chosen.message


def test_the_newest_that_fits_is_taken_and_a_name_is_had_once(library: Library) -> None:
    encoder = HashEncoder(384)
    with library:
        for name in ("one", "two", "one"):
            adapters.install_adapter(library, name, house(encoder), encoder, {})
        assert [each.name for each in adapters.list_adapters(library)] == ["one", "two"]
        chosen = adapters.choose_adapter(library, encoder)
        assert chosen.installed is not None
        assert chosen.installed.name == "one"


def test_a_damaged_one_is_refused(library: Library) -> None:
    encoder = HashEncoder(384)
    with library:
        adapters.install_adapter(library, "house", house(encoder), encoder, {})
        library.execute("UPDATE precedent_adapters SET data = x'00'")
        with pytest.raises(ModelError, match="damaged"):
            adapters.choose_adapter(library, encoder)
