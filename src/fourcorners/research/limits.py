"""Limits on questions; in a separate module, so that importing them is cheap."""

from __future__ import annotations

TURNS = 5
"""How often the interrogator asks the researcher by default (PAKTON, appendix C)."""
MAX_TURNS = 20  # PAKTON's experiments stop at 5
MAX_QUESTION = 4_000
"""Characters of a question, its context or its instructions."""
