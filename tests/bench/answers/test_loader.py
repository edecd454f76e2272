"""Questions with the words that their answers need: read, located, and answers measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.research.answer import (
    Answer,
    Citation,
    Gap,
    PreliminaryAnswer,
    Provenance,
    Role,
    Statement,
    Verdict,
    Verification,
)
from fourcorners.settings import Settings
from fourcorners.text import evidence
from fourcorners.text.span import Span
from fourcorners_bench.answers import loader as questions
from fourcorners_bench.answers import run_files as answer_runs
from fourcorners_bench.answers import score as questioning
from fourcorners_bench.answers.loader import Question, RequiredPlace, RequiredWords
from fourcorners_bench.run_files import write_lines

ROOT = Path(__file__).parents[3]
DEED = "1. The carrier shall insure the grain\n   against fire.\n\n2. Norway governs this deed.\n"
FILE = """
schema: 1
questions:
  - id: fire
    kind: fact
    ask: Who insures the grain?
    in: ["01"]
    evidence:
      - {in: "01", words: "The carrier shall insure the grain against fire."}
  - id: flood
    kind: silent
    ask: Who insures it against flood?
    silent: true
"""


def written(folder: Path, text: str = FILE) -> Path:
    path = folder / "questions.yaml"
    path.write_text(text, "utf-8")
    return path


def cited(start: int, end: int) -> Citation:
    return Citation(evidence.quote_span(DEED, Span(start, end)), "deed", "01-deed.txt", "clause 1")


def report(*spans: tuple[int, int], ruling: Verdict = Verdict.SAYS, claims: int = 0) -> Answer:
    told = [
        Statement("It says.", Role.EVIDENCE, Verification.VERIFIED, quotes=(cited(*span),))
        for span in spans
    ]
    told += [Statement("It may say.", Role.EVIDENCE, Verification.UNVERIFIED)] * claims
    return Answer(
        "Who?",
        "Who?",
        Provenance("rules", "engine", "now"),
        "Who",
        PreliminaryAnswer(ruling, tuple(told)),
    )


@pytest.mark.parametrize(
    ("name", "count", "readable"),
    [
        ("questions.yaml", 30, 10),
        ("questions-held-out.yaml", 28, 16),
        ("questions-held-out-2.yaml", 30, 9),
        ("questions-held-out-3.yaml", 33, 9),
        ("questions-held-out-4.yaml", 20, 8),
        ("questions-held-out-5.yaml", 36, 14),
    ],
)
def test_the_examples_questions_stand_on_words_of_the_examples(
    dataroom: Path, tmp_path: Path, name: str, count: int, readable: int
) -> None:
    asked = questions.load_questions(dataroom.parent / name)
    assert len(asked) == count
    assert len({each.kind for each in asked}) >= 7
    texts = sorted(path for path in dataroom.iterdir() if path.suffix in (".txt", ".md"))
    starts = {path.name[:2] for path in texts}
    told = [each for each in asked if {one.contract for one in each.needed} <= starts]
    assert len(told) == readable
    with Library.open(tmp_path / "room.db") as library:
        assert not add_files(
            library, texts, collection="room", encoder=None, settings=Settings(jobs=1)
        ).failed
        places = questions.locate_required_words(library, told)
        for question in told:
            found = [
                " ".join(place.span.text_in(library.text(place.document)).split())
                for place in places[question.id]
            ]
            assert found == [each.words for each in question.needed]


def test_words_that_do_not_stand_in_their_contract_are_an_error(tmp_path: Path) -> None:
    deed = tmp_path / "01-deed.txt"
    deed.write_text(DEED, "utf-8")
    (asked, _) = questions.load_questions(written(tmp_path))
    with Library.open(tmp_path / "room.db") as library:
        add_files(library, [deed], collection="room", encoder=None, settings=Settings(jobs=1))
        ((place,),) = questions.locate_required_words(library, [asked]).values()
        assert place.span == Span(3, 54)
        wrong = replace(asked, needed=(RequiredWords("01", "The carrier may insure"),))
        with pytest.raises(ConfigError, match="appear nowhere in 01-deed"):
            questions.locate_required_words(library, [wrong])
        with pytest.raises(ConfigError, match="no contract begins with '02'"):
            questions.locate_required_words(
                library, [replace(asked, needed=(RequiredWords("02", "x"),))]
            )


def test_words_that_may_not_be_copied_are_named_by_their_place_and_a_hash(tmp_path: Path) -> None:
    deed = tmp_path / "01-deed.txt"
    deed.write_text(DEED, "utf-8")
    right = f"at: [3, 54], hash: {questions.words_hash(DEED[3:54])[:12]}"
    said = 'words: "The carrier shall insure the grain against fire."'
    (asked, _) = questions.load_questions(written(tmp_path, FILE.replace(said, right)))
    (needed,) = asked.needed
    with Library.open(tmp_path / "room.db") as library:
        add_files(library, [deed], collection="room", encoder=None, settings=Settings(jobs=1))
        ((place,),) = questions.locate_required_words(library, [asked]).values()
        assert place.span == Span(3, 54)
        moved = replace(asked, needed=(replace(needed, at=Span(4, 55)),))
        with pytest.raises(ConfigError, match="are not at 4 to 55 of 01-deed"):
            questions.locate_required_words(library, [moved])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("schema: 1", "schema: 7", "schema 1"),
        ("kind: fact", "kind: riddle", "no known kind"),
        ("    silent: true\n", "", "needs words, and evidence or"),
        ("id: flood", "id: fire", "twice"),
        ("ask: Who insures the grain?", "asks: x", "not of the form"),
        ("schema: 1", "schema: [", "cannot be read"),
        ("    silent: true\n", "    silent: true\n    rulings: [perhaps]\n", "not of the form"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        questions.load_questions(written(tmp_path, FILE.replace(old, new)))


def test_answers_are_measured_by_the_words_they_quote() -> None:
    asked = Question(
        "fire", "fact", "Who?", needed=(RequiredWords("01", "a"), RequiredWords("01", "b"))
    )
    places = [RequiredPlace("deed", Span(0, 20)), RequiredPlace("deed", Span(57, 77))]
    whole = questioning.score_answer(asked, places, report((0, 40), (10, 60), (57, 80)))
    assert (whole.recall, whole.missed, whole.characters) == (1.0, (), 80)
    part = questioning.score_answer(asked, places, report((0, 20), claims=1))
    assert (part.recall, part.missed, part.sentences, part.verified) == (0.5, (1,), 2, 1)
    silent = questioning.score_answer(
        Question("flood", "silent", "Who?", silent=True), [], report(ruling=Verdict.ABSENT)
    )
    wrong = questioning.score_answer(asked, places, report(ruling=Verdict.ABSENT))
    near = replace(report(ruling=Verdict.ABSENT), gaps=(Gap("Nothing.", nearest=cited(0, 20)),))
    told = questioning.score_answer(asked, places, near)
    assert (told.recall, told.shown, told.characters) == (0.0, 0.5, 0)
    figures = questioning.answer_measures([whole, part, silent, wrong])
    assert figures["evidence_recall"] == 0.5
    assert figures["all_evidence"] == 0.3333
    assert figures["abstained"] == 1.0
    assert figures["abstained_wrongly"] == 0.3333
    assert figures["sentences_verified"] == 0.8
    assert (figures["whether"], figures["ruled_right"], figures["ruled_wrong"]) == (0, 0, 0)
    rows = list(questioning.question_table([whole, part, silent, wrong]).columns[4].cells)
    assert rows == ["", "1/2", "", "2/2"]
    for table in questioning.kind_tables(figures):
        assert list(table.columns[0].cells) == ["fact", "silent", "all"]


def test_a_wrong_yes_or_no_is_told_from_none() -> None:
    asked = Question(
        "fire", "condition", "May we?", needed=(RequiredWords("01", "a"),),
        rulings=(Verdict.NO, Verdict.DEPENDS),
    )  # fmt: skip
    told = {
        ruling: questioning.score_answer(
            asked, [RequiredPlace("deed", Span(0, 9))], report(ruling=ruling)
        )
        for ruling in Verdict
    }
    assert {each for each in Verdict if told[each].is_right} == {Verdict.NO, Verdict.DEPENDS}
    assert {each for each in Verdict if told[each].is_wrong} == {Verdict.YES}
    figures = questioning.answer_measures(list(told.values()))
    assert (figures["whether"], figures["ruled_right"], figures["ruled_wrong"]) == (6, 2, 1)


def test_a_run_of_answers_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = [
        answer_runs.Report("fire", "rules", report((0, 20))),
        answer_runs.Report("flood", "rules", report()),
    ]
    path = tmp_path / "run.jsonl"
    write_lines(path, made)
    assert list(answer_runs.read_reports(path).values()) == made
    path.write_text(path.read_text() * 2)
    with pytest.raises(ConfigError, match="line 3: 'fire' is answered twice"):
        answer_runs.read_reports(path)
    path.write_text("{}\n")
    with pytest.raises(ConfigError, match="line 1"):
        answer_runs.read_reports(path)
