from __future__ import annotations

import json
import math
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from fourcorners import models
from fourcorners.errors import CallError, ConfigError, LibraryError, ModelError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.remote import MAX_CHARACTERS, RemoteEncoder
from fourcorners.net import RetryPolicy
from fourcorners.search.find import find_passages
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder
from tests.serving import Asked, Reply, Served, served

DIMENSION = 8
KEY = "sk-very-secret"
FAKE = HashEncoder(DIMENSION)

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def vectors_of(asked: Asked) -> Reply:
    """Answer as OpenAI's server does, but the last first, and not normalised."""
    texts = asked.body["input"]
    data = [
        {"object": "embedding", "index": at, "embedding": (3 * vector).tolist()}
        for at, vector in enumerate(FAKE.encode(texts))
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    whole = {"object": "list", "data": data[::-1], "model": "m", "usage": usage}
    return Reply(json.dumps(whole))


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as running:
        running.answer = vectors_of
        yield running


def encoder_at(server: Served, *, url: str = "", batch: int = 3, attempts: int = 2) -> Encoder:
    return RemoteEncoder(
        url=url or server.url,
        model="nomic-embed-text",
        dimension=DIMENSION,
        key=SecretStr(KEY),
        batch=batch,
        retry_policy=RetryPolicy(5.0, attempts, lambda _: None),
    )


def test_vectors_are_those_of_the_server_in_the_order_of_the_texts(server: Served) -> None:
    texts = ["notice period", "a", "governing law of Ireland", "notice period", "", "assignment"]
    encoder = encoder_at(server)
    assert np.allclose(encoder.encode(texts), FAKE.encode(texts), atol=1e-6)
    assert encoder.encode(texts).dtype == np.float32
    assert encoder.encode([]).shape == (0, DIMENSION)
    assert encoder.name == "remote/nomic-embed-text"


def test_requests_are_as_the_protocol_has_them(server: Served) -> None:
    encoder_at(server).encode(["one", "three and more", "", "one", "two words", "\ud800"])
    assert [asked.path for asked in server.asked] == ["/v1/embeddings"] * 2
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert server.asked[0].body["model"] == "nomic-embed-text"
    assert server.asked[0].body["encoding_format"] == "float"
    sent = [text for asked in server.asked for text in asked.body["input"]]
    assert sorted(sent) == [" ", "?", "one", "three and more", "two words"]
    assert max(len(asked.body["input"]) for asked in server.asked) == 3


def test_a_long_text_is_cut(server: Served) -> None:
    encoder_at(server).encode(["x" * (MAX_CHARACTERS + 1)])
    assert len(server.asked[0].body["input"][0]) == MAX_CHARACTERS


@pytest.mark.parametrize(
    ("after", "path"),
    [
        ("/", "/v1/embeddings"),
        ("/embeddings", "/v1/embeddings"),
        ("?api-version=2024-10-21", "/v1/embeddings?api-version=2024-10-21"),
    ],
)
def test_the_url_may_be_written_in_several_ways(server: Served, after: str, path: str) -> None:
    encoder_at(server, url=server.url + after).encode(["x"])
    assert server.asked[0].path == path


def test_azure_knows_the_key_by_another_header(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, str]] = []

    def post_json(
        url: str, body: Any, *, headers: dict[str, str], retry_policy: RetryPolicy
    ) -> object:
        assert url.endswith("/openai/v1/embeddings")
        assert retry_policy.attempts == 2
        sent.append(headers)
        return json.loads(vectors_of(Asked("", {}, body)).body)

    monkeypatch.setattr("fourcorners.models.remote.post_json", post_json)
    encoder_at(server, url="https://firm.openai.azure.com/openai/v1").encode(["x"])
    encoder_at(server, url="https://example.com/openai/v1").encode(["x"])
    assert sent == [{"api-key": KEY}, {"Authorization": f"Bearer {KEY}"}]


