"""The page on which people vote: one file without a network, and without a word on who is who."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from fourcorners.evaluation.answers.blind import report_parts
from fourcorners.evaluation.answers.criteria import load_criteria
from fourcorners.evaluation.answers.votes import Choice, Key, Pair

_SHOWN = {
    Choice.LEFT: "left",
    Choice.RIGHT: "right",
    Choice.NEITHER: "neither",
    Choice.UNSURE: "not sure",
}


def ballot_page(pairs: Sequence[Pair], key: Key) -> str:
    """Return the page as HTML; words of contracts and reports are escaped, and only data."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    script, style = _file("ballot.js"), _file("ballot.css")
    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(_file("ballot.html.j2"))
    return template.render(
        ballot=key.ballot,
        pairs=[
            {
                "question": pair.question,
                "asked": pair.left.answer.question,
                "left": report_parts(pair.left.answer),
                "right": report_parts(pair.right.answer),
            }
            for pair in pairs
        ],
        criteria=load_criteria().items,
        choices=[(choice.value, _SHOWN[choice]) for choice in Choice],
        script=Markup(script),  # noqa: S704 - our own file
        style=Markup(style),  # noqa: S704 - our own file
        script_hash=_hash(script),
        style_hash=_hash(style),
    )


def _file(name: str) -> str:
    return files("fourcorners.evaluation").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
