"""Check whether the words quoted for a statement support it, as far as a program can tell.

The entailment model recognises reliably whether words are about a statement at all, and hardly ever
whether they say its opposite (`python -m training.statements.measure`). So a statement that its
quotes are not about is refused, unless they have every word of it: the model may miss one of the
many things that a long sentence says. A statement is verified only if it repeats a sentence of its
quotes (`direction`); everything else is unchecked.
"""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.models.entailment.model import load_entailment
from fourcorners.models.entailment.spans import split_items
from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners.research.agents.direction import (
    StatementDirection,
    compare_direction,
    has_all_words,
)
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
_UNSAID = 0.5  # probability from which the words are not about a statement: the likelier answer


def check_quotes(
    statement: str,
    quotes: Sequence[str],
    known: Sequence[Figure] = (),
    *,
    concludes: bool = False,
) -> tuple[Verification, str]:
    """Return how far quotes support a statement, by its figures and its content.

    `known` are figures that a person gave or the program computed: a statement with one of these is
    neither refused nor verified.
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
    """Return how far the quoted words support a statement, and why if it is not verified.

    A conclusion from findings and from the question may say what no contract says: for it, the
    model cannot decide whether the words are about it.
    """
    directions = {compare_direction(statement, each) for each in (*quotes, " ".join(quotes))}
    if (
        not concludes
        and StatementDirection.SAME not in directions
        and not _is_mentioned(statement, quotes)
    ):
        return Verification.UNVERIFIED, NOT_MENTIONED
    if {
        StatementDirection.OPPOSITE,
        StatementDirection.SAME,
    } <= directions:  # a rule and its exception
        return Verification.UNCHECKED, NOT_CHECKED
    if StatementDirection.OPPOSITE in directions:
        return Verification.UNVERIFIED, TURNED
    if StatementDirection.SAME in directions:
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
