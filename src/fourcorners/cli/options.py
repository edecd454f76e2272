"""The options of the commands: a short way to declare one, and those that several have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo


def option(
    names: str,
    text: str,
    *,
    default: str | bool = True,
    least: int | None = None,
    most: int | None = None,
    callback: Callable[[bool], None] | None = None,
) -> OptionInfo:
    """Return an option as its help has it, such as `option("--limit -n N", "How many.")`.

    Args:
        names: The flags, and then the name of the value if it takes one.
        text: What the option does.
        default: What is meant without it, in words; False to say nothing of it.
        least: The least number that may be given.
        most: The greatest.
        callback: What is called with the value before all else.
    """
    words = names.split()
    value = None if words[-1].startswith("-") else words.pop()
    found: OptionInfo = typer.Option(
        *words,
        metavar=value,
        help=text,
        show_default=default,
        min=least,
        max=most,
        callback=callback,
        is_eager=callback is not None,
    )
    return found


def argument(
    name: str,
    text: str,
    *,
    default: str | bool = True,
    least: int | None = None,
    most: int | None = None,
) -> ArgumentInfo:
    """Return an argument as its help has it, such as `argument("QUERY", "What to look for.")`."""
    found: ArgumentInfo = typer.Argument(
        metavar=name, help=text, show_default=default, min=least, max=most
    )
    return found


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose options are the fields of the dataclasses that a function takes.

    Such a dataclass declares options as a command does: `name: Annotated[type, option(…)] = …`. The
    function gets one value of it; its other parameters are options as they are.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters: list[Parameter] = []
    groups: dict[str, type] = {}
    for each in signature(function).parameters.values():
        kind = hints[each.name]
        if not (isinstance(kind, type) and is_dataclass(kind)):
            parameters.append(each.replace(annotation=kind, kind=Parameter.KEYWORD_ONLY))
            continue
        groups[each.name] = kind
        annotations = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            default = Parameter.empty if field.default is MISSING else field.default
            declared = {"default": default, "annotation": annotations[field.name]}
            parameters.append(Parameter(field.name, Parameter.KEYWORD_ONLY, **declared))

    def run(**given: object) -> None:
        values = {
            name: kind(
                **{each.name: given.pop(each.name) for each in fields(kind) if each.name in given}
            )
            for name, kind in groups.items()
        }
        function(**values, **given)

    run.__doc__, run.__name__ = function.__doc__, function.__name__
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


# Of all commands

Library = Annotated[
    str | None,
    option(
        "--library -l URL",
        "The library: a file or a URL. Default: ./fourcorners.db if it is there, "
        "else one in your data folder (FOURCORNERS_LIBRARY sets another).",
    ),
]
Collection = Annotated[
    str | None,
    option("--collection -c NAME", "A named part of the library: a deal, a client, a clause bank."),
]
Jobs = Annotated[
    int | None, option("--jobs -j N", "Processes at once.", least=1, default="one a core")
]
On = Annotated[
    str | None,
    option(
        "--on CLUSTER",
        "Let a Ray cluster work: ray://HOST:PORT, or ray to start one on this machine.",
    ),
]
By = Annotated[
    str | None,
    option("--by NAME", "Who says it. Default: the setting `reviewer`, else your user name."),
]
Json = Annotated[bool, option("--json", "Print JSON, for programs.")]
Playbook = Annotated[str, option("--playbook -p NAME", "The playbook of the review.")]
Contracts = Annotated[
    list[str] | None, option("--in CONTRACT", "Only of this contract. May be given again.")
]
Contract = Annotated[
    str, argument("CONTRACT", "A contract, by a unique part of its name, its path or its id.")
]
Words = Annotated[bool, option("--words-only", "Do without the local encoder.")]


@dataclass(frozen=True, slots=True)
class JobOptions:
    """Where work is done."""

    jobs: Jobs = None
    on: On = None


@dataclass(frozen=True, slots=True)
class LibraryOptions:
    """Where contracts are taken from, and whether the encoder reads them."""

    library: Library = None
    collection: Collection = None
    words_only: Words = False


# Of those that ask a language model

Model = Annotated[
    list[str] | None, option("--model NAME", "In place of the settings' model. May be given again.")
]
Replay = Annotated[
    Path | None, option("--replay FILE", "Answer from recorded exchanges; nothing is called.")
]
Exchanges = Annotated[Path | None, option("--record FILE", "Append all exchanges to this file.")]

# Of those that rank clauses

Method = Annotated[
    str,
    option(
        "--profile NAME",
        "default (full), hybrid, dense, bm25; with -rerank (full-rerank, …) the first "
        "hundred are read again by the reranker of the settings; with -pointwise or -pairwise "
        "(full-pointwise, …) the first are by the language model.",
    ),
]
Reread = Annotated[
    int | None,
    option(
        "--reread N", "How many of the first the language model reads again.", least=2, default="20"
    ),
]
Expand = Annotated[
    bool,
    option(
        "--expand",
        "Have the language model name the words in which contracts write the clause, and "
        "look for them too.",
    ),
]

# Of the benchmarks

Data = Annotated[Path, option("--data DIR", "The folder of the data set.")]
Record = Annotated[Path | None, option("--json FILE", "Write settings, versions and measures.")]
Run = Annotated[Path | None, option("--run-out FILE", "Write the raw answers.")]
Plots = Annotated[
    Path | None, option("--plots DIR", "Draw the figures there, as SVG and PNG, light and dark.")
]
Limit = Annotated[int | None, option("--limit N", "Only the first N contracts.", least=1)]
Seed = Annotated[int, option("--seed N", "The seed of the confidence intervals.")]
Keep = Annotated[
    Path | None,
    option(
        "--library FILE",
        "Keep the library here, to continue with it later.",
        default="a temporary one",
    ),
]
