"""A firm's labelled clauses: read back, learned from where they help, refused where they do not."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError, ModelError
from fourcorners.library.store import Library
from fourcorners.models.registry import default_verdict_reader, shipped_verdict_reader
from fourcorners.models.verdict_reader.correction import write_corrections
from fourcorners.models.verdict_reader.features import EACH_PARTY
from fourcorners.models.verdict_reader.reader import VerdictReader, open_corrections
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.mentions import MentionFinder
from fourcorners.review.people import review_actions
from fourcorners.review.people.labelled_clauses import (
    LabelledClauses,
    clause_labels,
    format_labels,
    read_labelled,
)
from fourcorners.review.people.verdict_learning import learn_verdicts, model_card
from tests.review.filled import ASSIGN, fill

WHO = (
    "Neither party may assign this Agreement",
    "The Supplier shall not assign this Agreement",
    "Neither party shall assign or transfer this Agreement",
    "The Customer may not assign any of its rights under this Agreement",
)
LEAVE = (
    "without the prior written consent of the other party",
    "without the other party's written consent",
    "except with the consent in writing of the other party",
)
END = ("", "; any attempted assignment is void", " to any person", "; consent is given in writing")
HOUSE = ", given under the House Protocol"


def row(at: int, sentence: str, contract: str, **said: object) -> dict[str, Any]:
    lead = f"{at % 17 + 1}.1 "
    size = len(lead) + len(sentence)
    return {
        "id": f"assignment-{at:06x}",
        "provision": "assignment",
        "name": contract,
        "group": contract,
        "span": [1_000 + len(lead), 1_000 + size],
        "clause": [1_000, 1_000 + size],
        "hash": sha256(sentence.encode()).hexdigest()[:16],
        "marked": said.get("is") == "yes",
        "reader-1": said,
        "text": f"{lead}⟦{sentence}⟧",
    }


def labelled(*, telling: bool) -> list[dict[str, Any]]:
    """Clauses of forty contracts: the house's protocol makes a consent reasonable, or dice do."""
    dice = random.Random(3)
    rows = []
    for at in range(80):
        is_house = dice.random() < 0.5
        sentence = f"{dice.choice(WHO)} {dice.choice(LEAVE)}{HOUSE * is_house}{dice.choice(END)}."
        is_reasonable = is_house if telling else dice.random() < 0.5
        effect = "consent_reasonable" if is_reasonable else "consent"
        more = {"is": "yes", "effect": effect, "restricted": "unclear"}
        rows.append(row(at, sentence, f"contract {at // 2}", **more))
    return rows


def read(folder: Path, rows: list[Any]) -> LabelledClauses:
    path = folder / "labels.jsonl"
    lines = (each if isinstance(each, str) else json.dumps(each) for each in rows)
    path.write_text("".join(f"{each}\n" for each in lines), "utf-8")
    return read_labelled([path], shipped_verdict_reader().heads)


def effect(reader: VerdictReader, given: LabelledClauses, words: str) -> tuple[str, bool]:
    clause = next(each.clause for each in given.clauses if words in each.clause.text)
    verdict = reader.read("assignment", clause)["effect"]
    return verdict.value, verdict.is_asserted


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> tuple[LabelledClauses, Path]:
    folder = tmp_path_factory.mktemp("firm")
    given = read(folder, labelled(telling=True))
    base = shipped_verdict_reader()
    learned = learn_verdicts(given.clauses, base)
    card = model_card("firm", given.clauses, learned, base)
    write_corrections(folder / "firm", learned.heads, learned.corrections, card)
    return given, folder / "firm"


