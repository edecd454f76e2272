"""Solved examples of ContractNLI's training split, for prompts that show some.

They come as the rows of `train_spans.csv` (the evidence's words, hypothesis, label; the words of a
row that is not mentioned are no evidence), or as a split of the data set in its own JSON, which
has whole contracts too. Appendix G.3 of PAKTON (2025) says how its experiments draw them.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners_bench.entailment.loader import AnnotatedDocument, Split, load_split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder

EXAMPLES_SHOWN = 3
"""Examples in a prompt."""
_OTHERS = 3  # spans that stand for the words of a contract that does not mention something
_LONGEST = 1 << 20  # characters of a field


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A solved example.

    Attributes:
        contract: Its whole contract; empty where only spans are known.
        digest: Of the contract, to keep it from being an example for itself; empty if unknown.
    """

    words: str = field(repr=False)
    hypothesis: str
    label: Label
    contract: str = field(default="", repr=False)
    digest: str = ""


def read_examples(path: Path) -> list[Exemplar]:
    """Read examples from `train_spans.csv`, or from a split as JSON.

    Raises:
        ConfigError: If it is neither.
    """
    if path.suffix == ".json":
        return _of_split(load_split(path))
    csv.field_size_limit(_LONGEST)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            found = [
                Exemplar(row["concatenated_spans"], row["hypothesis"], LABELS[int(row["label"])])
                for row in csv.DictReader(file)
            ]
    except (OSError, UnicodeDecodeError, csv.Error, KeyError, ValueError, IndexError) as error:
        raise ConfigError(
            f"{path} holds no solved examples ({error!r}).",
            remedy="Give ContractNLI's train_spans.csv, or a split such as train.json.",
        ) from None
    if not found:
        raise ConfigError(f"{path} holds no solved examples.")
    return found


def _of_split(split: Split) -> list[Exemplar]:
    return [
        Exemplar(
            evidence_words(document, key),
            split.hypotheses[key],
            truth.label,
            document.text,
            contract_digest(document.text),
        )
        for document in split.documents
        for key, truth in document.truths.items()
    ]


def contract_digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def evidence_words(document: AnnotatedDocument, key: str) -> str:
    """Return the words of the annotated evidence; of other spans where there is none.

    Those others are as the data set's short form has them: some spans, drawn the same each time.
    """
    evidence = sorted(document.truths[key].evidence)
    if not evidence and document.spans:
        drawn = random.Random(f"{document.id} {key}")  # noqa: S311 - nothing secret
        evidence = sorted(
            drawn.sample(range(len(document.spans)), min(_OTHERS, len(document.spans)))
        )
    return "\n".join(document.spans[at].text_in(document.text) for at in evidence)


class ExemplarSet:
    """Examples to draw from; the same question draws the same."""

    def __init__(self, exemplars: Sequence[Exemplar], *, seed: int = 0) -> None:
        self._all = list(exemplars)
        self._seed = seed
        self._encoded: dict[str, NDArray[np.float32]] = {}

    def draw(
        self, document: AnnotatedDocument, hypothesis: str, *, attempt: int, same: bool, whole: bool
    ) -> list[Exemplar]:
        """Draw examples for a question: of the `same` hypothesis, with their `whole` contracts.

        Each attempt draws again, and no document is an example for itself.

        Raises:
            ConfigError: If there are not enough.
        """
        own = contract_digest(document.text)
        fitting = [
            each
            for each in self._all
            if each.digest != own
            and (not same or each.hypothesis == hypothesis)
            and (not whole or each.contract)
        ]
        if len(fitting) < EXAMPLES_SHOWN:
            what = "with whole contracts " if whole and not same else ""
            raise ConfigError(
                f"there are no {EXAMPLES_SHOWN} examples {what}to show for “{hypothesis[:60]}”.",
                remedy="Give a split with whole contracts, such as train.json, with --exemplars."
                if whole
                else "Give more with --exemplars.",
            )
        content = f"{self._seed} {attempt} {document.id} {hypothesis}"
        return random.Random(content).sample(fitting, EXAMPLES_SHOWN)  # noqa: S311 - nothing secret

    def retrieve(
        self, document: AnnotatedDocument, hypothesis: str, words: str, encoder: Encoder
    ) -> list[Exemplar]:
        """Return the example of each label that is most like some words, the likest first.

        PAKTON's tree of indexes (2025, appendix G.6): under each hypothesis one for each label. Of
        a new hypothesis the nearest known one counts; where a label has no example, the next
        likest of the others are shown instead.
        """
        own = contract_digest(document.text)
        known = sorted(self._by_hypothesis)
        if not known:
            return []
        if hypothesis not in known:
            near = encoder.encode(known) @ encoder.encode([hypothesis])[0]
            hypothesis = known[int(near.argmax())]
        examples = self._by_hypothesis[hypothesis]
        scores = self._vectors(hypothesis, encoder) @ encoder.encode([words or hypothesis])[0]
        order = sorted(range(len(examples)), key=lambda at: (-float(scores[at]), at))
        ranked = [examples[at] for at in order if examples[at].digest != own]
        likest = {each.label: each for each in reversed(ranked)}
        return sorted(ranked, key=lambda each: likest[each.label] is not each)[:EXAMPLES_SHOWN]

    @cached_property
    def _by_hypothesis(self) -> dict[str, list[Exemplar]]:
        found: dict[str, list[Exemplar]] = {}
        for each in self._all:
            found.setdefault(each.hypothesis, []).append(each)
        return found

    def _vectors(self, hypothesis: str, encoder: Encoder) -> NDArray[np.float32]:
        if hypothesis not in self._encoded:
            texts = [each.words for each in self._by_hypothesis[hypothesis]]
            self._encoded[hypothesis] = encoder.encode(texts)
        return self._encoded[hypothesis]
