"""Settings for asking a language model for a provision, one for each axis."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum

from fourcorners.errors import ConfigError

MAX_SAMPLES = 15  # answers to choose the best of


class Profile(StrEnum):
    """What a model is given, and its task."""

    PAPER = "paper"  # fixed chunks: it extracts
    CLAUSES = "clauses"  # whole clauses with the local reader's proposals: it judges, and adds


class PassageOrder(StrEnum):
    """The order of the given passages."""

    SCORE = "score"
    DOCUMENT = "document"
    DEFINITIONS = "definitions-first"  # of the terms used in the passages; then as the document


class SystemPrompt(StrEnum):
    """The content of the system message."""

    SHORT = "short"
    LONG = "long"


class FollowUp(StrEnum):
    """The message that follows the model's first answer."""

    NONE = "none"
    NEUTRAL = "neutral"
    ACCUSING = "accusing"


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """Settings for filling a cell with a language model.

    Attributes:
        passages: How many are given; None for the whole document in one piece.
        keywords: Whether the playbook's words are named as worth a close look.
        emotive: Whether the prompt says how much depends on the answer.
        best_of: Answers to each question; what most of them quote counts. The model needs a
            temperature above 0, or a server that heeds the seed.
        hypothetical: Whether a clause that the model drafts joins the search by meaning.
        risks: Whether the risk questions of what is found are asked too.
    """

    profile: Profile = Profile.CLAUSES
    passages: int | None = 10
    order: PassageOrder = PassageOrder.DOCUMENT
    system: SystemPrompt = SystemPrompt.LONG
    keywords: bool = False
    follow_up: FollowUp = FollowUp.NONE
    emotive: bool = False
    best_of: int = 1
    hypothetical: bool = False
    risks: bool = True

    def __post_init__(self) -> None:
        if self.passages is not None and self.passages < 1:
            raise ConfigError("a model is given at least one passage, or the whole document.")
        if not 1 <= self.best_of <= MAX_SAMPLES:
            raise ConfigError(f"the best of 1 to {MAX_SAMPLES} answers, not of {self.best_of}.")

    @property
    def key(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def description(self) -> str:
        size = "whole document" if self.passages is None else f"{self.passages} passages"
        parts = [f"profile {self.profile}", size, f"order {self.order}", f"{self.system} system"]
        parts += ["keywords"] if self.keywords else []
        parts += [f"{self.follow_up} follow-up"] if self.follow_up is not FollowUp.NONE else []
        parts += ["emotive"] if self.emotive else []
        parts += [f"best of {self.best_of}"] if self.best_of > 1 else []
        parts += ["hypothetical clause"] if self.hypothetical else []
        return ", ".join(parts)


PROFILES: Mapping[Profile, PromptSettings] = {
    Profile.CLAUSES: PromptSettings(),
    Profile.PAPER: PromptSettings(Profile.PAPER, keywords=True, follow_up=FollowUp.ACCUSING),
}
"""The settings of a named profile; `paper` is the law firm's best configuration."""
