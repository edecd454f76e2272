"""`fourcorners models`: the models of the package, and the adapters of the library."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import JsonOption, LibraryOption

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from fourcorners.cli.output.console import Json
    from fourcorners.errors import FourcornersError
    from fourcorners.models.card_text import ModelDescription
    from fourcorners.precedents.learning.adapters import InstalledAdapter

app = typer.Typer(help="The local models: cards, files, adapters.")
HASHES = 5
"""How many hashes of what a model learned from are printed; JSON has all."""
FIGURES = 3
"""How many figures of a card a list shows."""

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The model or adapter.")]


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of the files of a model; `fault` and `remedy` are empty where all is well."""

    name: str
    files: tuple[str, ...]
    problem: str = ""
    remedy: str = ""


@app.command("list")
def list_models(library: LibraryOption = None, as_json: JsonOption = False) -> None:
    """List the models with size, source, licence and scores."""
    from fourcorners.cli.output import console
    from fourcorners.models.card_text import describe_model
    from fourcorners.models.registry import model_folders

    told = [(each := describe_model(folder), _seconds(each, folder)) for folder in model_folders()]
    adapters = _adapters(library)
    size = sum(each.size for each, _ in told)
    seconds = sum(took for _, took in told)
    if as_json:
        console.print_json(
            {
                "models": [{**_json(each), "load_seconds": round(took, 4)} for each, took in told],
                "adapters": [_adapter_json(each) for each in adapters],
                "bytes": size,
                "load_seconds": round(seconds, 4),
            }
        )
        return
    out = console.stdout_console()
    for each, took in told:
        head = f"{each.kind}, version {each.version}, {_megabytes(each.size)}, read in {took:.2f} s"
        _print_one(each.name, head, _lines(each))
    for adapter in adapters:
        head = f"adapter of the library, {_megabytes(adapter.size)}, {adapter.sha256[:12]}"
        _print_one(adapter.name, head, _adapter_lines(adapter))
    out.print(
        f"{console.count_noun(len(told), 'model')} in {_megabytes(size)}, read in {seconds:.2f} s."
    )


@app.command("info")
def info(name: NameArgument, library: LibraryOption = None, as_json: JsonOption = False) -> None:
    """Print the card of a model: data, settings, scores, limits."""
    from fourcorners.cli.output import console
    from fourcorners.models.card_text import describe_model, learned_from
    from fourcorners.models.registry import model_folders

    adapter = next((each for each in _adapters(library) if each.name == name), None)
    folder = next((each for each in model_folders() if each.name == name), None)
    if adapter is None and folder is None:
        raise _unknown(name, library)
    if adapter is not None:
        card: Mapping[str, object] = {
            "name": adapter.name,
            "encoder": adapter.encoder,
            "ranker": adapter.ranker,
            **adapter.card,
            "bytes": adapter.size,
            "sha256": adapter.sha256,
        }
    elif folder is not None:
        card = describe_model(folder).card
    if as_json:
        console.print_json(_plain(card))
        return
    from rich.text import Text

    from fourcorners.text.invisible_characters import single_line

    out = console.stdout_console()
    hashes = learned_from(card)
    for key, value in card.items():
        if key in ("learned_from", "documents_learned_from"):
            value = [*hashes[:HASHES]]
            key = f"learned_from ({len(hashes):,})"
            if len(hashes) > HASHES:
                value.append(f"… all of them: fourcorners models info {name} --json")
        for depth, told in _told(key, value):
            console.print_indented(out, Text(single_line(told)), 2 * depth + 2, " " * 2 * depth)


