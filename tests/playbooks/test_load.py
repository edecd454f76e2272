from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from fourcorners.errors import PlaybookError
from fourcorners.playbooks import CardField, Extent, Position, Rule, builtin_names, load_playbook
from fourcorners.playbooks.load import MAX_BYTES, parse_playbook
from fourcorners.search.query import parse_query

SMALL = Path(__file__).with_name("small.yaml")

HEAD = "id: mine\nname: Mine\nversion: '1'\nprovisions:\n"  # lines 1 to 4
PROVISION = "  - id: term\n    name: Term\n    definition: How long it lasts.\n    query: term\n"


def error(text: str) -> PlaybookError:
    with pytest.raises(PlaybookError) as caught:
        parse_playbook(text, "mine.yaml")
    return caught.value


def test_every_key_arrives() -> None:
    playbook = load_playbook(SMALL)
    assert (playbook.id, playbook.name) == ("supply-check", "Supply check")
    assert playbook.version == "1.10"  # as it is written, not the number 1.1
    assert playbook.language == "no"  # Norwegian, not false
    assert playbook.description == "What a buyer asks of its suppliers."
    late, seat = playbook.provisions
    assert late.id == "late-delivery"
    assert late.aliases == ("Delay", "Liquidated damages for delay")
    assert (
        late.query.tree
        == parse_query(
            '["late delivery"~5^5, "delay damages"~10^4, "liquidated damages" AND deliver*]'
        ).tree
    )
    assert late.avoid == parse_query('["late payment"~3]')
    assert late.examples[0].startswith("For each week of delay")
    assert late.instructions.startswith("Quote the rate")
    assert (late.extent, late.threshold) == (Extent.CLAUSE, 0.35)
    assert late.applies_to == ("Supply", "Purchase")
    ceiling, leave, rate, basis, seller = late.questions
    assert (ceiling.id, ceiling.guidance) == ("ceiling", "Look for a percentage of the price.")
    assert (ceiling.answer, ceiling.applies_to) == ("yes_no", ("Supply",))
    assert ceiling.options == {"yes": "with a ceiling", "no": ""}
    assert (leave.answer, leave.options, leave.says, leave.applies_to) == ("text", {}, "", ())
    assert (rate.answer, rate.says) == ("amount", "{} a week")
    assert (basis.answer, list(basis.options)) == ("one_of", ["price", "order"])
    assert seller.answer == "party"
    first, second, third = late.severity
    assert (first.when, first.severity) == ("found", "high")
    assert (first.answers, first.burdens) == ({"ceiling": ("no",)}, "seller")
    assert (second.answers, second.burdens) == ({}, "")
    assert (third.when, third.because) == ("not_found", "Nothing is said of delay.")
    assert (first.recommend, second.recommend) == ("Ask for a ceiling.", "")
    assert late.rules == (
        Rule(
            "walk-away",
            "The buyer may terminate for a long delay.",
            "entailed",
            "high",
            "The buyer is bound for as long as the seller is late.",
            "Add a right to terminate after eight weeks.",
        ),
        Rule("no-set-off", "The buyer may not set off damages for delay.", "not_entailed"),
    )
    preferred, refused = late.positions
    assert preferred == Position(
        "preferred",
        "One percent a week, without a ceiling.",
        {"ceiling": ("no",), "basis": ("price", "order")},
        "The Seller pays one percent of the price for each week of delay.",
        "Accept.",
    )
    assert refused == Position("unacceptable", "The seller is not liable for delay.")
    assert (seat.extent, seat.card) == (Extent.FACT, CardField.PARTIES)
    assert (seat.avoid, seat.threshold, seat.severity, seat.questions) == (None, None, (), ())


def test_a_playbook_is_a_frozen_value() -> None:
    playbook = load_playbook(str(SMALL))
    assert playbook == load_playbook(SMALL)
    with pytest.raises(dataclasses.FrozenInstanceError):
        playbook.name = "Other"  # type: ignore[misc]


def test_the_hash_is_of_the_content_not_of_the_layout() -> None:
    one = parse_playbook(HEAD + PROVISION, "a")
    laid_out_otherwise = (
        "# comment\nversion: 1\nname: 'Mine'\nlanguage: en\nid: mine\n"
        "provisions: [{query: term, definition: >-\n    How long\n    it lasts.\n  , "
        "id: term, name: Term}]\n"
    ).replace(">-\n    How long\n    it lasts.\n  ", "How long it lasts.")
    assert parse_playbook(laid_out_otherwise, "b").hash == one.hash
    assert re.fullmatch("[0-9a-f]{64}", one.hash)
    for change in ("'2'", "'1 '"):
        same = change == "'1 '"
        changed = parse_playbook(HEAD.replace("'1'", change) + PROVISION, "c")
        assert (changed.hash == one.hash) is same
    assert parse_playbook(HEAD + PROVISION.replace("lasts.", "runs."), "d").hash != one.hash