def test_without_a_key_none_is_sent(server: Served) -> None:
    plain = RemoteEncoder(url=server.url, model="m", dimension=DIMENSION)
    plain.encode(["x"])
    assert "Authorization" not in server.asked[0].headers


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (401, "FOURCORNERS_ENCODER_KEY"),
        (404, "is 'nomic-embed-text' there"),
        (400, "smaller batch"),
        (429, "later"),
        (500, "server's log"),
        (302, "up to /v1"),
    ],
)
def test_a_refusal_has_its_remedy(server: Served, status: int, remedy: str) -> None:
    server.answer = lambda _: Reply(f'{{"error": "not with {KEY}"}}', status)
    with pytest.raises(CallError, match=f"answered {status}") as caught:
        encoder_at(server).encode(["x"])
    assert remedy in caught.value.remedy
    assert caught.value.status == status
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_passing_failure_is_tried_again(server: Served) -> None:
    failing = [Reply("{}", 429, {"Retry-After": "1"}), Reply("oops", 500)]
    server.answer = lambda asked: failing.pop() if failing else vectors_of(asked)
    assert encoder_at(server, attempts=3).encode(["x"]).shape == (1, DIMENSION)
    assert len(server.asked) == 3


def test_no_server_has_its_remedy() -> None:
    with served() as gone:
        encoder = encoder_at(gone)
    with pytest.raises(CallError, match="nothing listens there") as caught:
        encoder.encode(["x"])
    assert "Check that the server runs" in caught.value.remedy


def test_a_wrong_dimension_is_refused_with_the_right_one(server: Served) -> None:
    server.answer = lambda _: Reply('{"data": [{"index": 0, "embedding": [1, 2, 3]}]}')
    with pytest.raises(ModelError, match="vectors of 3 dimensions, not of 8") as caught:
        encoder_at(server).encode(["x"])
    assert "dimension = 3" in caught.value.remedy


UNIT = [1.0] + [0.0] * (DIMENSION - 1)


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ([], "no list of vectors"),
        ({"data": {}}, "no list of vectors"),
        ({"data": [UNIT]}, "no list of vectors"),
        ({"data": []}, "0 vectors for 1 texts"),
        ({"data": [{"embedding": UNIT}] * 2}, "2 vectors for 1 texts"),
        ({"data": [{"embedding": "AACAPw=="}]}, "no lists of numbers"),
        ({"data": [{"embedding": ["1"] * DIMENSION}]}, "no lists of numbers"),
        ({"data": [{"index": 1, "embedding": UNIT}]}, "which vector is which"),
        ({"data": [{"index": [0], "embedding": UNIT}]}, "which vector is which"),
        ({"data": [{"index": 0, "embedding": [0] * DIMENSION}]}, "without a direction"),
        ({"data": [{"index": 0, "embedding": [math.nan] * DIMENSION}]}, "without a direction"),
        ({"data": [{"index": 0, "embedding": [10**400] * DIMENSION}]}, "no lists of numbers"),
    ],
)
def test_an_answer_that_is_no_vectors_is_refused(server: Served, answer: object, what: str) -> None:
    server.answer = lambda _: Reply(json.dumps(answer))
    with pytest.raises(ModelError, match=what) as caught:
        encoder_at(server).encode(["x"])
    assert "OpenAI-compatible" in caught.value.remedy


def test_an_answer_without_indices_is_in_order(server: Served) -> None:
    rows = FAKE.encode(["a", "bb"]).tolist()
    whole = json.dumps({"data": [{"embedding": row} for row in rows]})
    server.answer = lambda _: Reply(whole)
    assert np.allclose(encoder_at(server).encode(["a", "bb"]), rows, atol=1e-6)


def test_garbage_is_told_as_such(server: Served) -> None:
    server.answer = lambda _: Reply("<html>Sign in</html>")
    with pytest.raises(ModelError, match="is no JSON") as caught:
        encoder_at(server).encode(["x"])
    assert "url under [encoder]" in caught.value.remedy


