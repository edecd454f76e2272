"""What a firm's own clauses add to the heads of the shipped reader.

The shipped regressions are the prior: what is learned is added to their log-odds, and costs the
more the further it leads away from them. A head whose clauses say nothing new stays as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ConfigError
from fourcorners.models.card import CARD_FILE, card_yaml, load_card
from fourcorners.models.verdict_reader.reader import (
    CORRECTIONS,
    QUESTIONS,
    WEIGHTS,
    Head,
    LinearModel,
)
from fourcorners.system.private_files import make_folder, open_new

STRENGTH = 1.0  # inverse of the L2 penalty; how it was chosen: training/README.md, Verdicts
FEWEST = 2  # rows that must have a feature for it to count
_STEPS, _PASSES, _TRIES = 12, 20, 8  # of Newton, of conjugate gradients, of halving a step
_ENOUGH = 1e-5  # share by which a step must lower the loss
_SMALL = 1e-12  # square of a slope that is none
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HeadExample:
    """A clause to learn one head from.

    Attributes:
        rows: Its features; of a head that chooses a mention, those of each choice.
        odds: The shipped log-odds: of each option, or of each choice.
        right: Which of the options or choices is right.
    """

    rows: tuple[NDArray[np.int64], ...]
    odds: NDArray[np.float64]
    right: int


def learn_correction(examples: Sequence[HeadExample], *, mentions: bool) -> LinearModel:
    """Learn what is to be added to the log-odds of a head; of a choice, if it is by mentions."""
    features = [row for each in examples for row in each.rows]
    columns, counts = np.unique(np.concatenate(features), return_counts=True)
    columns = columns[counts >= FEWEST]
    rows = _Rows(features, columns, constant=not mentions)
    if mentions:
        starts = np.cumsum([0, *(len(each.rows) for each in examples)])
        odds = np.concatenate([each.odds for each in examples])
        right = np.zeros(len(odds))
        right[[start + each.right for start, each in zip(starts, examples, strict=False)]] = 1
        learned = _fit(rows, odds, right, starts[:-1])[:, None]
    else:
        outputs = len(examples[0].odds)
        odds = np.stack([each.odds for each in examples])
        given = np.array([each.right for each in examples])
        learned = np.stack(
            [_fit(rows, odds[:, at], (given == at) * 1.0, None) for at in range(outputs)], axis=1
        )
    weights, bias = learned[: len(columns)], learned[len(columns) :]
    return LinearModel(
        columns,
        np.zeros_like(weights, np.float32),
        weights.astype(np.float32),
        (bias[0] if len(bias) else np.zeros(learned.shape[1])).astype(np.float32),
    )


def write_corrections(
    folder: Path,
    heads: Sequence[Head],
    corrections: Mapping[str, LinearModel],
    card: Mapping[str, object],
) -> None:
    """Write a model of corrections with its card, which none but its owner can read.

    A model of corrections that is there is replaced.

    Raises:
        ConfigError: If the folder holds anything else, or cannot be written.
    """
    require_folder(folder)
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, model in sorted(corrections.items()):
        outputs = len(model.bias)
        arrays[f"{name}/columns"] = model.columns.astype(np.uint32)
        arrays[f"{name}/plain"] = model.plain.astype(np.int8)
        arrays[f"{name}/scaled"] = model.scaled.astype(np.float16)
        arrays[f"{name}/plain_scale"] = arrays[f"{name}/scaled_scale"] = np.ones(outputs, np.int8)
        arrays[f"{name}/bias"] = model.bias
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    listed = [each.as_json() for each in heads]
    files = {WEIGHTS: buffer.getvalue(), QUESTIONS: (json.dumps(listed, indent=1) + "\n").encode()}
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    written = card_yaml(
        {**card, "kind": CORRECTIONS, "dimension": 1, "max_tokens": 0, "files": hashes}
    )
    try:
        make_folder(folder)
        for name, content in {**files, CARD_FILE: written.encode()}.items():
            (folder / name).unlink(missing_ok=True)
            with open_new(folder / name) as file:
                file.write(content)
    except OSError as error:
        raise ConfigError(
            f"cannot write the model to {folder}: {error.strerror or error}.",
            remedy="Name a folder that you may write to.",
        ) from error


def require_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but a model of corrections.

    Raises:
        ConfigError: If it does.
    """
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        known = (folder / CARD_FILE).is_file() and load_card(folder).kind == CORRECTIONS
        if not known:
            raise ConfigError(
                f"{folder} is there, and holds no model of verdicts.",
                remedy="Name a new folder, or one with a model to replace.",
            )