def test_what_helps_is_kept_and_used_through_the_settings(
    firm: tuple[LabelledClauses, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    given, folder = firm
    shipped = default_verdict_reader()
    assert effect(shipped, given, HOUSE)[0] == "consent"
    monkeypatch.setenv("FOURCORNERS_VERDICTS_PATH", str(folder))
    own = default_verdict_reader()
    assert own.name != shipped.name
    assert effect(own, given, HOUSE) == ("consent_reasonable", True)
    assert own.heads.keys() == shipped.heads.keys()
    clause = given.clauses[0].clause
    before, after = (each.read("insurance", clause) for each in (shipped, own))
    assert before == after
    monkeypatch.delenv("FOURCORNERS_VERDICTS_PATH")
    assert default_verdict_reader() is shipped


def test_the_card_tells_what_was_measured(firm: tuple[LabelledClauses, Path]) -> None:
    import yaml

    _, folder = firm
    card = yaml.safe_load((folder / "card.yaml").read_text("utf-8"))
    (scores,) = card["scores"].values()
    before, after = scores["right of its answers, before and after"]
    assert after > before
    right, asserted = scores["right of those asserted"][1], scores["asserted"][1]
    assert right >= 0.95 * asserted
    assert card["base"] == shipped_verdict_reader().name
    assert {"assignment.is", "assignment.effect"} == {each["question"] for each in card["tried"]}
    assert "House" not in json.dumps(card)
    assert (folder / "card.yaml").stat().st_mode & 0o077 == 0


def test_what_does_not_help_is_refused_with_its_figures(tmp_path: Path) -> None:
    given = read(tmp_path, labelled(telling=False))
    learned = learn_verdicts(given.clauses, shipped_verdict_reader())
    assert learned.heads == ()
    assert all(each.reason and each.answers == 80 for each in learned.gains)
    with pytest.raises(ConfigError, match="too little to learn from"):
        learn_verdicts(given.clauses[:8], shipped_verdict_reader())


def test_a_broken_row_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    rows: list[Any] = labelled(telling=True)[:8]
    rows[1] = '{"provision": "assignment", "broken'
    rows[2]["hash"] = "0" * 16
    rows[3]["reader-1"]["effect"] = "maybe"
    rows[4] = {**rows[4], "provision": "house-rules"}
    rows[5].pop("text")
    rows[6]["span"] = [1_000, 1_004]
    given = read(tmp_path, rows)
    assert len(given.clauses) == 3  # the third's answer alone is left out
    assert given.unknown == 1
    said = [each.partition("line ")[2] for each in given.faults]
    assert [each[0] for each in said] == ["2", "3", "4", "6", "7"]
    assert "not JSON" in said[0]
    assert "hash differs" in said[1]
    assert "effect cannot be answered 'maybe'" in said[2]
    assert "--words" in said[3]
    with pytest.raises(ConfigError, match="cannot read the clauses with labels"):
        read_labelled([tmp_path / "missing.jsonl"], shipped_verdict_reader().heads)


def test_mentions_are_learned_from_by_their_places(tmp_path: Path) -> None:
    sentence = "Supplier shall not assign this Agreement without Customer's consent."
    at = 1_000 + len("1.1 ")
    places = {"restricted": [[at, at + len("Supplier")]]}
    both = {"restricted": "both"}
    given = read(
        tmp_path,
        [
            row(0, sentence, "one", **{"is": "yes", **places}),
            row(17, sentence, "two", **{"is": "yes", **both}),
            row(34, sentence, "three", **{"is": "no"}),
        ],
    )
    said = [dict(each.answers) for each in given.clauses]
    assert said[0]["restricted"] == "supplier"
    assert said[1]["restricted"] == EACH_PARTY
    assert said[2] == {"is": "no"}


def test_a_model_of_other_heads_or_of_another_kind_is_refused(
    firm: tuple[LabelledClauses, Path], tmp_path: Path
) -> None:
    _, folder = firm
    base = shipped_verdict_reader()
    with pytest.raises(ConfigError, match="no model of verdicts in") as missing:
        open_corrections(tmp_path, base)
    assert "[verdicts]" in str(missing.value.remedy)
    with pytest.raises(ConfigError, match="its card says 'verdict-reader'"):
        open_corrections(base.info.folder, base)
    other = tmp_path / "other"
    other.mkdir()
    for each in folder.iterdir():
        text = each.read_bytes().replace(base.name.encode(), b"verdict-reader/1-000000000000")
        (other / each.name).write_bytes(text)
    with pytest.raises(ModelError, match="was learned on verdict-reader/1-0000"):
        open_corrections(other, base)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "deal.txt").write_text("ours")
    with pytest.raises(ConfigError, match="holds no model of verdicts"):
        write_corrections(tmp_path / "taken", (), {}, {})


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "room.db") as opened:
        yield opened


def test_labels_without_words_are_read_in_the_library(library: Library, tmp_path: Path) -> None:
    book = load_playbook("due-diligence")
    room = fill(library, book, {"assignment": [ASSIGN]})
    review_actions.annotate_finding(
        library,
        book,
        room,
        "assignment",
        review_actions.NewAnnotation(by="Ann", answers={"effect": "consent"}),
    )
    path = tmp_path / "labels.jsonl"
    path.write_text(format_labels(clause_labels(library, book)), "utf-8")
    (read_back,) = read_labelled([path], shipped_verdict_reader().heads, library).clauses
    assert read_back.answers["effect"] == "consent"
    text = library.text(room)
    finder = MentionFinder(text, library.card(room))
    assert read_back.clause.text == text
    assert read_back.clause.mentions == finder.find(read_back.clause.clause)
    nowhere = read_labelled([path], shipped_verdict_reader().heads)
    assert nowhere.clauses == []
    assert "the library has no contract" in nowhere.faults[0]
