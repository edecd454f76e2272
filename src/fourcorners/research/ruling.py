"""Yes, no, or it depends: what the best words found come to for a question that asks whether.

The entailment model is heard first, and believed only where the words that it goes by speak of what
is asked. Where it is not sure, the sentence that has most of the question is read by rules: one
that sets a condition of its own, or that the next one takes back, makes the answer depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fourcorners.models.entailment_verdict import Label
from fourcorners.research.answer import Ruling
from fourcorners.research.companions import takes_back
from fourcorners.research.desk import Desk
from fourcorners.research.entailed import Borne, borne_out
from fourcorners.research.looking import Looked
from fourcorners.research.near import rarity
from fourcorners.research.qualifiers import Qualifier, qualifiers
from fourcorners.research.question import Aspect, Part
from fourcorners.search.retrieve import Snippet
from fourcorners.search.stems import stems
from fourcorners.search.units import Units, shelf_of
from fourcorners.text.span import Span

_SUPPOSED = (
    0.5  # of a condition's words that stand in the question, for it to suppose the condition
)
_TOLD = 0.3  # of the question's words, by rarity, that words speaking of it have
_CLEAR = 0.45  # that a sentence has which is read by rules
_READ = 3  # snippets in which that sentence is looked for


@dataclass(frozen=True, slots=True)
class Ruled:
    """The ruling, how sure it is and why, and what the entailment model said.

    Attributes:
        by_rules: Whether it was read off the words, and not by the model.
    """

    ruling: Ruling
    confidence: float
    because: str
    borne: Borne | None = None
    by_rules: bool = False


def ruled(
    desk: Desk, part: Part, looked: Looked, qualified: Sequence[tuple[Snippet, Qualifier]]
) -> Ruled:
    """Return what a part of a question comes to; `qualified` is what qualifies the words shown."""
    chance = looked.best.chance
    if not part.is_whether:
        return Ruled(Ruling.SAYS, chance, "how likely the words quoted answer")
    if Aspect.EXISTS in part.aspects and looked.concepts:
        return Ruled(Ruling.YES, chance, "how likely the words quoted are such a clause")
    statement = desk.in_own_words(part.statement)
    borne = borne_out(desk, statement, looked.snippets, looked.concepts)
    if borne is None or borne.label is None or borne.label is Label.NOT_MENTIONED:
        return _by_rules(desk, part, looked, borne)
    if not _speaks(desk, statement, borne):
        return _by_rules(desk, part, looked, None)
    yes = borne.label is Label.ENTAILMENT
    sure = min(chance, borne.scores[0 if yes else 1])
    best = looked.snippets[0]
    if any(each is best and not is_asked(desk, part, best, one) for each, one in qualified):
        because = f"the words say {'yes' if yes else 'no'}, on conditions"
        return Ruled(Ruling.DEPENDS, sure, because, borne)
    return Ruled(Ruling.YES if yes else Ruling.NO, sure, "by the entailment model", borne)


def is_asked(desk: Desk, part: Part, snippet: Snippet, one: Qualifier) -> bool:
    """Tell whether a question already supposes what a qualification says."""
    return _supposes(part.text, one.span.of(desk.reading(snippet.document).text))


def _supposes(question: str, condition: str) -> bool:
    supposed = set(stems(condition))
    return len(supposed & set(stems(question))) >= _SUPPOSED * len(supposed)


def _speaks(desk: Desk, statement: str, borne: Borne) -> bool:
    """Tell whether some words that a verdict goes by speak of the statement."""
    units = shelf_of(desk.library).take(desk.library, borne.document)
    return any(share(units, statement, span) >= _TOLD for span in borne.evidence)


def share(units: Units, asked: str, *spans: Span) -> float:
    """Return how much of a question's telling words stand in spans of a contract, by rarity."""
    wanted = dict.fromkeys(stems(asked))
    weight = {stem: rarity(units, stem) for stem in wanted}
    held = {stem for span in spans for stem in stems(span.of(units.text))}
    return sum(weight[stem] for stem in wanted if stem in held) / (sum(weight.values()) or 1.0)


def _by_rules(desk: Desk, part: Part, looked: Looked, borne: Borne | None) -> Ruled:
    """Return "it depends" where the sentence that has most of the question sets a condition."""
    asked = desk.in_own_words(part.text)
    unsure = Ruled(
        Ruling.UNSURE,
        looked.best.chance,
        "the entailment model is not sure enough to tell",
        borne,
    )
    found = _clearest(desk, asked, looked.snippets[:_READ])
    if found is None:
        return unsure
    units, at = found
    span = units.units[at].span
    conditions = [each.span.of(units.text) for each in qualifiers(units.text, span)]
    after = [
        each.span.of(units.text)
        for each in units.units[at + 1 : at + 2]
        if units.clause_of[each.passage] == units.clause_of[units.units[at].passage]
    ]
    set_here = any(not _supposes(part.text, each) for each in conditions)
    if set_here or any(takes_back(each) for each in after):
        because = "the words that have most of the question set a condition, or take it back"
        return Ruled(Ruling.DEPENDS, looked.best.chance, because, borne, by_rules=True)
    return unsure


def _clearest(desk: Desk, asked: str, snippets: Iterable[Snippet]) -> tuple[Units, int] | None:
    """Return the sentence that has most of a question, if it has enough, by its place."""
    best: tuple[float, Units, int] | None = None
    for snippet in snippets:
        units = shelf_of(desk.library).take(desk.library, snippet.document)
        for at, unit in enumerate(units.units):
            if unit.span.overlaps(snippet.span):
                told = share(units, asked, unit.span)
                if told >= _CLEAR and (best is None or told > best[0]):
                    best = (told, units, at)
    return best[1:] if best else None
