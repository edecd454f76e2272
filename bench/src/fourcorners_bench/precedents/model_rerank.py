"""The part of a language model in the precedents benchmark: it expands queries, and reads again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.llm import Role
from fourcorners.precedents import rerank as reranking
from fourcorners.precedents.profile import Rerank
from fourcorners.precedents.rerank import expand_query
from fourcorners.precedents.scoring.score import MAX_RERANKED
from fourcorners_bench.measures.model_calls import ModelCalls
from fourcorners_bench.record import Json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(slots=True)
class ModelReranker(ModelCalls):
    """What a language model does for each query of a run, and what became of it."""

    rerank: Rerank | None = None
    first: int = MAX_RERANKED
    expands: bool = False
    _roles: tuple[Role, ...] = field(init=False)

    def __post_init__(self) -> None:
        ModelCalls.__post_init__(self)
        self._roles = (
            *([reranking.ROLE] if self.rerank or not self.expands else []),
            *([reranking.WORDINGS_ROLE] if self.expands else []),
        )
        for role in self._roles:
            self.port.role_model(role)  # what is not configured is said before the work

    def expansion(self, wordings: Sequence[str]) -> str:
        """Return what the model adds to a query, by its wordings; nothing if it adds nothing."""
        if not self.expands:
            return ""
        expanded_query = expand_query(wordings[0], self.port, longer=_longer(wordings))
        self.count_calls(1, int(bool(expanded_query.failure)), expanded_query.failure)
        return expanded_query.text

    def rerank_scores(
        self, wordings: Sequence[str], scores: NDArray[np.float64], texts: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return scores that give the order after the reading: the first above all others."""
        import numpy as np

        if self.rerank is None:
            return scores
        top = np.argsort(-scores, kind="stable")[: self.first]
        read = [texts[at] for at in top.tolist()]
        order, verdicts = reranking.rerank_texts(
            wordings[0], read, self.port, self.rerank, longer=_longer(wordings)
        )
        # Each comparison is counted with both of its clauses.
        share = 1 if self.rerank is Rerank.POINTWISE else 2
        asked = sum(each.asked for each in verdicts) // share
        failed = sum(each.failed for each in verdicts) // share
        self.count_calls(
            asked, failed, next((each.failure for each in verdicts if each.failed), "")
        )
        after: NDArray[np.float64] = scores - scores.max(initial=0.0) - 1.0
        after[top[order]] = np.arange(len(top), 0, -1)
        return after

    @property
    def models(self) -> dict[str, Json]:
        return {role.value: self.port.role_model(role).name for role in self._roles}

    def to_json(self) -> dict[str, Json]:
        return {
            "rerank": self.rerank.value if self.rerank else None,
            "first": self.first,
            "expand": self.expands,
            **ModelCalls.to_json(self),
            "cost": round(self.spent.cost, 6),
            "unpriced": self.spent.unpriced,
        }

    def notes(self) -> list[str]:
        """Return what must be known to read the figures."""
        if not self.failed:
            return []
        warning = f"{self.failed:,} of {self.call_count:,} questions have no answer: {self.failure}"
        return [warning, "Their clauses are ranked as without the model."]


def _longer(wordings: Sequence[str]) -> str | None:
    return wordings[1] if len(wordings) > 1 else None


def require_single_mode(asker: bool, *, grid: bool, from_contracts: bool) -> None:
    """Refuse a language model's profile with all profiles, and with whole contracts.

    Raises:
        ConfigError: If it is asked for.
    """
    if asker and (grid or from_contracts):
        name = "--grid" if grid else "--from-contracts"
        raise ConfigError(
            f"{name} takes no profile with a language model and no --expand.",
            remedy="Leave one of them out; --grid --model NAME has the language model's rows.",
        )
