"""How long it takes to load every model that is shipped, in a process that has loaded nothing.

`seconds` starts that process: it runs this module, which prints what it measured.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from fourcorners.errors import ModelError


def loading_seconds(repeats: int) -> dict[str, dict[str, float]]:
    """Return wall and CPU seconds by what is loaded: `libraries`, then each model by its name.

    Each is the median over so many fresh processes. `libraries` are what models are read with.

    Raises:
        ModelError: If a model cannot be loaded.
    """
    runs = [_run() for _ in range(repeats)]
    return {
        name: {
            clock: round(median(each[name][clock] for each in runs), 4) for clock in ("wall", "cpu")
        }
        for name in runs[0]
    }


def _run() -> dict[str, dict[str, float]]:
    done = subprocess.run(  # noqa: S603 - this very interpreter
        [sys.executable, "-m", __name__], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ModelError(
            f"the models cannot be loaded: {done.stderr.strip().splitlines()[-1]}",
            remedy="See what is wrong with them: fourcorners models verify.",
        )
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


def _measured() -> dict[str, dict[str, float]]:
    """Load everything, one after the other; return the wall and CPU seconds of each."""
    from fourcorners.models import registry

    steps: dict[str, Callable[[], object]] = {
        "libraries": _libraries,
        registry.DEFAULT_ENCODER: _encoder,
        registry.CLAUSE_READER: _clause_reader,
        registry.ENTAILMENT: _entailment,
        registry.PRECEDENTS: _precedents,
        registry.ANSWER_READER: _answer_reader,
        registry.POLARITY: _polarity,
    }
    found = {}
    for name, load in steps.items():
        wall, cpu = time.perf_counter(), time.process_time()
        load()
        found[name] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    return found


def _libraries() -> object:
    import numpy as np
    import onnxruntime
    import tokenizers
    import yaml

    from fourcorners.models.clause_reader import reader as clause_reader
    from fourcorners.models.encoder import onnx as onnx_encoder
    from fourcorners.models.entailment import model as entailment
    from fourcorners.precedents.scoring import score as judge

    return np, onnxruntime, tokenizers, yaml, clause_reader, entailment, onnx_encoder, judge


def _encoder() -> object:
    from fourcorners.models.registry import DEFAULT_ENCODER, load_encoder

    return load_encoder(DEFAULT_ENCODER, threads=1).encode(["clause"])


def _answer_reader() -> object:
    from fourcorners.models.registry import default_answer_reader

    return default_answer_reader().read("Is it a clause?", ["It is a clause."])


def _polarity() -> object:
    from fourcorners.models.polarity.model import default_polarity

    return default_polarity()


def _clause_reader() -> object:
    from fourcorners.models import default_clause_reader

    return default_clause_reader().weights


def _entailment() -> object:
    from fourcorners.models.entailment.model import load_entailment

    return load_entailment()


def _precedents() -> object:
    from fourcorners.precedents.scoring.score import default_model

    return default_model()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_measured()))
