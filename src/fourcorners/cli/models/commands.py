"""`fourcorners models`: the models of the package, and the adapters of the library."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError, ModelError
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fourcorners.models.card_text import ModelDescription
    from fourcorners.precedents.learning.adapters import InstalledAdapter

app = typer.Typer(help="The local models: cards, files, adapters.")
HASHES = 5
"""How many hashes of what a model learned from are printed; JSON has all."""
FIGURES = 3
"""How many figures of a card a list shows."""

NameArgument = Annotated[str, argument("NAME", "The model or adapter.")]


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of the files of a model; `fault` and `remedy` are empty where all is well."""

    name: str
    files: tuple[str, ...]
    problem: str = ""
    remedy: str = ""


@app.command("list")
def list_models(
    name: Annotated[
        str | None, argument("NAME", "The model whose card is printed.", default="a list")
    ] = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List the models with size, source, licence and scores, or print the card of one."""
    if name is not None:
        _print_card(name, library, as_json=as_json)
        return
    from fourcorners.models.card_text import describe_model
    from fourcorners.models.registry import shared_bytes

    described = [(each := describe_model(folder), _seconds(each, folder)) for folder in _folders()]
    adapters = _adapters(library)
    size = shared_bytes() + sum(each.size for each, _ in described)
    seconds = sum(took for _, took in described)
    if as_json:
        console.print_json(
            {
                "models": [
                    {**_json(each), "load_seconds": round(took, 4)} for each, took in described
                ],
                "adapters": [_adapter_json(each) for each in adapters],
                "bytes": size,
                "shared_bytes": shared_bytes(),
                "load_seconds": round(seconds, 4),
            }
        )
        return
    for each, took in described:
        head = f"{each.kind}, version {each.version}, {_megabytes(each.size)}, read in {took:.2f} s"
        _print_one(each.name, head, _lines(each))
    for adapter in adapters:
        head = f"adapter of the library, {_megabytes(adapter.size)}, {adapter.sha256[:12]}"
        _print_one(adapter.name, head, _adapter_lines(adapter))
    console.print_text(
        f"{console.count_noun(len(described), 'model')} in {_megabytes(size)}, "
        f"read in {seconds:.2f} s."
    )


def _print_card(name: str, library: str | None, *, as_json: bool) -> None:
    """Print the card of a model: data, settings, scores, limits."""
    from fourcorners.models.card_text import describe_model, learned_from

    adapter = next((each for each in _adapters(library) if each.name == name), None)
    folder = next((each for each in _folders() if each.name == name), None)
    if adapter is not None:
        card: Mapping[str, object] = {
            **console.attributes(adapter, "name encoder ranker"),
            **adapter.card,
            "bytes": adapter.size,
            "sha256": adapter.sha256,
        }
    elif folder is not None:
        card = describe_model(folder).card
    else:
        raise _unknown(name, library)
    if as_json:
        console.print_json(card)
        return
    hashes = learned_from(card)
    for key, value in card.items():
        if key in ("learned_from", "documents_learned_from"):
            value = [*hashes[:HASHES]]
            key = f"learned_from ({len(hashes):,})"
            if len(hashes) > HASHES:
                value.append(f"… all of them: fourcorners models list {name} --json")
        for depth, text in _value_lines(key, value):
            console.print_indented(2 * depth + 2, single_line(text))


@app.command("verify")
def verify(
    name: Annotated[str | None, argument("NAME", "Only this one; all by default.")] = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Check every file by its hash; exit 1 where one is wrong."""
    reads: dict[str, Callable[[], tuple[str, ...]]] = {}
    reads |= {each.name: partial(_read, each) for each in _folders()}
    reads |= {each.name: partial(_read_adapter, each.name, library) for each in _adapters(library)}
    checked = [_check(own, read) for own, read in reads.items() if name in (None, own)]
    if not checked:
        raise _unknown(name or "", library)
    wrong = [each for each in checked if each.problem]
    if as_json:
        console.print_json(
            [
                {
                    "name": each.name,
                    "files": each.files,
                    "whole": not each.problem,
                    "fault": each.problem or None,
                    "remedy": each.remedy or None,
                }
                for each in checked
            ]
        )
    else:
        for each in checked:
            if each.problem:
                console.print_line(("✗ ", "red"), single_line(each.problem))
                console.print_indented(2, (single_line(each.remedy), "dim"))
            else:
                console.print_text(("✓ ", "green"), f"{each.name}: {', '.join(each.files)}")
    if wrong:
        raise typer.Exit(1)


@app.command("remove")
def remove(
    name: NameArgument, library: options.Library = None, as_json: options.Json = False
) -> None:
    """Remove an adapter from the library."""
    from fourcorners.models.registry import model_folders
    from fourcorners.precedents.learning import adapters
    from fourcorners.settings import Settings

    verdicts = Settings.load().verdicts.path
    if verdicts is not None and verdicts.resolve().name == name:
        raise ConfigError(
            f"the model {name!r} is used because the settings name it.",
            remedy="To undo it, take path out under [verdicts]; its folder may then be deleted.",
        )
    with console.open_library(library) as store:
        own = [each.name for each in adapters.list_adapters(store)]
        if name not in own and name in [folder.name for folder in model_folders()]:
            raise ConfigError(
                f"the model {name!r} comes with the package, and stays.",
                remedy="Only adapters of the library can be removed.",
            )
        adapters.remove_adapter(store, name)
    if as_json:
        console.print_json({"removed": name})
        return
    console.print_text(f"The adapter {name!r} is removed.")


def _folders() -> list[Path]:
    """Return the folders of the package's models, and of the firm's own that the settings name."""
    from fourcorners.models.registry import model_folders
    from fourcorners.settings import Settings

    own = Settings.load().verdicts.path
    return [*model_folders(), *([own.resolve()] if own is not None else [])]


def _unknown(name: str, library: str | None) -> ConfigError:
    names = [folder.name for folder in _folders()] + [each.name for each in _adapters(library)]
    return ConfigError(f"there is no model {name!r}.", remedy=f"There are: {', '.join(names)}.")


def _adapters(library: str | None) -> list[InstalledAdapter]:
    """Return the adapters of the library; none where there is no library and none was named."""
    from fourcorners.precedents.learning.adapters import list_adapters

    with console.open_optional_library(library) as store:
        return [] if store is None else list_adapters(store)


def _seconds(model: ModelDescription, folder: Path) -> float:
    """Return how long the model takes to be read, verified and made ready."""
    from fourcorners.models import registry
    from fourcorners.models.clause_reader.reader import open_reader
    from fourcorners.models.entailment.model import load_entailment
    from fourcorners.models.reader.reader import open_reader as open_question_reader
    from fourcorners.precedents.scoring.score import default_model

    ways: dict[str, Callable[[], object]] = {
        "encoder": lambda: registry.load_encoder(model.name).encode(["warm"]),
        "clause-reader": lambda: open_reader(folder).weights,
        "entailment": load_entailment,
        "reader": lambda: open_question_reader(folder).read("It is warm.", ["Is it warm?"]),
        "precedents": default_model,
    }
    started = time.perf_counter()
    ways.get(model.kind, lambda: _read(folder))()
    return time.perf_counter() - started


def _check(name: str, read: Callable[[], tuple[str, ...]]) -> Checked:
    try:
        return Checked(name, read())
    except ModelError as error:
        return Checked(name, (), error.message, error.remedy)


def _read(folder: Path) -> tuple[str, ...]:
    """Read and verify the files of a model, and return their names."""
    from fourcorners.models.card import load_card

    info = load_card(folder)
    for name, _ in info.files:
        info.read(name)
    return tuple(info.path(name).name for name, _ in info.files)


def _read_adapter(name: str, library: str | None) -> tuple[str, ...]:
    from fourcorners.precedents.learning.adapters import load_adapter

    with console.open_library(library) as store:
        load_adapter(store, name)
    return ("in the library",)


def _print_one(name: str, head: str, lines: Iterable[tuple[str, str]]) -> None:
    console.print_line((single_line(name), "bold"), f"  {single_line(head)}")
    for what, text in lines:
        console.print_indented(13, single_line(text), head=f"  {what}")
    console.print_text()


def _lines(model: ModelDescription) -> list[tuple[str, str]]:
    from itertools import islice

    from fourcorners.models.card_text import card_figures

    count = len(model.learned_from)
    learned = f"{model.source} ({count:,} hashes on the card)" if count else model.source
    found = [f"{name} {value}" for name, value in islice(card_figures(model.scores), FIGURES)]
    lines = [("is", model.description), ("learned", learned), ("licence", model.licence)]
    return [*lines, ("scores", "; ".join(found))] if found else lines


def _adapter_lines(adapter: InstalledAdapter) -> list[tuple[str, str]]:
    from fourcorners.models.card_text import card_figures, card_scores

    figures = [f"{name} {value}" for name, value in card_figures(card_scores(adapter.card))]
    return [
        ("learned", f"{adapter.card.get('source', '')}"),
        ("for", f"{adapter.encoder}, with {adapter.ranker}"),
        ("licence", f"{adapter.card.get('licence', '')}"),
        ("scores", "; ".join(figures)),
    ]


def _json(model: ModelDescription) -> dict[str, object]:
    return {
        **console.attributes(model, "name kind version"),
        "bytes": model.size,
        **console.attributes(model, "description source licence"),
        "encoder": model.encoder or None,
        "learned_from": len(model.learned_from),
        "scores": model.scores,
    }


def _adapter_json(adapter: InstalledAdapter) -> dict[str, object]:
    from fourcorners.models.card_text import card_scores, learned_from

    return {
        "name": adapter.name,
        "kind": "adapter",
        "sha256": adapter.sha256,
        "bytes": adapter.size,
        "encoder": adapter.encoder,
        "ranker": adapter.ranker,
        "source": str(adapter.card.get("source", "")),
        "licence": str(adapter.card.get("licence", "")),
        "learned_from": len(learned_from(adapter.card)),
        "data": adapter.card.get("data"),
        "scores": card_scores(adapter.card),
    }


def _value_lines(key: str, value: object, depth: int = 0) -> Iterable[tuple[int, str]]:
    """Yield the lines of a card with their depth; a list of numbers takes one."""
    match value:
        case dict():
            yield depth, f"{key}:"
            for name, each in value.items():
                yield from _value_lines(str(name), each, depth + 1)
        case list() if any(isinstance(each, str | dict | list) for each in value):
            yield depth, f"{key}:"
            for each in value:
                yield depth + 1, f"- {each}"
        case list():
            yield depth, f"{key}: {' '.join(map(str, value))}"
        case _:
            yield depth, f"{key}: {value}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
