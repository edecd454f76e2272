"""American spelling: of the pages' own words, and of nothing that a contract or a person says."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jinja2 import Environment
from jinja2.ext import Extension

import fourcorners
from fourcorners.server import templating
from fourcorners.server.spelling import AmericanSpelling, _british, respell
from tests.server.conftest import LEASE, Room

SOURCE = Path(fourcorners.__file__).parent
# The terminal, prompts and lists of words that are looked for have no setting.
_APART = (
    "cli/",
    "research/agents/",
    "research/offline/cards.py",
    "research/offline/collection.py",
    "search/index.py",
    "models/",
    "llm/",
)
MODULES = [
    each
    for each in sorted(SOURCE.rglob("*.py"))
    if not each.relative_to(SOURCE).as_posix().startswith(_APART)
]
TEMPLATES = sorted((Path(templating.__file__).parent / "templates").glob("*.j2"))


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("Recognised colours", "Recognized colors"),
        ("the licence, cancelled", "the license, canceled"),
        ("Favourable judgements", "Favorable judgments"),
        ("licensed, colourful, centrefold", "licensed, colourful, centrefold"),
    ],
)
def test_words_keep_their_case_and_others_stay(british: str, american: str) -> None:
    assert respell(british) == american


def _own_words(template: Path, *extensions: type[Extension]) -> str:
    """Return what a template says itself, outside its tags."""
    made = Environment(autoescape=True, extensions=extensions)
    tokens = list(made._tokenize(template.read_text("utf-8"), template.name))
    said = "".join(token.value if token.type == "data" else "\0" for token in tokens)
    return "".join(part.rpartition(">")[2] for part in said.split("<"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: each.name)
def test_no_template_says_a_british_word(template: Path) -> None:
    assert not _british().search(_own_words(template, AmericanSpelling))


def test_tags_keep_their_names_and_say_american_words() -> None:
    made = Environment(autoescape=True, extensions=[AmericanSpelling])
    text = '<p class="colour" title="Colour of {{ x }}">{{ x }} in colour {% if x %}grey{% endif %}'
    drawn = made.from_string(text).render(x="colour")
    assert drawn == '<p class="colour" title="Color of colour">colour in color gray'


def _sentences(module: Path) -> Iterator[str]:
    """Yield the literals with several words, but not docstrings."""
    tree = ast.parse(module.read_text("utf-8"))
    bare = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in bare:
            yield each.value if " " in each.value.strip() else ""


def test_sentences_outside_templates_have_only_words_that_two_spell_alike() -> None:
    """They mix with words of contracts, which nothing may respell, on pages and in reports."""
    said = {each: list(_sentences(each)) for each in MODULES}
    said |= {each: [_own_words(each)] for each in SOURCE.glob("reports/templates/*.j2")}
    assert len(said) > 300
    british = [
        (path.name, sentence)
        for path, sentences in said.items()
        for sentence in sentences
        if _british().search(sentence)
    ]
    assert british == []


def test_contracts_and_collections_are_untouched(make_room: Callable[..., Room]) -> None:
    room = make_room(spelling="american")
    lease = LEASE.replace("end this lease", "cancel, in its judgement, this licence")
    room.put({"lease.txt": lease}, "Harbour")
    page = room.client.get(f"/d/{room.document('lease.txt')}").text
    assert "in its judgement, this licence" in page
    assert "Harbour" in room.client.get("/").text
    missing = room.client.get("/c/Labour").text
    assert "Labour" in missing


def test_the_name_of_a_file_begins_a_sentence_as_it_is_written(room: Room) -> None:
    template = room.app.state.server.templates.from_string("{{ words|sentence }}")
    for words, shown in {
        "draft.docx: it is damaged.": "draft.docx: it is damaged.",
        "deal/draft cannot be read.": "deal/draft cannot be read.",
        "describe the clause.": "Describe the clause.",
        "no results.": "No results.",
    }.items():
        assert template.render(words=words) == shown
