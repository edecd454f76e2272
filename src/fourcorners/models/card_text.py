"""What the card of a model tells a person: all of it, and what all cards have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fourcorners.errors import ModelError
from fourcorners.models.card import CARD_FILE, REMEDY, load_card

_LEARNED_FROM = ("learned_from", "documents_learned_from")
_SCORES = ("out_of_fold", "scores")


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model with its card.

    Attributes:
        encoder: Whose vectors it is for; empty if it needs none.
        learned_from: The hash of each document (or query) that it learned from.
        scores: What it scored, as the card has it.
        size: Bytes of the model's files, without those that models share; missing files count as 0.
    """

    name: str
    version: str
    kind: str
    description: str
    licence: str
    source: str
    encoder: str
    learned_from: tuple[str, ...]
    scores: Mapping[str, object]
    card: Mapping[str, object]
    size: int


def describe_model(folder: Path) -> ModelDescription:
    """Return what the card in a folder says.

    Raises:
        ModelError: If there is no card, or it lacks what the program needs.
    """
    import yaml

    from fourcorners.text.patterns import load_yaml

    info = load_card(folder)
    try:
        text = (folder / CARD_FILE).read_text("utf-8")
        card = load_yaml(text)
    except (OSError, yaml.YAMLError) as error:  # read a moment ago
        raise ModelError(
            f"the model card in {folder} is damaged: {error}.", remedy=REMEDY
        ) from error
    own = (info.path(name) for name, _ in info.files)
    paths = [path for path in own if path.parent == folder]
    return ModelDescription(
        name=info.name,
        version=info.version,
        kind=info.kind,
        description=info.description,
        licence=info.licence,
        source=info.source,
        encoder=str(card.get("encoder", "")),
        learned_from=learned_from(card),
        scores=card_scores(card),
        card=card,
        size=sum(path.stat().st_size for path in paths if path.is_file()),
    )


def learned_from(card: Mapping[str, object]) -> tuple[str, ...]:
    for key in _LEARNED_FROM:
        match card.get(key):
            case str(listed):
                return tuple(listed.split())
            case list(listed) | dict(listed):
                return tuple(map(str, listed))
    return ()


def card_scores(card: Mapping[str, object]) -> Mapping[str, object]:
    for key in _SCORES:
        match card.get(key):
            case dict(found):
                return found
    return {}


def card_figures(
    scores: Mapping[str, object], path: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """Yield each figure of some scores with its name, with its interval where it has one."""
    for name, value in scores.items():
        here = (*path, str(name))
        match value:
            case bool() | None | str():
                continue
            case int() | float():
                yield ", ".join(here), f"{value:g}"
            case dict(part):
                yield from card_figures(part, here)
            case [int() | float() as figure, int() | float() as low, int() | float() as high]:
                yield ", ".join(here), f"{figure:g} ({low:g}-{high:g})"
            case Sequence() as many if all(isinstance(each, int | float) for each in many):
                yield ", ".join(here), " / ".join(f"{each:g}" for each in many)
            case _:
                continue
