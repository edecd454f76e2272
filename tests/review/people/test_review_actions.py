"""What people say of findings: kept whole, applied last first, and told to the audit trail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import annotations as remarks
from fourcorners.review import store
from fourcorners.review.finding import Annotation, Author, CellState, Finding, ReviewState
from fourcorners.review.people import review_actions as states
from fourcorners.text.span import Span
from tests.review.filled import ASSIGN, LAW, LEAVE, fill

REST = (
    'author, at, state, value, start, "end", comment, fingerprint, seen, sha256, answers, severity '
    "FROM remarks"
)
CELL, OTHER = "change-of-control", "insurance"
C, X, R, S, P = (
    ReviewState.CONFIRMED,
    ReviewState.CORRECTED,
    ReviewState.REJECTED,
    ReviewState.SECOND_LOOK,
    ReviewState.PROPOSED,
)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "room.db") as opened:
        yield opened


@pytest.fixture
def room(library: Library, playbook: Playbook) -> str:
    """The id of a contract where one cell is found and the other is not."""
    return fill(library, playbook, {CELL: [LEAVE], OTHER: CellState.NOT_FOUND})


def stored(library: Library, playbook: Playbook, document: str, cell: str = CELL) -> Finding:
    return store.load_findings(library, playbook, document)[cell]


def test_a_finding_nobody_spoke_of_is_proposed(
    library: Library, playbook: Playbook, room: str
) -> None:
    finding = stored(library, playbook, room)
    assert (finding.review, finding.value, finding.remarks) == (P, "", ())


def test_what_is_said_comes_back_with_the_finding(
    library: Library, playbook: Playbook, room: str
) -> None:
    said = states.annotate_finding(
        library,
        playbook,
        room,
        CELL,
        states.NewAnnotation(
            by=" Ann  Adeyemi ", state=C, comment="as expected", at="2026-03-04T05:06:07+00:00"
        ),
    )
    assert said == stored(library, playbook, room)
    assert said.review is C
    assert said.remarks == (
        Annotation("Ann Adeyemi", "2026-03-04T05:06:07+00:00", C, comment="as expected"),
    )
    assert store.load_cells(library, playbook, [CELL])[room][CELL] == said
    assert stored(library, playbook, room, OTHER).remarks == ()


def test_words_of_the_contract_become_a_verified_value(
    library: Library, playbook: Playbook, room: str
) -> None:
    text = library.text(room)
    typed = "“neither  party may assign this agreement without the consent of the other.”"
    typed = typed.strip("“”").replace("neither", "Neither").replace("agreement", "Agreement")
    said = states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Ann", value=typed)
    )
    assert said.review is X
    assert said.value == ASSIGN
    assert said.place is not None
    assert said.place.text_in(text) == ASSIGN


def test_a_near_match_is_the_persons_own_word(
    library: Library, playbook: Playbook, room: str
) -> None:
    own = ASSIGN.replace("consent", "assent")  # 98% alike, and not what the contract says
    said = states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Ann", value=own)
    )
    assert (said.value, said.place) == (own, None)


def test_a_short_value_is_sought_in_the_clause_only(
    library: Library, playbook: Playbook, room: str
) -> None:
    assert (
        states.annotate_finding(
            library, playbook, room, CELL, states.NewAnnotation(by="Ann", value="Goods")
        ).place
        is None
    )
    near = states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Ann", value="Customer")
    ).place
    assert near is not None
    assert near.start == library.text(room).index(LEAVE) + LEAVE.index("Customer")


def test_one_can_point_at_words(library: Library, playbook: Playbook, room: str) -> None:
    start = library.text(room).index(LAW)
    place = Span(start - 1, start + len(LAW))  # with the space before
    said = states.annotate_finding(
        library, playbook, room, OTHER, states.NewAnnotation(by="Ann", place=place)
    )
    assert (said.review, said.value, said.place) == (X, LAW, Span(start, start + len(LAW)))
    with pytest.raises(ConfigError, match="no words at these characters"):
        states.annotate_finding(
            library,
            playbook,
            room,
            OTHER,
            states.NewAnnotation(by="Ann", place=Span(10**6, 10**6 + 4)),
        )


def test_a_value_stays_until_it_is_rejected_or_taken_back(
    library: Library, playbook: Playbook, room: str
) -> None:
    def say(
        state: ReviewState | None, value: str = "", comment: str = ""
    ) -> tuple[ReviewState, str]:
        said = states.annotate_finding(
            library,
            playbook,
            room,
            CELL,
            states.NewAnnotation(by="Ann", state=state, value=value, comment=comment),
        )
        return said.review, said.value

    assert say(X, value="six months") == (X, "six months")
    assert say(None, comment="sure?") == (X, "six months")
    assert say(S) == (S, "six months")
    assert say(C) == (C, "six months")
    assert say(P) == (P, "")
    assert say(X, value="seven months") == (X, "seven months")
    assert say(R) == (R, "")
    assert [each.value for each in stored(library, playbook, room).remarks] == [
        *("six months", "", "", "", "", "seven months", "")
    ]


@pytest.mark.parametrize(
    ("cell", "say", "told"),
    [
        (CELL, {"by": "  ", "state": C}, "needs the name of its author"),
        (CELL, {"by": "x" * 121, "state": C}, "too long"),
        (CELL, {"by": "Ann"}, "nothing to save"),
        (CELL, {"by": "Ann", "state": X}, "a correction needs other wording"),
        (CELL, {"by": "Ann", "state": C, "value": "x"}, "only a correction has a value"),
        (CELL, {"by": "Ann", "value": "x", "place": Span(0, 4)}, "both a value and a place"),
        (CELL, {"by": "Ann", "state": P}, "nothing to undo"),
        (CELL, {"by": "Ann", "comment": "\ud800"}, "contains ⟦U\\+D800⟧, which cannot be stored"),
        (CELL, {"by": "Ann", "value": "a\0b"}, "contains ⟦U\\+0000⟧"),
        (CELL, {"by": "Ann", "value": "x" * 20_001}, "too long"),
        (OTHER, {"by": "Ann", "state": R}, "nothing was found here"),
        ("nowhere", {"by": "Ann", "state": C}, "no provision"),
    ],
)
def test_what_cannot_be_said_is_refused_and_leaves_nothing(
    library: Library, playbook: Playbook, room: str, cell: str, say: dict[str, object], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        states.annotate_finding(library, playbook, room, cell, states.NewAnnotation(**say))  # type: ignore[arg-type]
    assert remarks.select_annotations(library, playbook.id) == {}
    assert [each.event for each in library.audit_trail()] == ["add"]


def test_a_failed_cell_can_be_corrected_not_confirmed(library: Library, playbook: Playbook) -> None:
    room = fill(library, playbook, {CELL: CellState.FAILED})
    with pytest.raises(ConfigError, match="nothing to confirm"):
        states.annotate_finding(
            library, playbook, room, CELL, states.NewAnnotation(by="Ann", state=C)
        )
    said = states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Ann", value=LEAVE)
    )
    assert said.place is not None


def test_a_cell_that_was_not_reviewed_cannot_be_judged(
    library: Library, playbook: Playbook, room: str
) -> None:
    newer = replace(playbook, hash="1" * 64)
    with pytest.raises(ConfigError, match="was not reviewed"):
        states.annotate_finding(library, newer, room, CELL, states.NewAnnotation(by="Ann", state=C))


def test_a_newer_playbook_keeps_peoples_word(
    library: Library, playbook: Playbook, room: str
) -> None:
    states.annotate_finding(library, playbook, room, CELL, states.NewAnnotation(by="Ann", state=C))
    newer = replace(playbook, hash="1" * 64, version="2")
    fill(library, newer, {CELL: [LEAVE]})
    assert stored(library, newer, room).review is C


def test_other_words_need_a_second_look_and_the_program_says_why(
    library: Library, playbook: Playbook, room: str
) -> None:
    states.annotate_finding(library, playbook, room, CELL, states.NewAnnotation(by="Ann", state=C))
    fill(library, playbook, {CELL: [LAW]})
    changed = stored(library, playbook, room)
    assert changed.review is S
    told = changed.remarks[-1]
    assert (told.author, told.by, told.state) == (Author.RULE, "Fourcorners", S)
    assert "since Ann marked it as confirmed" in told.comment
    assert f"No longer quoted: “{LEAVE}”." in told.comment
    assert f"Quoted now: “{LAW}”." in told.comment
    fill(library, playbook, {CELL: [LAW]})
    assert len(stored(library, playbook, room).remarks) == 2, "said once"
    fill(library, playbook, {CELL: [LEAVE]})
    again = stored(library, playbook, room)
    assert (again.review, len(again.remarks)) == (C, 3)
    assert again.remarks[-1].comment == "This is the same again as when Ann marked it as confirmed."
    fill(library, playbook, {CELL: CellState.NOT_FOUND})
    gone = stored(library, playbook, room)
    assert gone.review is S
    assert "It was found, and is not found now." in gone.remarks[-1].comment
    assert (
        states.annotate_finding(
            library, playbook, room, CELL, states.NewAnnotation(by="Bob", state=C)
        ).review
        is C
    )
    assert remarks.annotation_faults(library) == []
    assert library.check() == []


def test_a_correction_survives_a_review_that_finds_other_words(
    library: Library, playbook: Playbook, room: str
) -> None:
    states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Ann", value=ASSIGN)
    )
    fill(library, playbook, {CELL: [LAW]})
    changed = stored(library, playbook, room)
    assert (changed.review, changed.value) == (S, ASSIGN)
    assert changed.place is not None


def test_a_failure_is_told_while_it_lasts(library: Library, playbook: Playbook, room: str) -> None:
    states.annotate_finding(library, playbook, room, CELL, states.NewAnnotation(by="Ann", state=C))
    fill(library, playbook, {CELL: CellState.FAILED})
    failed = stored(library, playbook, room)
    assert failed.review is S
    assert "is failed now" in failed.remarks[-1].comment
    fill(library, playbook, {CELL: [LEAVE]})
    assert stored(library, playbook, room).review is C
    assert len(stored(library, playbook, room).remarks) == 1


def test_a_rejected_finding_stays_rejected_until_it_is_another(
    library: Library, playbook: Playbook, room: str
) -> None:
    states.annotate_finding(library, playbook, room, CELL, states.NewAnnotation(by="Ann", state=R))
    fill(library, playbook, {CELL: [LEAVE]})
    assert stored(library, playbook, room).review is R
    fill(library, playbook, {CELL: [LEAVE, LAW]})
    assert stored(library, playbook, room).review is S


def test_what_was_said_outlives_the_contract(
    library: Library, playbook: Playbook, room: str
) -> None:
    states.annotate_finding(library, playbook, room, CELL, states.NewAnnotation(by="Ann", state=C))
    library.remove(room)
    assert fill(library, playbook, {CELL: [LEAVE]}) == room
    assert stored(library, playbook, room).review is C


def test_a_finding_that_was_loaded_can_be_stored_again(
    library: Library, playbook: Playbook, room: str
) -> None:
    said = states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Ann", value="six months")
    )
    store.save_findings(library, playbook, "engine", [said])
    assert stored(library, playbook, room) == said


def test_the_trail_has_who_and_what_and_no_words(
    library: Library, playbook: Playbook, room: str
) -> None:
    states.annotate_finding(
        library,
        playbook,
        room,
        CELL,
        states.NewAnnotation(by="Ann", value=ASSIGN, comment="see clause 3.1"),
    )
    fill(library, playbook, {CELL: [LAW]})
    entries = [each for each in library.audit_trail() if each.event == "remark"]
    told = [json.loads(each.detail) for each in entries]
    assert [(each["by"], each["state"], each["author"]) for each in told] == [
        ("Ann", "corrected", "person"),
        ("Fourcorners", "second_look", "rule"),
    ]
    assert all({"document", "playbook", "provision", "fingerprint", "sha256"} <= each.keys()
               for each in told)  # fmt: skip
    whole = " ".join(each.detail for each in entries)
    assert not any(words in whole for words in (ASSIGN, LAW, LEAVE, "clause 3.1"))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE remarks SET comment = 'x'",
        "DELETE FROM remarks",
        "INSERT OR REPLACE INTO remarks SELECT 1, document, playbook, provision, 'Eve', " + REST,
    ],
)
def test_the_file_refuses_changes_to_remarks(
    library: Library, playbook: Playbook, room: str, change: str
) -> None:
    states.annotate_finding(library, playbook, room, CELL, states.NewAnnotation(by="Ann", state=C))
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        library.execute(change)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE remarks SET by = 'Eve' WHERE row = 1", "remark 1 was changed"),
        ("UPDATE remarks SET value = 'x' WHERE row = 2", "remark 2 was changed"),
        ("DELETE FROM remarks WHERE row = 2", "remark 2 is missing"),
        (
            f"INSERT INTO remarks SELECT 3, document, playbook, provision, by, {REST} LIMIT 1",
            "remark 3 is not in the audit trail",
        ),
    ],
)
def test_tampering_with_remarks_shows(
    library: Library, playbook: Playbook, room: str, change: str, told: str
) -> None:
    for number in range(2):
        states.annotate_finding(
            library,
            playbook,
            room,
            CELL,
            states.NewAnnotation(by="Ann", comment=f"remark {number}"),
        )
    assert remarks.annotation_faults(library) == []
    library.execute("DROP TRIGGER remarks_refuse_update; DROP TRIGGER remarks_refuse_delete; ")
    library.execute(change)
    assert remarks.annotation_faults(library) == [told]


def test_a_remark_and_its_entry_are_there_together_or_not_at_all(
    library: Library, playbook: Playbook, room: str
) -> None:
    def stop() -> None:
        with library.transaction():
            states.annotate_finding(
                library, playbook, room, CELL, states.NewAnnotation(by="Ann", state=C)
            )
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert stored(library, playbook, room).remarks == ()
    assert remarks.annotation_faults(library) == []
    assert [each.event for each in library.audit_trail()] == ["add"]


Step = tuple[str, ReviewState | None, str]
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["Ann", "Bob"]),
            st.sampled_from([C, X, R, S, P, None]),
            st.sampled_from(["", "six months", ASSIGN]),
        ),
        st.sampled_from([("review", None, LEAVE), ("review", None, LAW), ("review", None, "")]),
    ),
    max_size=12,
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_the_last_state_wins_and_the_history_is_whole(
    tmp_path_factory: pytest.TempPathFactory, playbook: Playbook, steps: list[Step]
) -> None:
    path = tmp_path_factory.mktemp("property") / "room.db"
    with Library.open(path) as library:
        room = fill(library, playbook, {CELL: [LEAVE]})
        finds, said, judged = LEAVE, [], (P, LEAVE)
        for who, state, words in steps:
            if who == "review":
                finds = words
                fill(library, playbook, {CELL: [words] if words else CellState.NOT_FOUND})
                continue
            value = words if state is X else ""
            try:
                states.annotate_finding(
                    library,
                    playbook,
                    room,
                    CELL,
                    states.NewAnnotation(
                        by=who, state=state, value=value, comment="" if state else "only a word"
                    ),
                )
            except ConfigError:
                continue
            said.append((who, state, value))
            judged = (state, finds) if state else judged
        finding = stored(library, playbook, room)
        kept = [each for each in finding.remarks if each.author is Author.PERSON]
        assert [(each.by, each.state, each.value) for each in kept] == said
        state, at = judged
        assert finding.review is (state if state is P or at == finds else S)
        assert remarks.annotation_faults(library) == []
        assert library.audit_verdict().faults == ()
        entries = [each for each in library.audit_trail() if each.event == "remark"]
        annotations = remarks.select_annotations(library, playbook.id, provisions=[CELL])
        assert len(entries) == len(annotations.get((room, CELL), []))
