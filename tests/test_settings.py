from __future__ import annotations

import os
import traceback
from pathlib import Path

import pytest
from pydantic import ValidationError

from fourcorners import settings as module
from fourcorners.errors import ConfigError
from fourcorners.settings import Settings


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """An empty working folder and an empty configuration folder."""
    work, config = tmp_path / "work", tmp_path / "config"
    work.mkdir()
    config.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr(module, "user_config_path", lambda _: config)
    monkeypatch.setattr(module, "user_data_path", lambda _: tmp_path / "data")
    for variable in [name for name in os.environ if name.startswith("FOURCORNERS_")]:
        monkeypatch.delenv(variable)
    return work, config


def test_defaults(tmp_path: Path) -> None:
    settings = Settings.load()
    assert settings.library == str(tmp_path / "data" / "fourcorners.db")
    assert settings.jobs >= 1
    assert (settings.memory_mb, settings.seconds) == (1500, 60.0)
    assert (settings.ocr, settings.ocr_seconds) == (True, 1800.0)


def test_a_library_in_the_working_folder_comes_first() -> None:
    Path("fourcorners.db").touch()
    assert Settings.load().library == "fourcorners.db"


def test_each_source_overrides_the_next(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    work, config = folders
    (config / "fourcorners.toml").write_text("jobs = 3\nmemory_mb = 300\n")
    assert Settings.load().jobs == 3
    (work / "fourcorners.toml").write_text("jobs = 5\n")
    assert Settings.load().jobs == 5
    assert Settings.load().memory_mb == 1500  # one file is read, the nearest
    monkeypatch.setenv("FOURCORNERS_JOBS", "7")
    assert Settings.load().jobs == 7
    assert Settings.load(jobs=9).jobs == 9
    monkeypatch.setenv("FOURCORNERS_JOBS", "")
    assert Settings.load().jobs == 5


def test_a_library_path_in_a_file_is_relative_to_the_file(folders: tuple[Path, Path]) -> None:
    _, config = folders
    file = config / "fourcorners.toml"
    file.write_text('library = "firm.db"')
    assert Settings.load().library == str(config / "firm.db")
    file.write_text('library = "postgresql://db.firm.example/contracts"')
    assert Settings.load().library == "postgresql://db.firm.example/contracts"


def test_an_unknown_key_is_named_with_its_file_and_near_matches() -> None:
    Path("fourcorners.toml").write_text("libary = 'x.db'\n")
    with pytest.raises(ConfigError, match=r"^libary in fourcorners\.toml is not a") as caught:
        Settings.load()
    assert caught.value.remedy == "Did you mean 'library'?"
    for text, remedy in (
        ("[server]\nhost = 'a'\n", "There are: library, jobs, memory_mb"),
        ("[llm.roles.judge]\nmax_token = 4\n", "Did you mean 'max_tokens'?"),
        ("[research.external.web]\nurls = 'a'\n", "Did you mean 'url'?"),
        ("[[oidc.roles]]\ngroups = 'a'\n", "Did you mean 'group'?"),
    ):
        Path("fourcorners.toml").write_text(text)
        with pytest.raises(ConfigError) as caught:
            Settings.load()
        assert caught.value.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("variable", "remedy"),
    [("NOPE", "There are: library"), ("SECOND", "Did you mean 'seconds'?"), ("LLM_KEI", "Did you")],
)
def test_an_unknown_variable_is_named(
    variable: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOURCORNERS_SERVICE_HOST", "10.0.0.1")  # as Kubernetes sets it
    Settings.load()
    monkeypatch.setenv(f"FOURCORNERS_{variable}", "1")
    with pytest.raises(ConfigError, match=f"FOURCORNERS_{variable} is not a setting") as caught:
        Settings.load()
    assert caught.value.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hosts = 'a'", "hosts in fourcorners.toml must be a list, not 'a'."),
        ("jobs = 'x'", "jobs in fourcorners.toml must be a whole number, not 'x'."),
        ("jobs = 0", "jobs in fourcorners.toml must be at least 1, not 0."),
        ("seconds = 0", "seconds in fourcorners.toml must be more than 0, not 0."),
        ("ocr = 'x'", "ocr in fourcorners.toml must be true or false, not 'x'."),
        ("library = ''", "library in fourcorners.toml must not be empty."),
        ("encoder = 3", "encoder in fourcorners.toml must be a mapping of keys to values."),
        ("[mcp]\nwrite = 'x'", "mcp.write in fourcorners.toml must be true or false."),
        ("[oidc]\nroles = 'x'", "oidc.roles in fourcorners.toml must be a list."),
    ],
)
def test_a_wrong_value_is_described_in_plain_words(text: str, problem: str) -> None:
    Path("fourcorners.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        Settings.load()
    assert caught.value.message == problem


def test_a_file_that_is_no_toml_is_named_with_the_line() -> None:
    Path("fourcorners.toml").write_text("jobs = 2\njobs: 3\n")
    with pytest.raises(ConfigError, match=r"fourcorners\.toml cannot be read.*line 2"):
        Settings.load()


def test_a_wrong_value_is_named_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="--jobs must be at least 1, not 0"):
        Settings.load(jobs=0)
    Path("fourcorners.toml").write_text("memory_mb = 'much'")
    with pytest.raises(ConfigError, match=r"memory_mb in fourcorners\.toml .* not 'much'"):
        Settings.load()
    monkeypatch.setenv("FOURCORNERS_MEMORY_MB", "lots")
    with pytest.raises(ConfigError, match=r"FOURCORNERS_MEMORY_MB .* not 'lots'"):
        Settings.load()


