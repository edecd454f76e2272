"""Provisions and playbooks as data: what to look for, read from YAML files."""

from fourcorners.playbooks.load import builtin, load
from fourcorners.playbooks.playbook import (
    CardField,
    Extent,
    Playbook,
    Provision,
    RiskQuestion,
    SeverityRule,
)

__all__ = [
    "CardField",
    "Extent",
    "Playbook",
    "Provision",
    "RiskQuestion",
    "SeverityRule",
    "builtin",
    "load",
]
