from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from fourcorners.library.store import Library
from fourcorners.server import app as application
from fourcorners.server.app import create_app
from fourcorners.settings import Settings

_BEGUN = """
import sys
from fourcorners.server.app import create_app
from fourcorners.settings import Settings
path = sys.argv[1]
create_app(path, Settings(library=path, jobs=1), at_once=False)
heavy = ("numpy", "onnxruntime", "fourcorners.research", "fourcorners.search")
print([name for name in heavy if name in sys.modules])
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    path = tmp_path / "library.db"
    Library.open(path).close()
    return Settings(library=str(path), jobs=1)


def test_all_answer_as_if_they_had_been_there_from_the_start(settings: Settings) -> None:
    other_path = Path(settings.library).with_name("other.db")
    Library.open(other_path).close()
    later = create_app(settings.library, settings, at_once=False)
    at_once = create_app(other_path, settings)
    asked = ("/search?q=rent", "/playbooks", "/api/v1/collections", "/api/v1/nothing", "/nothing")
    with (
        TestClient(later, base_url="http://localhost") as one,
        TestClient(at_once, base_url="http://localhost") as other,
    ):
        assert one.get("/").status_code == 200
        for path in asked:
            assert one.get(path).status_code == other.get(path).status_code, path
        mine, theirs = (each.get("/api/v1/openapi.json").json() for each in (one, other))
        assert mine == theirs
        assert len(mine["paths"]) > 10


def test_the_first_page_and_the_liveness_check_do_not_wait(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, held = threading.Event(), threading.Event()
    load = application._load

    def slowly(names: list[str]) -> None:
        begun.set()
        assert held.wait(60)
        load(names)

    monkeypatch.setattr(application, "_load", slowly)
    app = create_app(settings.library, settings, at_once=False)
    with TestClient(app, base_url="http://localhost") as client:
        assert begun.wait(60)
        assert client.get("/").status_code == 200
        assert client.get("/healthz").text == "ok"
        held.set()
        assert client.get("/playbooks").status_code == 200


def test_what_fails_to_load_is_told_and_does_not_end_the_server(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(names: list[str]) -> None:
        raise ImportError(f"no {names[0]}")

    monkeypatch.setattr(application, "_load", broken)
    app = create_app(settings.library, settings, at_once=False)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        assert client.get("/playbooks").status_code == 500
        assert client.get("/").status_code == 200


def test_the_first_page_brings_neither_numbers_nor_models_with_it(settings: Settings) -> None:
    told = subprocess.run(
        [sys.executable, "-c", _BEGUN, str(settings.library)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "[]"