def test_settings_do_not_change() -> None:
    settings = Settings.load()
    with pytest.raises(ValidationError, match="frozen"):
        settings.jobs = 4


def test_recognition_is_switched_off_by_any_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURCORNERS_OCR", "0")
    assert Settings.load().ocr is False
    assert Settings.load(ocr=True).ocr is True
    Path("fourcorners.toml").write_text("ocr = false\nseconds = 2\n")
    monkeypatch.delenv("FOURCORNERS_OCR")
    assert (Settings.load().ocr, Settings.load().ocr_seconds) == (False, 60.0)


def test_a_setting_of_before_is_named_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path("fourcorners.toml")
    file.write_text("ocr_seconds = 60\n")
    with pytest.raises(ConfigError, match=r"^ocr_seconds in fourcorners\.toml is no longer"):
        Settings.load()
    file.write_text("[llm.roles.judge]\nseed = 4\n")
    with pytest.raises(ConfigError, match=r"^llm\.roles\.judge\.seed in fourcorners\.toml is not"):
        Settings.load()
    file.write_text("[llm.roles]\njudges = 'ollama:a'\n")
    with pytest.raises(ConfigError, match=r"^llm\.roles\.judges in fourcorners\.toml .*'judge'"):
        Settings.load()
    file.unlink()
    monkeypatch.setenv("FOURCORNERS_ENCODER_TIMEOUT", "9")
    with pytest.raises(ConfigError, match="FOURCORNERS_ENCODER_TIMEOUT is not a setting"):
        Settings.load()
    monkeypatch.delenv("FOURCORNERS_ENCODER_TIMEOUT")
    monkeypatch.setenv("FOURCORNERS_OCR_SECONDS", "9")
    with pytest.raises(ConfigError, match="FOURCORNERS_OCR_SECONDS is no longer") as caught:
        Settings.load()
    assert "`seconds`" in caught.value.remedy
    assert Settings.defaults().jobs >= 1


