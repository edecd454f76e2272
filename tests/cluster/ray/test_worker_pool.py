from __future__ import annotations

import pytest

pytest.importorskip("ray", reason="no Ray here: pip install 'fourcorners[cluster]'")

from fourcorners.cluster.ray import worker_pool
from fourcorners.errors import ConfigError


@pytest.mark.parametrize(("refusals", "tries"), [(0, 1), (2, 3)])
def test_a_busy_head_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, refusals: int, tries: int
) -> None:
    asked: list[str] = []

    def init(address: str, **_: object) -> None:
        asked.append(address)
        if len(asked) <= refusals:
            raise ConnectionAbortedError("Initialization failure from server")

    monkeypatch.setattr("ray.init", init)
    worker_pool._join("ray://10.0.0.1:10001")
    assert len(asked) == tries


@pytest.mark.parametrize(
    ("refusal", "tries"), [(ConnectionAbortedError("no room"), 3), (ConnectionError("no one"), 1)]
)
def test_a_head_that_lets_nobody_in_is_told(
    monkeypatch: pytest.MonkeyPatch, refusal: Exception, tries: int
) -> None:
    asked: list[str] = []

    def init(address: str, **_: object) -> None:
        asked.append(address)
        raise refusal

    monkeypatch.setattr("ray.init", init)
    with (
        pytest.raises(ConfigError, match=str(refusal)) as caught,
        worker_pool.ray_worker_pool("ray://10.0.0.1:10001", jobs=None),
    ):
        pass
    assert "ray start --head" in caught.value.remedy
    assert len(asked) == tries
