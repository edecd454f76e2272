"""Whether the words that are quoted for a statement bear it out, as far as a program can tell.

The entailment model tells reliably whether words speak of a statement at all, and hardly ever
whether they say its opposite (`python -m training.statements.measure`). So what they do not speak
of is refused by the model, unless they have every word of it: the model may miss one of the many
things that a long sentence says. Whether the rest goes the same way round is compared by rules,
which mostly cannot tell. Only what they can tell is called verified; for the rest it is said that
nobody checked.
"""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.models.entailment.model import load_entailment
from fourcorners.models.entailment.spans import split_items
from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners.research.agents.direction import Direction, compare_direction, has_all_words
from fourcorners.research.agents.figures import (
    Figure,
    contradicting_figures,
    find_figures,
    has_unknown_labels,
    unknown_figures,
)
from fourcorners.research.answer import Verification
from fourcorners.text.span import Span

NOT_MENTIONED = "the words given for it do not speak of it"
TURNED = "the words given for it seem to say the opposite"
NOT_CHECKED = "not checked against its quotes"
_UNSAID = 0.5  # probability from which the words do not speak of a statement: the likelier answer


def check_quotes(
    statement: str,
    quotes: Sequence[str],
    known: Sequence[Figure] = (),
    *,
    concludes: bool = False,
) -> tuple[Verification, str]:
    """Return how a statement stands on quotes, by its figures and by what they say.

    `known` are figures that a person said or the program computed: with one of these a statement is
    not refused, and not verified, either.
    """
    statement, quotes = " ".join(statement.split()), [" ".join(each.split()) for each in quotes]
    own = [each for quote in quotes for each in find_figures(quote, with_labels=True)]
    if unknown := unknown_figures(statement, [*own, *known]):
        return Verification.UNVERIFIED, f"{_join_figures(unknown)} not in the words quoted"
    if contrary := contradicting_figures(statement, quotes):
        return (
            Verification.UNVERIFIED,
            f"{_join_figures(contrary)} not what the words quoted have there",
        )
    standing, problem = check_statement(statement, quotes, concludes=concludes)
    is_exact = not unknown_figures(statement, own, exactly=True)
    if standing is Verification.VERIFIED and not (
        is_exact and not has_unknown_labels(statement, quotes)
    ):
        return Verification.UNCHECKED, NOT_CHECKED
    return standing, problem


def _join_figures(figures: Sequence[str]) -> str:
    return f"{', '.join(figures)} {'is' if len(figures) == 1 else 'are'}"


def check_statement(
    statement: str, quotes: Sequence[str], *, concludes: bool = False
) -> tuple[Verification, str]:
    """Return how a statement stands on the words quoted for it, and why if it is not verified.

    A sentence that concludes, from findings and from what is asked, may say what no words of a
    contract do: of it the model cannot tell whether they speak of it.
    """
    directions = {compare_direction(statement, each) for each in (*quotes, " ".join(quotes))}
    if not concludes and Direction.SAME not in directions and not _is_mentioned(statement, quotes):
        return Verification.UNVERIFIED, NOT_MENTIONED
    if {Direction.OPPOSITE, Direction.SAME} <= directions:  # a rule and its exception
        return Verification.UNCHECKED, NOT_CHECKED
    if Direction.OPPOSITE in directions:
        return Verification.UNVERIFIED, TURNED
    if Direction.SAME in directions:
        return Verification.VERIFIED, ""
    return Verification.UNCHECKED, NOT_CHECKED


def _is_mentioned(statement: str, quotes: Sequence[str]) -> bool:
    if has_all_words(statement, " ".join(quotes)):
        return True
    text, spans = "", []
    for each in quotes:
        spans += split_items(text + each, [Span(len(text), len(text) + len(each))])
        text += f"{each}\n"
    (verdict,) = load_entailment().judge(text, spans, [statement])
    return verdict.scores[LABELS.index(Label.NOT_MENTIONED)] < _UNSAID
