"""The ways in which PAKTON's paper asks a language model for entailment (appendix G), by name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fourcorners.errors import ConfigError


class Examples(StrEnum):
    """Which solved examples a prompt shows."""

    NONE = "none"
    WHOLE = "whole contracts"
    SPANS = "spans"
    SAME = "spans of the same hypothesis"


class Premise(StrEnum):
    """What of the contract the model is given; the value is told in the prompt."""

    WHOLE = "the whole of it"
    PASSAGES = "the passages that a search found"
    GOLD = "the words that bear on the hypothesis, and perhaps others"
    REPORT = "a report"


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to ask.

    Attributes:
        methods: How the paper's tables call it; their figures stand beside.
        naive: Whether the labels are left unexplained and no words are asked for.
        reasons: Whether examples and answer go step by step.
    """

    name: str
    methods: tuple[str, ...]
    description: str
    premise: Premise = Premise.WHOLE
    examples: Examples = Examples.NONE
    naive: bool = False
    reasons: bool = False

    @property
    def needs_examples(self) -> bool:
        """Tell whether solved examples must be given."""
        return self.examples is not Examples.NONE


SETTINGS = {
    each.name: each
    for each in (
        Setting("zero-shot", ("ZS",), "the whole contract, labels not explained", naive=True),
        Setting("zero-shot-optimised", ("opt. ZS",), "labels explained"),
        Setting(
            "few-shot", ("FS",), "and three examples, whole contracts", examples=Examples.WHOLE
        ),
        Setting(
            "few-shot-spans", ("FS+Spans",), "three examples, their spans", examples=Examples.SPANS
        ),
        Setting(
            "few-shot-spans-hypothesis",
            ("FS+Spans+Hyp",),
            "three of the same hypothesis",
            examples=Examples.SAME,
        ),
        Setting(
            "chain-of-thought",
            ("CoT isolated",),
            "and step by step",
            examples=Examples.SAME,
            reasons=True,
        ),
        Setting(
            "gold-spans",
            ("opt. ZS isolated",),
            "the annotated spans alone: an upper bound",
            premise=Premise.GOLD,
        ),
        Setting("rag", ("ZS RAG",), "ten chunks, found by their vectors", premise=Premise.PASSAGES),
        Setting(
            "agents",
            ("PAKTON",),
            "the three agents, and the three nearest examples",
            premise=Premise.REPORT,
            examples=Examples.SAME,
        ),
    )
}


def find_setting(name: str) -> Setting:
    """Return a setting by its name.

    Raises:
        ConfigError: If there is none of that name.
    """
    if name not in SETTINGS:
        raise ConfigError(
            f"there is no profile {name!r} with a model.",
            remedy=f"There are: {', '.join(SETTINGS)}.",
        )
    return SETTINGS[name]
