"""American spelling: of the pages' own words, and of nothing that a contract or a person says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import Environment

from fourcorners.server import templating
from fourcorners.server.spelling import AmericanSpelling, _british, respell, respell_message
from tests.server.conftest import LEASE, Room

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


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: each.name)
def test_no_template_says_a_british_word(template: Path) -> None:
    made = Environment(autoescape=True, extensions=[AmericanSpelling])
    tokens = list(made._tokenize(template.read_text("utf-8"), template.name))
    said = "".join(token.value if token.type == "data" else "\0" for token in tokens)
    outside = "".join(part.rpartition(">")[2] for part in said.split("<"))
    assert not _british().search(outside)


def test_tags_keep_their_names_and_say_american_words() -> None:
    made = Environment(autoescape=True, extensions=[AmericanSpelling])
    text = '<p class="colour" title="Colour of {{ x }}">{{ x }} in colour {% if x %}grey{% endif %}'
    drawn = made.from_string(text).render(x="colour")
    assert drawn == '<p class="colour" title="Color of colour">colour in color gray'


def test_a_message_keeps_what_it_quotes() -> None:
    message = "no licence is called 'Honour' or “Labour”; recognised: \"Centre\"."
    kept = "no license is called 'Honour' or “Labour”; recognized: \"Centre\"."
    assert respell_message(message) == kept


def test_contracts_and_collections_are_untouched(make_room: Callable[..., Room]) -> None:
    room = make_room(spelling="american")
    lease = LEASE.replace("end this lease", "cancel, in its judgement, this licence")
    room.put({"lease.txt": lease}, "Harbour")
    page = room.client.get(f"/d/{room.document('lease.txt')}").text
    assert "in its judgement, this licence" in page
    assert "Harbour" in room.client.get("/").text
    missing = room.client.get("/c/Labour").text
    assert "Labour" in missing
