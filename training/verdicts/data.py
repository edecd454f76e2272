"""What verdicts are learned from: labelled clauses, settled, with what their values may be.

A label is settled where two readers agree, or a third agrees with one of them; what only one has
read is learned from and not judged on. Words that name a party or a figure are told by candidates:
the parties and figures that the clause mentions, each with all its mentions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourcorners.evaluation.outline.references import text_document
from fourcorners.models.verdicts.clause import MarkedClause, mark_clause
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.review.values.mentions import find_mentions
from fourcorners.text.span import Span
from training.verdicts.labels import READERS
from training.verdicts.sample import load_attributes, load_contracts

HERE = Path(__file__).parent
THIRD = "reader-3"
