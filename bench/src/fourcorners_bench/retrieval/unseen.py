"""Which documents of a benchmark a model has not learned from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners.models.card_text import describe_model
from fourcorners.models.registry import WEIGHTS, available_models
from fourcorners_bench.extraction.loader import AnnotatedContract
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.retrieval.loader import Answer, QuestionSet, corpus_text


def unseen_by(model: str) -> Callable[[str], bool]:
    """Return what says of a text whether the shipped model learned nothing from it.

    Raises:
        ConfigError: If no model has that name, or its card names no document.
    """
    names = [info.name for info in available_models()]
    if model not in names:
        raise ConfigError(
            f"no model is called {model!r}.", remedy=f"There are: {', '.join(names)}."
        )
    learned = frozenset(describe_model(WEIGHTS / model).learned_from)
    if not learned:
        raise ConfigError(
            f"the card of {model!r} names no document that it learned from.",
            remedy="Leave --unseen-by out.",
        )

    def is_unseen(text: str) -> bool:
        whole = hashlib.sha256(text.encode("utf-8")).hexdigest()
        return whole not in learned and document_id(text) not in learned

    return is_unseen


def contracts_unseen(
    contracts: Sequence[AnnotatedContract], model: str | None
) -> list[AnnotatedContract]:
    if model is None:
        return list(contracts)
    is_unseen = unseen_by(model)
    return [contract for contract in contracts if is_unseen(contract.text)]


def questions_unseen(
    answered: Sequence[tuple[QuestionSet, Sequence[Answer]]], data: Path, model: str | None
) -> list[tuple[QuestionSet, Sequence[Answer]]]:
    """Return of each set, with a run's answers, the questions on files not learned from."""
    if model is None:
        return list(answered)
    is_unseen = unseen_by(model)
    found: list[tuple[QuestionSet, Sequence[Answer]]] = []
    for part, answers in answered:
        files = {question.file_path for question in part.questions}
        unseen = {file for file in files if is_unseen(corpus_text(data, file))}
        pairs = [
            pair
            for pair in zip(part.questions, answers, strict=True)
            if pair[0].file_path in unseen
        ]
        if pairs:
            questions = tuple(question for question, _ in pairs)
            found.append((replace(part, questions=questions), [answer for _, answer in pairs]))
    return found
