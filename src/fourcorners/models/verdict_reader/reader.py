"""`VerdictReader`: what a clause says, asked the questions of a provision.

Each question has logistic regressions over the words of the clause: one an option, or one that
judges each mention of a party, a period, a sum or a date. A small transformer reads the clause
as well (`clause_model.py`), and what both say counts. They were learned from labelled clauses
by `training.verdicts`. An answer is asserted only above the limit of its question: the probability
from which answers out of fold were right 95 times in 100.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from fourcorners.errors import ConfigError, ModelError
from fourcorners.models.card import CARD_FILE, ModelInfo, load_card
from fourcorners.models.verdict_reader.clause import MarkedClause, MentionKind
from fourcorners.models.verdict_reader.features import ClauseFeatures, copy_features
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.verdict_reader.clause_model import ClauseModel

WEIGHTS, QUESTIONS = "weights.npz", "questions.json"
CORRECTIONS = "verdict-corrections"  # the kind of a firm's own model
REMEDY = (
    "Learn it again with `fourcorners train verdicts`, or take path out under [verdicts] in the "
    "settings: then the shipped heads answer."
)
IS = "is"  # the question whether the words are such a provision at all
QUOTED = "quoted"  # the same of words that the program quotes, right or wrong; regressions alone
REGRESSIONS = 0.7  # what they count; the transformer counts the rest
_LEAST = 3e-4  # probability below which no choice of the regressions comes
_FAINTEST = -8.0  # log-probability of a mention that the transformer did not read
SUCH, NO_SUCH = "yes", "no"  # its answers: they are, and they are other business or the contrary


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the words say of a question.

    Attributes:
        value: An option, the key of a mention, `each party`, or empty for nothing mentioned.
        probability: That the words are such a provision and that this is right, 0 to 1.
        says: Whether it says something, and not that the words are silent.
        is_asserted: Whether it may be said as such: it says something, and surely enough.
        spans: Where the value is mentioned.
    """

    value: str
    probability: float
    says: bool
    is_asserted: bool
    spans: tuple[Span, ...] = ()

    def words_in(self, text: str) -> str:
        """Return the value as the contract first writes it."""
        return " ".join(self.spans[0].text_in(text).split()) if self.spans else self.value


