"""A library of an older encoder: the message names the command that encodes it anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.prepare import reencode_library
from fourcorners.library.store import Library
from fourcorners.search.index import require_same_encoder
from tests.library.conftest import ENCODER, contract


class Later:
    """An encoder of other dimensions, that can be stopped."""

    name, dimension = "later/1", 3

    def __init__(self, stop_after: int = 99) -> None:
        self.left = stop_after

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return np.full((len(texts), self.dimension), 3**-0.5, dtype=np.float32)


@pytest.fixture
def filled(library: Library) -> Library:
    for number in range(3):
        contract(f"{number}.txt", [f"LEASE {number}", "1. A", "1.1 B"], "Lease").add(library)
    return library


def test_the_message_names_the_command(filled: Library) -> None:
    refusals: tuple[Callable[[], None], ...] = (
        lambda: filled.set_encoder(Later.name, Later.dimension),
        lambda: require_same_encoder(filled, Later()),  # type: ignore[arg-type]
    )
    for refusal in refusals:
        with pytest.raises((ConfigError, LibraryError)) as raised:
            refusal()
        assert f"fourcorners library encode --library {filled.path}" in raised.value.remedy


def test_vectors_are_made_anew(filled: Library) -> None:
    before = {entry.id: filled.text(entry.id) for entry in filled.documents()}
    told: list[tuple[int, int]] = []
    assert reencode_library(filled, Later(), lambda *each: told.append(each)) == 3  # type: ignore[arg-type]
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert filled.vectors().matrix.shape == (9, 3)
    assert {entry.id: filled.text(entry.id) for entry in filled.documents()} == before
    assert filled.check() == []
    assert filled.audit_verdict().faults == ()
    assert reencode_library(filled, Later(0)) == 0  # type: ignore[arg-type]
    require_same_encoder(filled, Later())  # type: ignore[arg-type]


def test_it_goes_on_where_it_was_stopped(filled: Library) -> None:
    with pytest.raises(KeyboardInterrupt):
        reencode_library(filled, Later(1))  # type: ignore[arg-type]
    assert len(filled.documents_without_vectors()) == 2
    assert filled.check() == []
    assert reencode_library(filled, Later()) == 2  # type: ignore[arg-type]
    assert filled.documents_without_vectors() == []


def test_what_is_of_the_same_encoder_stays(filled: Library) -> None:
    before = filled.vectors().matrix.copy()
    assert reencode_library(filled, ENCODER) == 0
    assert (filled.vectors().matrix == before).all()
