"""How a language model is asked for a provision."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum

from fourcorners.errors import ConfigError


class PromptProfile(StrEnum):
    """What a model is given, and its task."""

    PAPER = "paper"  # fixed chunks: it extracts
    CLAUSES = "clauses"  # whole clauses with the local reader's proposals: it judges, and adds


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """Settings for filling a cell with a language model.

    Attributes:
        passages: How many are given; None for the whole document in one piece.
        keywords: Whether the playbook's words are named as worth a close look.
        follow_up: Whether the model is asked once more for what it missed.
        risks: Whether the risk questions of what is found are asked too.
    """

    profile: PromptProfile = PromptProfile.CLAUSES
    passages: int | None = 10
    keywords: bool = False
    follow_up: bool = False
    risks: bool = True

    def __post_init__(self) -> None:
        if self.passages is not None and self.passages < 1:
            raise ConfigError("a model is given at least one passage, or the whole document.")

    @property
    def key(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def description(self) -> str:
        size = "whole document" if self.passages is None else f"{self.passages} passages"
        parts = [f"profile {self.profile}", size]
        parts += ["keywords"] if self.keywords else []
        parts += ["follow-up"] if self.follow_up else []
        return ", ".join(parts)


PROFILES: Mapping[PromptProfile, PromptSettings] = {
    PromptProfile.CLAUSES: PromptSettings(),
    PromptProfile.PAPER: PromptSettings(PromptProfile.PAPER, keywords=True, follow_up=True),
}
"""The settings of a named profile; `paper` is the law firm's best configuration."""