class _Rows:
    """Rows of features, each scaled to length one, as a matrix to multiply with."""

    def __init__(
        self, features: Sequence[NDArray[np.int64]], columns: NDArray[np.int64], *, constant: bool
    ) -> None:
        held = [np.nonzero(np.isin(columns, each, assume_unique=True))[0] for each in features]
        lengths = np.array([len(each) for each in held])
        self.at = np.concatenate([np.zeros(0, np.int64), *held])
        self.row = np.repeat(np.arange(len(held)), lengths)
        self.values = np.repeat(1 / np.sqrt(np.maximum(1, lengths)), lengths)
        self.count, self.width = len(held), len(columns) + constant
        if constant:
            self.at = np.concatenate([self.at, np.full(len(held), len(columns))])
            self.row = np.concatenate([self.row, np.arange(len(held))])
            self.values = np.concatenate([self.values, np.ones(len(held))])

    def times(self, weights: Floats) -> Floats:
        sums = np.bincount(self.row, self.values * weights[self.at], minlength=self.count)
        return sums.astype(np.float64)

    def back(self, slopes: Floats) -> Floats:
        sums = np.bincount(self.at, self.values * slopes[self.row], minlength=self.width)
        return sums.astype(np.float64)


def _fit(rows: _Rows, odds: Floats, right: Floats, starts: NDArray[np.intp] | None) -> Floats:
    """Fit weights on top of log-odds by Newton's method; `starts` of choices among which one is."""
    sizes = None if starts is None else np.diff([*starts, len(odds)])

    def spread(sums: Floats) -> Floats:
        return np.repeat(sums, sizes) if sizes is not None else sums

    def chances(now: Floats) -> Floats:
        if starts is None:
            return 1 / (1 + np.exp(-now))
        raised = np.exp(now - spread(np.maximum.reduceat(now, starts)))
        shares: Floats = raised / spread(np.add.reduceat(raised, starts))
        return shares

    def loss(now: Floats, weights: Floats) -> float:
        if starts is None:
            misfit = (np.logaddexp(0, now) - right * now).sum()
        else:
            misfit = -np.log(np.maximum(chances(now)[right > 0], 1e-300)).sum()
        return float(misfit + weights @ weights / (2 * STRENGTH))

    weights = np.zeros(rows.width)
    now, cost = odds, loss(odds, weights)
    for _ in range(_STEPS):
        sure = chances(now)

        def curvature_times(way: Floats, sure: Floats = sure) -> Floats:
            seen = rows.times(way)
            curved = sure * (1 - sure) * seen
            if starts is not None:
                curved = sure * (seen - spread(np.add.reduceat(sure * seen, starts)))
            return rows.back(curved) + way / STRENGTH

        step = _solve(curvature_times, -(rows.back(sure - right) + weights / STRENGTH))
        moved = rows.times(step)
        length = 1.0
        for _ in range(_TRIES):
            after = loss(now + length * moved, weights + length * step)
            if after <= cost:
                break
            length /= 2
        else:
            break
        now, weights = now + length * moved, weights + length * step
        cost, before = after, cost
        if before - after < _ENOUGH * max(before, 1e-9):
            break
    return weights


def _solve(curvature_times: Callable[[Floats], Floats], wanted: Floats) -> Floats:
    """Solve for a step by conjugate gradients."""
    step, rest = np.zeros_like(wanted), wanted
    way, size = rest.copy(), float(rest @ rest)
    for _ in range(_PASSES):
        if size < _SMALL:
            break
        curved = curvature_times(way)
        far = size / float(way @ curved)
        step, rest = step + far * way, rest - far * curved
        size, before = float(rest @ rest), size
        way = rest + (size / before) * way
    return step
