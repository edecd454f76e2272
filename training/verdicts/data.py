"""What verdicts are learned from: labelled clauses, settled, with what their values may be.

A label is settled where two readers agree, or a third agrees with one of them; what only one has
read is learned from and not judged on. Words that name a party or a figure are told by candidates:
the parties and figures that the clause mentions, each with all its mentions.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
THIRD = "reader-3"
