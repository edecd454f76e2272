"""What became of a piece of work under its kills."""

from __future__ import annotations

from dataclasses import dataclass, field

FAULTS = ("lost", "doubled", "left")


@dataclass
class Outcome:
    """What became of one piece of work under its kills; faults are sentences."""

    task: str
    kills: int = 0
    within: int = 0  # kills that fell into the work, and not behind its end
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def row(self) -> str:
        """Return a row of a Markdown table."""
        counts = (str(len(getattr(self, name))) for name in FAULTS)
        return f"| {self.task} | {self.kills} | {self.within} | {' | '.join(counts)} |"