@app.command("verify")
def verify(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Only this one; all by default.", show_default=False),
    ] = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check every file by its hash; exit 1 where one is wrong."""
    from fourcorners.cli.output import console
    from fourcorners.models.registry import model_folders

    checked = [_check(folder) for folder in model_folders() if name in (None, folder.name)]
    checked += [
        _check_adapter(each.name, library)
        for each in _adapters(library)
        if name in (None, each.name)
    ]
    if not checked:
        raise _unknown(name or "", library)
    wrong = [each for each in checked if each.problem]
    if as_json:
        console.print_json(
            [
                {
                    "name": each.name,
                    "files": list(each.files),
                    "whole": not each.problem,
                    "fault": each.problem or None,
                    "remedy": each.remedy or None,
                }
                for each in checked
            ]
        )
    else:
        _print_checked(checked)
    if wrong:
        raise typer.Exit(1)


@app.command("remove")
def remove(name: NameArgument, library: LibraryOption = None, as_json: JsonOption = False) -> None:
    """Remove an adapter from the library."""
    from fourcorners.cli.output import console
    from fourcorners.errors import ConfigError
    from fourcorners.models.registry import model_folders
    from fourcorners.precedents.learning import adapters

    with console.open_library(library, create=False) as store:
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
    console.stdout_console().print(f"The adapter {name!r} is removed.")


def _unknown(name: str, library: str | None) -> FourcornersError:
    from fourcorners.errors import ConfigError
    from fourcorners.models.registry import model_folders

    names = [folder.name for folder in model_folders()] + [each.name for each in _adapters(library)]
    return ConfigError(f"there is no model {name!r}.", remedy=f"There are: {', '.join(names)}.")


def _adapters(library: str | None) -> list[InstalledAdapter]:
    """Return the adapters of the library; none where there is no library and none was named."""
    from pathlib import Path

    from fourcorners.cli.output import console
    from fourcorners.precedents.learning.adapters import list_adapters
    from fourcorners.settings import Settings

    path = Settings.load().library
    if library is None and ":" not in path and not Path(path).expanduser().is_file():
        return []
    with console.open_library(library, create=False) as store:
        return list_adapters(store)


def _seconds(model: ModelDescription, folder: Path) -> float:
    """Return how long the model takes to be read, verified and made ready."""
    from fourcorners.models.card import load_card

    started = time.perf_counter()
    if model.kind == "encoder":
        from fourcorners.models.registry import load_encoder

        load_encoder(model.name).encode(["warm"])
    elif model.kind == "clause-reader":
        from fourcorners.models.clause_reader.reader import open_reader

        _ = open_reader(folder).weights
    elif model.kind == "answer-reader":
        from fourcorners.models.answer_reader.reader import open_answer_reader

        open_answer_reader(folder).read("Is it warm?", ["It is warm."])
    elif model.kind == "entailment":
        from fourcorners.models.entailment.model import load_entailment

        load_entailment()
    elif model.kind == "polarity":
        from fourcorners.models.polarity.model import default_polarity

        default_polarity()
    elif model.kind == "precedents":
        from fourcorners.precedents.scoring.score import default_model

        default_model()
    else:
        info = load_card(folder)
        for name, _ in info.files:
            info.read(name)
    return time.perf_counter() - started


def _check(folder: Path) -> Checked:
    from fourcorners.errors import ModelError
    from fourcorners.models.card import load_card

    try:
        info = load_card(folder)
        for name, _ in info.files:
            info.read(name)
    except ModelError as error:
        return Checked(folder.name, (), error.message, error.remedy)
    return Checked(folder.name, tuple(name for name, _ in info.files))


def _check_adapter(name: str, library: str | None) -> Checked:
    from fourcorners.cli.output import console
    from fourcorners.errors import ModelError
    from fourcorners.precedents.learning.adapters import load_adapter

    with console.open_library(library, create=False) as store:
        try:
            load_adapter(store, name)
        except ModelError as error:
            return Checked(name, (), error.message, error.remedy)
    return Checked(name, ("in the library",))


def _print_checked(checked: Iterable[Checked]) -> None:
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import single_line

    out = console.stdout_console()
    for each in checked:
        if not each.problem:
            out.print(Text.assemble(("✓ ", "green"), f"{each.name}: {', '.join(each.files)}"))
            continue
        out.print(Text.assemble(("✗ ", "red"), single_line(each.problem)), soft_wrap=True)
        console.print_indented(out, Text(single_line(each.remedy), "dim"), 2)


def _print_one(name: str, head: str, lines: Iterable[tuple[str, str]]) -> None:
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import single_line

    out = console.stdout_console()
    out.print(Text.assemble((single_line(name), "bold"), f"  {single_line(head)}"), soft_wrap=True)
    for what, told in lines:
        console.print_indented(out, Text(single_line(told)), 13, f"  {what}")
    out.print()


def _lines(model: ModelDescription) -> list[tuple[str, str]]:
    from itertools import islice

    from fourcorners.models.card_text import card_figures

    count = len(model.learned_from)
    learned = f"{model.source} ({count:,} hashes on the card)" if count else model.source
    found = [f"{name} {value}" for name, value in islice(card_figures(model.scores), FIGURES)]
    told = [("is", model.description), ("learned", learned), ("licence", model.licence)]
    return [*told, ("scores", "; ".join(found))] if found else told


def _adapter_lines(adapter: InstalledAdapter) -> list[tuple[str, str]]:
    from fourcorners.models.card_text import card_figures, card_scores

    told = [f"{name} {value}" for name, value in card_figures(card_scores(adapter.card))]
    return [
        ("learned", f"{adapter.card.get('source', '')}"),
        ("for", f"{adapter.encoder}, with {adapter.ranker}"),
        ("licence", f"{adapter.card.get('licence', '')}"),
        ("scores", "; ".join(told)),
    ]


def _json(model: ModelDescription) -> dict[str, Json]:
    return {
        "name": model.name,
        "kind": model.kind,
        "version": model.version,
        "bytes": model.size,
        "description": model.description,
        "source": model.source,
        "licence": model.licence,
        "encoder": model.encoder or None,
        "learned_from": len(model.learned_from),
        "scores": _plain(model.scores),
    }


def _adapter_json(adapter: InstalledAdapter) -> Json:
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
        "data": _plain(adapter.card.get("data")),
        "scores": _plain(card_scores(adapter.card)),
    }


def _plain(value: object) -> Json:
    """Return what a card holds as JSON; a date is told in words."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case _:
            return str(value)


def _told(key: str, value: object, depth: int = 0) -> Iterable[tuple[int, str]]:
    """Yield the lines of a card with their depth; a list of numbers stands in one."""
    match value:
        case dict():
            yield depth, f"{key}:"
            for name, each in value.items():
                yield from _told(str(name), each, depth + 1)
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
