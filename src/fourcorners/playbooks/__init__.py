"""Provisions and playbooks as data: what to look for, read from YAML files."""

from fourcorners.playbooks.load import builtin_names, load_playbook
from fourcorners.playbooks.playbook import (
    CardField,
    Extent,
    Playbook,
    Position,
    RiskQuestion,
    Rule,
)

__all__ = [
    "CardField",
    "Extent",
    "Playbook",
    "Position",
    "RiskQuestion",
    "Rule",
    "builtin_names",
    "load_playbook",
]
