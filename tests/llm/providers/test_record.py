from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from fourcorners.errors import ConfigError, LlmRefused, LlmUnrecorded
from fourcorners.llm import FakeModel, Options, Port, QuotedText, Recorder, Replay, Value


class Found(BaseModel):
    quote: str


VALUES: dict[str, Value] = {
    "question": "Which?",
    "clauses": [QuotedText("The Supplier may assign.\u2028§")],
}


@pytest.fixture
def recording(tmp_path: Path, prompts: Path) -> Path:
    """A recording of four exchanges."""
    file = tmp_path / "new" / "exchanges.jsonl"
    model = Recorder(FakeModel(["garbage", Found(quote="x\u2028"), "one\ntwo", "other"]), file)
    with Port.for_model(model, prompts=prompts) as port:
        assert port.ask("find", VALUES, Found).repaired
        list(port.stream("find", VALUES))
        assert port.ask("find", VALUES).value == "other"
    return file


def test_exchanges_are_lines_of_json(recording: Path) -> None:
    lines = [json.loads(line) for line in recording.read_text("utf-8").splitlines()]
    assert len(lines) == 4
    assert lines[0]["request"]["prompt"]["name"] == "find"
    assert lines[0]["request"]["model"] == "fake:model"
    assert lines[0]["response"]["text"] == ["garbage"]
    assert lines[2]["key"] == lines[3]["key"] != lines[0]["key"]
    assert recording.stat().st_mode & 0o077 == 0


def test_words_of_the_request_are_kept_as_places(tmp_path: Path, prompts: Path) -> None:
    file = tmp_path / "exchanges.jsonl"
    said = 'It says: "The Supplier may assign.\u2028§", twice: The Supplier may assign.'
    with Port.for_model(Recorder(FakeModel([said]), file), prompts=prompts) as port:
        port.ask("find", VALUES)
    assert "Supplier" not in file.read_text()
    assert "It says" in file.read_text()
    with Port.for_model(Replay(file), prompts=prompts) as port:
        assert port.ask("find", VALUES).value == said


def test_a_recording_of_the_first_form_is_replayed(recording: Path, prompts: Path) -> None:
    lines = [json.loads(line) for line in recording.read_text("utf-8").splitlines()]
    for line in lines:
        line |= {"format": 1, "response": {**line["response"], "text": "as it was"}}
    recording.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    with Port.for_model(Replay(recording), prompts=prompts) as port:
        assert port.ask("find", VALUES).value == "as it was"


def test_a_recording_answers_the_same_with_its_repairs(recording: Path, prompts: Path) -> None:
    with Port.for_model(Replay(recording), prompts=prompts) as port:
        reply = port.ask("find", VALUES, Found)
        assert (reply.value.quote, reply.repaired) == ("x\u2028", True)
        assert list(port.stream("find", VALUES)) == ["one\n", "two"]
        assert port.ask("find", VALUES).value == "other"
        assert port.ask("find", VALUES).value == "other"
        assert port.spending.calls == 5


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": "other:model"}, "the prompt was recorded with fake:model"),
        ({"options": Options(temperature=1.0)}, "its words, its settings or the prompt"),
    ],
)
def test_what_was_not_recorded_is_said(
    recording: Path, prompts: Path, given: dict[str, str], why: str
) -> None:
    with (
        Port.for_model(Replay(recording), prompts=prompts, **given) as port,  # type: ignore[arg-type]
        pytest.raises(LlmUnrecorded, match=why) as caught,
    ):
        port.ask("find", VALUES)
    assert "find@3" in caught.value.message
    assert "Supplier" not in str(caught.value)


def test_a_prompt_that_was_not_recorded_is_said(recording: Path, prompts: Path) -> None:
    with (
        Port.for_model(Replay(recording), prompts=prompts) as port,
        pytest.raises(LlmUnrecorded, match="nothing was recorded with this prompt"),
    ):
        port.ask("again", {"question": "?"})


def test_what_failed_is_not_written_down(tmp_path: Path, prompts: Path) -> None:
    file = tmp_path / "exchanges.jsonl"
    model = Recorder(FakeModel([LlmRefused("no")]), file)
    with Port.for_model(model, prompts=prompts) as port, pytest.raises(LlmRefused):
        port.ask("find", VALUES)
    assert file.read_text() == ""
    Replay(file)  # an empty recording is one


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"key": "k", "request": {}, "response": {}}'])
def test_a_damaged_recording_names_the_line(recording: Path, line: str) -> None:
    with recording.open("a") as file:
        file.write(f"\n{line}\n")
    with pytest.raises(ConfigError, match="line 6 of"):
        Replay(recording)


def test_what_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        Replay(tmp_path / "missing.jsonl")
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        Recorder(FakeModel([]), tmp_path / "file" / "exchanges.jsonl")
