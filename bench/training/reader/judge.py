"""How what was left out is answered: shares of right answers, and of what may be asserted."""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch

from training.reader.data import ANSWERS, NOT_YES, TOKENS, Clause, Kind, batches, packs
from training.reader.model import Teacher, collate
from training.reader.mpnet import FAR

ASSERTED = 0.95  # of what is asserted must be right
LONGEST = 60  # tokens of the words that answer


@torch.no_grad()
def judge(model: Teacher, clauses: Sequence[Clause]) -> dict[str, float]:
    """Return the shares of right answers, of words, and of what may be asserted."""
    model.eval()
    chances: list[torch.Tensor] = []
    right: list[int] = []
    found: dict[Kind, list[bool]] = {Kind.WORDS: [], Kind.WHOSE: []}
    every = list(packs(clauses, random.Random(0)))
    for items in batches(every, TOKENS, random.Random(0)):
        batch = collate(items)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            answers, spans = model(batch)
        asks = batch.kinds == Kind.ASK
        chances += answers[asks, : len(ANSWERS)].softmax(-1)
        right += batch.answers[asks].tolist()
        for kind, (chosen, odds) in zip(found, spans, strict=True):
            for one, wanted in zip(odds, batch.spans[chosen].tolist(), strict=True):
                found[kind].append(_covers(best_span(one, batch.width), tuple(wanted)))
    model.train()
    odds = torch.stack(chances)
    chosen = odds.argmax(-1).tolist()
    scores: dict[str, float] = {}
    if false := [odds[at, 0].item() for at, each in enumerate(right) if each == NOT_YES]:
        true = [odds[at, 0].item() for at, each in enumerate(right) if each == 0]
        limit = sorted(false)[-max(1, len(false) // 100)]  # one false one in a hundred is above it
        scores |= {"verified": _share([each > limit for each in true]), "limit": limit}
    known = [at for at, each in enumerate(right) if each != NOT_YES]
    odds, chosen, right = odds[known], [chosen[at] for at in known], [right[at] for at in known]
    scores["right"] = _share([one == other for one, other in zip(chosen, right, strict=True)])
    for number, name in enumerate(ANSWERS):
        own = [one == number for one, other in zip(chosen, right, strict=True) if other == number]
        scores[name] = _share(own)
    ranked = sorted(zip(odds.tolist(), right, strict=True), key=lambda each: -max(each[0][:2]))
    hits = asserted = 0
    for count, (each, answer) in enumerate(ranked, 1):
        hits += answer == (0 if each[0] > each[1] else 1)
        asserted = count if hits / count >= ASSERTED else asserted
    scores["coverage"] = asserted / max(1, sum(answer < 2 for answer in right))
    return scores | {kind.name.lower(): _share(each) for kind, each in found.items()}


def best_span(odds: torch.Tensor, width: int) -> tuple[int, int]:
    """Return the likeliest first and last token; `width` for silence, one more for both."""
    starts, ends = odds.log_softmax(0).unbind(1)
    pairs = starts[:width, None] + ends[None, :width]
    allowed = torch.ones_like(pairs, dtype=torch.bool).triu().tril(LONGEST)
    pairs = pairs.masked_fill(~allowed, FAR)
    other = starts[width:] + ends[width:]
    if other.max() > pairs.logsumexp((0, 1)):
        place = width + int(other.argmax())
        return place, place
    return divmod(int(pairs.argmax()), width)


def _covers(found: tuple[int, int], wanted: tuple[int, int]) -> bool:
    shared = max(0, min(found[1], wanted[1]) - max(found[0], wanted[0]) + 1)
    sizes = found[1] - found[0] + 1 + wanted[1] - wanted[0] + 1
    return 2 * shared / sizes >= 0.8


def _share(right: Sequence[bool]) -> float:
    return round(sum(right) / max(1, len(right)), 4)