# What is wrong, the file, the line and (where it is known) the character, and what must be said.
BAD: dict[str, tuple[str, int, int | None, str]] = {
    "empty file": ("", 1, None, "the file is empty"),
    "only a comment": ("# nothing\n", 1, None, "the file is empty"),
    "not a mapping": ("- a\n- b\n", 1, None, "must be a mapping of keys to values, not a list"),
    "not YAML": (HEAD + "  - id: [term\n", 6, 1, "did not find expected|expected ','"),
    "tab": ("id: mine\n\tname: Mine\n", 2, 1, r"'\\t'"),
    "control character": ("id: mine\nname: a\x01b\n", 2, None, r"U\+0001 is not allowed"),
    "two documents": (HEAD + PROVISION + "---\na: b\n", 9, 1, "another document"),
    "unquoted query": (
        HEAD + PROVISION.replace("query: term", 'query: "late"~5'),
        8,
        18,
        "expected <block end>",
    ),
    "query as a list": (
        HEAD + PROVISION.replace("query: term", 'query: ["late"]'),
        8,
        None,
        r"provisions\.term\.query: this must be text, not a list; put it between single quotes",
    ),
    "alias": ("id: &a mine\nname: *a\n", 2, 7, r"alias \*a is not supported"),
    "alias bomb": (
        "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\n",
        2,
        8,
        r"alias \*a",
    ),
    "deep nesting": ("id: mine\nname: " + "[" * 5_000, 2, 18, "nested more than 12 levels"),
    "tag": ("id: !!python/name:os.system x\n", 1, None, "tag .*python/name.* not supported"),
    "twice the same key": ("id: mine\nname: A\nid: b\n", 3, None, "id: .*twice.*line 1"),
    "key that is no word": ("id: mine\n? [a]\n: b\n", 2, None, "a key must be a word"),
    "unknown key at the top": (
        "id: mine\nname: Mine\nversoin: '1'\nprovisions:\n" + PROVISION,
        3,
        None,
        r"versoin: there is no key 'versoin' here. Did you mean 'version'\?",
    ),
    "unknown key in a provision": (
        HEAD + PROVISION + "    exmaples: []\n",
        9,
        None,
        r"provisions\.term\.exmaples: .*Did you mean 'examples'\?",
    ),
    "unknown key with no near match": (
        HEAD + PROVISION + "    zzz: 1\n",
        9,
        None,
        "there is no key 'zzz' here. There are: id, name, aliases",
    ),
    "unknown key in a rule": (
        HEAD + PROVISION + "    severity:\n      - {when: found, sevrity: low, because: B.}\n",
        10,
        None,
        r"severity#1\.sevrity: .*Did you mean 'severity'\?",
    ),
    "missing key": (
        HEAD + PROVISION.replace("    definition: How long it lasts.\n", ""),
        5,
        None,
        r"provisions\.term: the key 'definition' is missing",
    ),
    "missing key of a provision without id": (
        HEAD + PROVISION + "  - name: Other\n    definition: D.\n    query: q\n",
        9,
        None,
        "provisions#2: the key 'id' is missing",
    ),
    "no value": (HEAD + PROVISION.replace("name: Term", "name:"), 6, None, "text, not nothing"),
    "empty text": (HEAD + PROVISION.replace("Term", "'  '"), 6, None, "must not be empty"),
    "no provisions": (HEAD[:-1] + " []\n", 4, None, "must not be empty"),
    "provisions as a text": (HEAD[:-1] + " all\n", 4, None, "must be a list.*, not 'all'"),
    "provision as a text": (HEAD + "  - term\n", 5, None, "#1: this must be a mapping"),
    "id with capitals": (
        HEAD + PROVISION.replace("id: term", "id: Late Term"),
        5,
        None,
        "lower-case words joined by hyphens, such as change-of-control, not 'Late Term'",
    ),
    "threshold in percent": (
        HEAD + PROVISION + "    threshold: 35\n",
        9,
        None,
        "must be less than 1, not '35'",
    ),
    "threshold that is no number": (
        HEAD + PROVISION + "    threshold: high\n",
        9,
        None,
        "must be a number, not 'high'",
    ),
    "extent": (
        HEAD + PROVISION + "    extent: claus\n",
        9,
        None,
        r"one of sentence, clause or fact, not 'claus' \(did you mean 'clause'",
    ),
    "severity": (
        HEAD + PROVISION + "    severity:\n      - when: found\n        severity: hihg\n"
        "        because: B.\n",
        11,
        None,
        r"one of high, medium, low or none, not 'hihg' \(did you mean 'high'",
    ),
    "query that does not parse": (
        HEAD + PROVISION.replace("query: term", "query: '\"late delivery\"~5 OR (a'"),
        8,
        None,
        r"provisions\.term\.query: (?s:.*)\^",
    ),
    "avoid that does not parse": (
        HEAD + PROVISION + "    avoid: '(a'\n",
        9,
        None,
        r"provisions\.term\.avoid: ",
    ),
    "two provisions with one id": (
        HEAD + PROVISION + PROVISION.replace("name: Term", "name: Other"),
        9,
        None,
        "'term' already names the provision of line 5",
    ),
    "an alias that is another's name": (
        HEAD
        + PROVISION
        + PROVISION.replace("id: term", "id: end").replace("name: Term", "name: End")
        + "    aliases: [Expiry, TERM]\n",
        13,
        None,
        "'TERM' already names the provision of line",
    ),
    "what a rule expects": (
        HEAD + PROVISION + "    rules:\n      - {id: a, statement: S., expects: entailled}\n",
        10,
        None,
        r"rules\.a\.expects: .*did you mean 'entailed'",
    ),
    "kind of a position": (
        HEAD + PROVISION + "    positions:\n      - {kind: prefered, text: T.}\n",
        10,
        None,
        r"positions#1\.kind: .*did you mean 'preferred'",
    ),
    "answers to a question that is not asked": (
        HEAD
        + PROVISION
        + "    positions:\n      - {kind: fallback, text: T., answers: {a: [b]}}\n",
        10,
        None,
        r"positions#1\.answers: the provision asks no question 'a'",
    ),
    "an answer that a question cannot have": (
        HEAD
        + PROVISION
        + "    questions:\n      - {id: a, question: 'B?', options: {b: '', c: ''}}\n"
        + "    severity:\n      - {when: found, severity: low, because: B., answers: {a: [d]}}\n",
        12,
        None,
        r"severity#1\.answers: 'a' has no answer 'd'; it has b, c",
    ),
    "an answer that is neither yes nor no": (
        HEAD
        + PROVISION
        + "    questions:\n      - {id: a, question: 'B?', answer: yes_no}\n"
        + "    severity:\n      - {when: found, severity: low, because: B., answers: {a: [si]}}\n",
        12,
        None,
        r"severity#1\.answers: 'a' has no answer 'si'; it has yes, no",
    ),
    "a burden on what is no party": (
        HEAD
        + PROVISION
        + "    questions:\n      - {id: a, question: 'B?'}\n"
        + "    severity:\n      - {when: found, severity: low, because: B., burdens: a}\n",
        12,
        None,
        r"severity#1\.burdens: no question 'a' asks for a party",
    ),
    "a position's period that is none": (
        HEAD + PROVISION + "    positions:\n"
        "      - {kind: unacceptable, text: B., burdens: subject, favours: payer, under: soon}\n",
        10,
        None,
        r"positions#1\.under: this is to be one period, such as 30 days",
    ),
    "a rule on the subject": (
        HEAD
        + PROVISION
        + "    severity:\n      - {when: found, severity: low, because: B., burdens: subject}\n",
        10,
        None,
        r"severity#1\.burdens: no question 'subject' asks for a party",
    ),
    "two rules with one id": (
        HEAD
        + PROVISION
        + "    rules:\n      - {id: a, statement: S.}\n      - {id: a, statement: T.}\n",
        11,
        None,
        "'a' already names the rule of line 10",
    ),
    "two questions with one id": (
        HEAD + PROVISION + "    questions:\n      - {id: a, question: 'B?'}\n"
        "      - {id: a, question: 'C?'}\n",
        11,
        None,
        r"questions\.a\.id: 'a' already names the question of line 10",
    ),
    "a rule that is never reached": (
        HEAD + PROVISION + "    severity:\n      - {when: found, severity: low, because: B.}\n"
        "      - {when: found, severity: high, because: B., answers: {a: [b]}}\n",
        11,
        None,
        "never reached: that of line 10 always holds",
    ),
    "answers to nothing": (
        HEAD
        + PROVISION
        + "    questions:\n      - {id: a, question: 'B?'}\n"
        + "    severity:\n"
        + "      - {when: not_found, severity: low, because: B., answers: {a: [b]}}\n",
        12,
        None,
        "where nothing was found no question is answered",
    ),
    "a fact without the card": (
        HEAD + PROVISION + "    extent: fact\n",
        9,
        None,
        "needs the key 'card'",
    ),
}