@dataclass(frozen=True, slots=True)
class Head:
    """A question of a provision, as it was learned.

    Attributes:
        kind: What the answer mentions; None where it is one of `options`.
        group: Of a question that mentions a party: the questions that it was learned with.
        silent: The answers that say nothing.
        limit: The probability from which an answer is asserted; None if none ever is.
    """

    provision: str
    question: str
    kind: MentionKind | None
    group: str
    options: tuple[str, ...]
    silent: frozenset[str]
    limit: float | None

    @property
    def name(self) -> str:
        return f"{self.provision}.{self.question}"

    def as_json(self) -> dict[str, object]:
        """Return the head as the file of questions has it."""
        return {
            "provision": self.provision,
            "question": self.question,
            "kind": self.kind and self.kind.value,
            "group": self.group,
            "options": list(self.options),
            "silent": sorted(self.silent),
            "limit": self.limit,
        }

    def verdict(
        self, choices: Sequence[tuple[str, float]], clause: MarkedClause, is_such: float
    ) -> Verdict:
        """Return the likeliest choice as a verdict; `is_such` is how likely the words are one."""
        value, probability = max(choices, key=lambda each: each[1])
        probability *= is_such
        says = value not in self.silent
        spans = clause.mentioned(self.kind).get(value, ()) if self.kind else ()
        return Verdict(
            value,
            probability,
            says=says,
            is_asserted=says and self.limit is not None and probability >= self.limit,
            spans=tuple(spans),
        )


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Regressions over hashed features.

    Attributes:
        columns: The features that count, in order.
        plain: The weight of each (columns, outputs).
        scaled: The weight of each once a row is scaled to length one (columns, outputs).
        bias: (outputs,)
    """

    columns: NDArray[np.int64]
    plain: NDArray[np.float32]
    scaled: NDArray[np.float32]
    bias: NDArray[np.float32]

    def log_odds(self, features: NDArray[np.int64]) -> NDArray[np.float32]:
        import numpy as np

        if not len(self.columns):
            return self.bias
        at = np.minimum(np.searchsorted(self.columns, features), len(self.columns) - 1)
        at = at[self.columns[at] == features]
        length = np.sqrt(max(1, len(at)))
        odds: NDArray[np.float32] = (
            self.plain[at].sum(0) + self.scaled[at].sum(0) / length + self.bias
        )
        return odds


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """A clause as it was read, once for all questions of a provision.

    Attributes:
        features: What the regressions look at.
        beside: What the transformer says, by question: the logarithm of each choice's probability.
    """

    features: ClauseFeatures
    beside: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class VerdictReader:
    """A reader of the provisions and questions that its files name; loaded on first use.

    Attributes:
        base: The reader whose heads its files correct; None where they are whole.
    """

    info: ModelInfo
    base: VerdictReader | None = None

    @property
    def name(self) -> str:
        return self.info.identity

    @cached_property
    def heads(self) -> Mapping[str, tuple[Head, ...]]:
        """Return the heads of each provision.

        Raises:
            ModelError: If a file is missing or damaged.
        """
        try:
            own = _read_heads(self.info.read(QUESTIONS))
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged(QUESTIONS, error) from error
        if self.base is None:
            return own
        corrected = {head.name: head for heads in own.values() for head in heads}
        return {
            provision: tuple(corrected.get(head.name, head) for head in heads)
            for provision, heads in self.base.heads.items()
        }

    def is_known(self, provision: str) -> bool:
        return provision in self.heads

    def read(self, provision: str, clause: MarkedClause) -> dict[str, Verdict]:
        """Return the verdict on `IS` and on each question of a known provision that has a limit.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        reading = self.read_clause(provision, clause)
        verdicts: dict[str, Verdict] = {}
        is_such = least = 1.0
        for head in self.heads[provision]:
            if head.limit is None and head.question != IS:
                continue
            own = self.corrections.get(head.name)
            choices = judge(head, self.models, reading, own)
            if head.question == IS:
                verdicts[IS] = head.verdict(choices, clause, 1.0)
                is_such = least = dict(choices)[SUCH]
                if own is not None:  # what was not measured with it may only grow less sure
                    least = min(is_such, dict(judge(head, self.models, reading))[SUCH])
                continue
            such = least if own is None else is_such
            verdicts[head.question] = head.verdict(choices, clause, such)
        return verdicts

    def no_such_chance(self, provision: str, clause: MarkedClause) -> float:
        """Return the probability that quoted words are no such provision, by their words alone.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        head = next((each for each in self.heads[provision] if each.question == QUOTED), None)
        if head is None:
            return 0.0
        return dict(judge(head, self.models, ClauseReading(ClauseFeatures(clause), {})))[NO_SUCH]

    def read_clause(self, provision: str, clause: MarkedClause) -> ClauseReading:
        """Return what the questions of a provision are answered from.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        if self.base is not None:
            return self.base.read_clause(provision, clause)
        beside: Mapping[str, Mapping[str, float]] = {}
        if self._transformer is not None:
            beside = self._transformer.read(provision, self.heads[provision], clause)
        return ClauseReading(ClauseFeatures(clause), beside)

    @cached_property
    def _transformer(self) -> ClauseModel | None:
        from fourcorners.models.verdict_reader.clause_model import HEADS, ClauseModel

        return ClauseModel(self.info) if HEADS in dict(self.info.files) else None

    @property
    def models(self) -> Mapping[str, LinearModel]:
        """Return the regressions by name: of a question with options, or of a kind of mention.

        Raises:
            ModelError: If a file is missing or damaged.
        """
        return self._file_models if self.base is None else self.base.models

    @property
    def corrections(self) -> Mapping[str, LinearModel]:
        """Return what is added to the log-odds of heads, by their names.

        Raises:
            ModelError: If a file is missing or damaged.
        """
        return {} if self.base is None else self._file_models

    @cached_property
    def _file_models(self) -> Mapping[str, LinearModel]:
        try:
            return read_models(self.info.read(WEIGHTS))
        except (BadZipFile, EOFError, KeyError, TypeError, ValueError) as error:
            raise self._damaged(WEIGHTS, error) from error

    def _damaged(self, file: str, error: Exception) -> ModelError:
        return ModelError(
            f"model {self.info.name}: {file} is damaged: {error!r}.", remedy=self.info.remedy
        )


def open_verdict_reader(folder: Path) -> VerdictReader:
    """Return the reader in a folder.

    Raises:
        ModelError: If its card is missing or damaged.
    """
    return VerdictReader(load_card(folder))