def test_a_section_is_read_from_the_file_and_from_the_environment(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Settings.load().encoder.kind == "local"
    assert Settings.load().reranker.path is None
    folders[1].joinpath("fourcorners.toml").write_text(
        "[encoder]\nkind = 'remote'\nurl = 'http://gpu/v1'\ndimension = 8\n"
        "[reranker]\npath = 'judge'\n"
    )
    monkeypatch.setenv("FOURCORNERS_ENCODER_URL", "http://other/v1")
    monkeypatch.setenv("FOURCORNERS_ENCODER_KEY", "sk-secret")
    monkeypatch.setenv("FOURCORNERS_RERANKER_KIND", "remote")
    settings = Settings.load()
    assert (settings.encoder.kind, settings.encoder.dimension) == ("remote", 8)
    assert settings.encoder.url == "http://other/v1"
    assert settings.encoder.key.get_secret_value() == "sk-secret"
    assert settings.reranker.path == folders[1] / "judge"
    assert settings.reranker.kind == "remote"


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURCORNERS_ENCODER_KEY", "sk-secret")
    assert "sk-secret" not in repr(Settings.load())
    monkeypatch.delenv("FOURCORNERS_ENCODER_KEY")
    for file, place in (
        ("[encoder]\nkey = ['sk-secret']\n", "encoder.key in fourcorners.toml"),
        ("[encoder]\nkee = 'sk-secret'\n", "encoder.kee in fourcorners.toml"),
        ("encoder = 'sk-secret'\n", "encoder in fourcorners.toml"),
    ):
        Path("fourcorners.toml").write_text(file)
        with pytest.raises(ConfigError) as caught:
            Settings.load()
        told = "".join(traceback.format_exception(caught.value))
        assert caught.value.message.startswith(place)
        assert "sk-secret" not in told


def test_a_wrong_value_in_a_section_is_named_with_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FOURCORNERS_ENCODER_DIMENSION", "many")
    with pytest.raises(ConfigError, match=r"FOURCORNERS_ENCODER_DIMENSION must be a whole number"):
        Settings.load()
    Path("fourcorners.toml").write_text("[mcp]\n[encoder]\nkind = 'loca'\n")
    monkeypatch.delenv("FOURCORNERS_ENCODER_DIMENSION")
    with pytest.raises(ConfigError, match=r"must be one of local, remote or .*mean 'local'\?"):
        Settings.load()


def test_variables_that_do_not_go_together_are_named_by_their_section(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FOURCORNERS_ORIGINALS_KMS_KEY", "alias/contracts")
    with pytest.raises(ConfigError, match=r"^the environment's FOURCORNERS_ORIGINALS_…: a kms_key"):
        Settings.load()


def test_a_role_of_the_language_model_can_be_set_in_the_environment(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    work, _ = folders
    (work / "fourcorners.toml").write_text(
        '[llm]\nmodel = "ollama:a"\nprompts = "own"\n'
        '[llm.roles.judge]\nmodel = "ollama:b"\ntemperature = 1\n'
    )
    monkeypatch.setenv("FOURCORNERS_LLM_ROLES_JUDGE_MODEL", "ollama:c")
    monkeypatch.setenv("FOURCORNERS_LLM_ROLES_FOLLOW_UP_MAX_TOKENS", "9")
    monkeypatch.setenv("FOURCORNERS_LLM_MAX_TOKENS", "77")
    monkeypatch.setenv("FOURCORNERS_LLM_KEY", "sk-secret")
    settings = Settings.load().llm
    assert (settings.model, settings.max_tokens, settings.prompts) == ("ollama:a", 77, Path("own"))
    assert (judge := settings.roles["judge"]).model == "ollama:c"
    assert judge.temperature == 1
    assert settings.roles["follow_up"].max_tokens == 9
    monkeypatch.setenv("FOURCORNERS_LLM_ROLES_WRITE", "ollama:d")
    assert Settings.load().llm.roles["write"].model == "ollama:d"
    assert "sk-secret" not in repr(settings)
    monkeypatch.setenv("FOURCORNERS_LLM_ROLES_JUDGE_MAX_TOKENS", "many")
    with pytest.raises(ConfigError, match="FOURCORNERS_LLM_ROLES_JUDGE_MAX_TOKENS") as caught:
        Settings.load()
    assert "many" not in caught.value.message


def test_a_list_that_is_not_json_is_reported_by_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FOURCORNERS_HOSTS", "firm.example")
    with pytest.raises(ConfigError, match=r"^FOURCORNERS_HOSTS cannot be read\. Write .* as JSON"):
        Settings.load()