@pytest.fixture
def configured(server: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Served:
    """The settings name the server."""
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "KIND": "remote",
        "URL": server.url,
        "MODEL": "nomic-embed-text",
        "DIMENSION": str(DIMENSION),
        "KEY": KEY,
    }.items():
        monkeypatch.setenv(f"FOURCORNERS_ENCODER_{name}", value)
    return server


def test_the_settings_choose_it_and_nothing_is_sent_before_it_is_used(configured: Served) -> None:
    encoder = models.default_encoder(Settings.load().encoder)
    assert (encoder.name, encoder.dimension) == ("remote/nomic-embed-text", DIMENSION)
    assert configured.asked == []
    assert encoder.encode(["x"]).shape == (1, DIMENSION)


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("name", ["URL", "MODEL", "DIMENSION"])
def test_what_the_settings_lack_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv(f"FOURCORNERS_ENCODER_{name}")
    with pytest.raises(ConfigError, match=f"needs {name.lower()}") as caught:
        models.default_encoder(Settings.load().encoder)
    assert f"FOURCORNERS_ENCODER_{name}" in caught.value.remedy


def test_a_url_alone_does_not_switch_it_on(
    configured: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FOURCORNERS_ENCODER_KIND")
    with pytest.raises(ConfigError, match="kind is 'local'") as caught:
        models.default_encoder(Settings.load().encoder)
    assert 'kind = "remote"' in caught.value.remedy
    assert configured.asked == []


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "supply.txt"
    path.write_text(
        "SUPPLY AGREEMENT\n\n1. Term. This Agreement lasts three years.\n\n"
        "2. Notice. Either party may end it on thirty days' notice.\n"
    )
    return path


def test_a_library_is_filled_and_searched_with_it(
    configured: Served, tmp_path: Path, contract: Path
) -> None:
    encoder = models.default_encoder(Settings.load().encoder)
    with Library.open(tmp_path / "l.db") as library:
        report = add_files(library, [contract], collection="c", encoder=encoder, settings=one_job())
        assert (report.added, report.failed) == (1, ())
        assert library.encoder is not None
        assert library.encoder.name == "remote/nomic-embed-text"
        assert library.encoder.dimension == DIMENSION
        assert len(library.vectors("c")) == report.passages > 0
    assert configured.asked


def test_vectors_of_another_model_or_dimension_are_refused(
    configured: Served, tmp_path: Path, contract: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Library.open(tmp_path / "l.db") as library:
        add_files(library, [contract], collection="c", encoder=FAKE, settings=one_job())
        for changed in ({}, {"DIMENSION": "16"}):
            for name, value in changed.items():
                monkeypatch.setenv(f"FOURCORNERS_ENCODER_{name}", value)
            encoder = models.default_encoder(Settings.load().encoder)
            with pytest.raises(LibraryError, match="cannot be compared") as refused:
                add_files(library, [contract], collection="c", encoder=encoder, settings=one_job())
            assert f"Use {FAKE.name}" in refused.value.remedy
            with pytest.raises(ConfigError, match=f"were made by {FAKE.name}, not by remote/"):
                find_passages(library, "how much notice", encoder=encoder)
    assert configured.asked == []  # not a word has left


def test_a_server_that_fails_ends_the_adding_and_leaves_nothing_half(
    configured: Served, tmp_path: Path, contract: Path
) -> None:
    configured.answer = lambda _: Reply("{}", 401)
    encoder = models.default_encoder(Settings.load().encoder)
    with Library.open(tmp_path / "l.db") as library:
        with pytest.raises(CallError, match="401"):
            add_files(library, [contract], collection="c", encoder=encoder, settings=one_job())
        assert library.stats().documents == 0
        configured.answer = vectors_of
        report = add_files(library, [contract], collection="c", encoder=encoder, settings=one_job())
        assert report.added == 1


def one_job() -> Settings:
    return Settings.load(jobs=1)