@pytest.mark.parametrize(("text", "line", "character", "said"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_refused_at_its_line(
    text: str, line: int, character: int | None, said: str
) -> None:
    message = error(text).message
    place = rf"mine\.yaml, line {line}"
    place += rf", character {character}[:,]" if character is not None else "[:,]"
    assert re.match(place, message), message
    assert re.search(said, message), message


def test_every_problem_is_told_in_the_order_of_the_file() -> None:
    text = (
        HEAD
        + PROVISION.replace("query: term", "qurey: term").replace("    name: Term\n", "")
        + PROVISION.replace("id: term", "id: Te m")
    )
    assert error(text).remedy.startswith("Add the key")
    lines = error(text).message.split("\n")
    assert [re.findall(r"line (\d+), (.*): ", line) for line in lines] == [
        [("5", "provisions.term")],
        [("7", "provisions.term.qurey")],
        [("8", "provisions.Te m.id")],
    ]


def test_hundreds_of_problems_are_cut_short() -> None:
    message = error(HEAD + "".join(f"  - id: p{n}\n" for n in range(100))).message
    assert message.count("\n") == 20
    assert message.endswith("mine.yaml: and 280 more.")


@pytest.mark.parametrize(
    ("written", "line", "character"),
    [
        ("query: late OR )", 8, 20),
        ("query: 'late OR )'", 8, 21),
        ('query: "late OR )"', 8, 21),
        ("query: 'supplier''s OR )'", 8, 28),
        ('query: "\\"late delivery\\" OR )"', 8, 34),
        ("query: >-\n      late OR\n      )", 10, 7),
        ("query: |\n      late OR\n\n      )\n", 11, 7),
        ("query: late\n      OR )", 9, 10),
    ],
)
def test_a_query_error_points_into_the_file(written: str, line: int, character: int) -> None:
    message = error(HEAD + PROVISION.replace("query: term", written)).message
    assert message.startswith(f"mine.yaml, line {line}, character {character}, "), message


def test_an_escape_that_hides_the_place_still_gives_the_line() -> None:
    text = HEAD + PROVISION.replace("query: term", r'query: "caf\u00e9 OR )"')
    assert error(text).message.startswith("mine.yaml, line 8, provisions.term.query: ")


def test_the_remedy_of_the_query_language_is_kept() -> None:
    assert error(HEAD + PROVISION.replace("query: term", "query: '(a'")).remedy


def test_a_long_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(PlaybookError, match=r"long\.yaml: .*1,000,000 bytes"):
        load_playbook(path)


def test_a_file_in_another_encoding_is_named_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes("id: a\nname: Müller\n".encode("latin-1"))
    with pytest.raises(PlaybookError, match=r"latin\.yaml, line 2: this is not UTF-8") as caught:
        load_playbook(path)
    assert caught.value.remedy == "Save the file as UTF-8."


def test_a_byte_order_mark_and_windows_lines_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + PROVISION).replace("\n", "\r\n").encode())
    assert load_playbook(path) == parse_playbook(HEAD + PROVISION, "unix")


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(PlaybookError, match=r"cannot read the playbook .*none\.yaml: No such"):
        load_playbook(tmp_path / "none.yaml")
    with pytest.raises(PlaybookError, match="cannot read the playbook"):
        load_playbook(tmp_path)


def test_an_unknown_name_offers_near_ones() -> None:
    with pytest.raises(PlaybookError, match="no playbook is called 'due-dilligence'") as caught:
        load_playbook("due-dilligence")
    assert "Did you mean 'due-diligence'?" in caught.value.remedy
    assert "path of a YAML file" in caught.value.remedy


@pytest.mark.parametrize("name", builtin_names())
def test_every_playbook_of_the_package_loads(name: str) -> None:
    playbook = load_playbook(name)
    assert playbook.id == name
    assert all(provision.examples for provision in playbook.provisions)