def open_corrections(folder: Path, base: VerdictReader) -> VerdictReader:
    """Return a reader with a firm's corrections in a folder on top of another's heads.

    Raises:
        ConfigError: If there is no such folder, or its card is another model's.
        ModelError: If its card is damaged, or it was learned on other heads.
    """
    if not (folder / CARD_FILE).is_file():
        raise ConfigError(f"there is no model of verdicts in {folder}.", remedy=REMEDY)
    info = replace(load_card(folder), remedy=REMEDY)
    if info.kind != CORRECTIONS:
        raise ConfigError(
            f"the model in {folder} is no model of verdicts: its card says {info.kind!r}.",
            remedy=REMEDY,
        )
    if info.base != base.name:
        raise ModelError(
            f"the model of verdicts in {folder} was learned on {info.base or 'other heads'}, and "
            f"the program's are {base.name}.",
            remedy=REMEDY,
        )
    return VerdictReader(info, base)


def judge(
    head: Head,
    models: Mapping[str, LinearModel],
    reading: ClauseReading,
    correction: LinearModel | None = None,
) -> list[tuple[str, float]]:
    """Return what a question may be answered with, each with its probability."""
    import numpy as np

    choices, odds = head_odds(head, models, reading)
    if correction is not None:
        features = reading.features
        if head.kind is None:
            odds = odds + correction.log_odds(features.row)
        else:
            rows = features.choices(head.kind).values()
            odds = odds + np.array([correction.log_odds(each)[0] for each in rows])
    return list(zip(choices, _chances(head, odds).tolist(), strict=True))


def head_odds(
    head: Head, models: Mapping[str, LinearModel], reading: ClauseReading
) -> tuple[list[str], NDArray[np.float64]]:
    """Return what a question may be answered with, and the log-odds of each.

    All are even for a question of which nothing was learned.
    """
    import numpy as np

    choices, odds = _word_odds(head, models, reading.features)
    beside = reading.beside.get(head.question)
    if beside is None:
        return choices, odds
    both = np.array(
        [
            REGRESSIONS * np.log(max(chance, _LEAST))
            + (1 - REGRESSIONS) * beside.get(choice, _FAINTEST)
            for choice, chance in zip(choices, _chances(head, odds), strict=True)
        ]
    )
    both -= np.logaddexp.reduce(both)
    if head.kind is None:
        both -= np.log(np.maximum(-np.expm1(both), np.finfo(np.float64).tiny))
    return choices, both


def _chances(head: Head, odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities that sum to one: of options each by itself, of mentions together."""
    import numpy as np

    chances: NDArray[np.float64] = (
        1 / (1 + np.exp(-odds)) if head.kind is None else np.exp(odds - odds.max())
    )
    shares: NDArray[np.float64] = chances / chances.sum()
    return shares


def _word_odds(
    head: Head, models: Mapping[str, LinearModel], features: ClauseFeatures
) -> tuple[list[str], NDArray[np.float64]]:
    import numpy as np

    if head.kind is None and head.name not in models:
        return list(head.options), np.zeros(len(head.options))
    if head.kind is None:
        odds = models[head.name].log_odds(features.row).astype(np.float64)
        if len(head.options) == 2:
            odds = np.array([-odds[1], odds[1]])
        return list(head.options), odds
    model = models[head.kind.value]
    choices = features.choices(head.kind)
    copies = (copy_features(each, head.name, head.group) for each in choices.values())
    return list(choices), np.array([float(model.log_odds(each)[0]) for each in copies])


def _read_heads(content: bytes) -> dict[str, tuple[Head, ...]]:
    """Return the heads that a file lists, by provision.

    Raises:
        KeyError, TypeError, ValueError: If the file is damaged.
    """
    found: dict[str, list[Head]] = {}
    for each in json.loads(content):
        head = Head(
            provision=each["provision"],
            question=each["question"],
            kind=MentionKind(each["kind"]) if each["kind"] else None,
            group=each["group"],
            options=tuple(each["options"]),
            silent=frozenset(each["silent"]),
            limit=each["limit"],
        )
        found.setdefault(head.provision, []).append(head)
    return {provision: tuple(heads) for provision, heads in found.items()}


def read_models(content: bytes) -> dict[str, LinearModel]:
    """Return the regressions in a file, by name; int8 weights are scaled back.

    Raises:
        BadZipFile, EOFError, KeyError, TypeError, ValueError: If the file is damaged.
    """
    import numpy as np

    with np.load(BytesIO(content)) as arrays:
        names = {each.rpartition("/")[0] for each in arrays}
        return {
            name: LinearModel(
                arrays[f"{name}/columns"].astype(np.int64),
                arrays[f"{name}/plain"] * arrays[f"{name}/plain_scale"],
                arrays[f"{name}/scaled"] * arrays[f"{name}/scaled_scale"],
                arrays[f"{name}/bias"],
            )
            for name in names
        }
