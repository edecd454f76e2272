"""`fourcorners ask`, `chat` and `answers`: questions to contracts, answered with reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from fourcorners.cli.output.console import CollectionOption, JsonOption, LibraryOption

ContractOption = Annotated[
    list[str] | None,
    typer.Option("--in", metavar="CONTRACT", help="Only of this contract. May be given again."),
]
ContextOption = Annotated[
    str, typer.Option("--context", metavar="TEXT", help="What else is known: which party you are.")
]
InstructionsOption = Annotated[
    str, typer.Option("--instructions", metavar="TEXT", help="How the report is to be.")
]
TurnsOption = Annotated[
    int,
    typer.Option(
        "--turns", metavar="N", min=1, max=20, help="How often the model looks things up, at most."
    ),
]
RulesOption = Annotated[
    bool, typer.Option("--rules", help="Do without a language model, though one is configured.")
]
SourceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--source", metavar="NAME", help="An outside source to use, too. May be given again."
    ),
]
WordsOption = Annotated[bool, typer.Option("--words-only", help="Do without the local encoder.")]


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In your own words.")],
    contract: ContractOption = None,
    collection: CollectionOption = None,
    turns: TurnsOption = 5,
    context: ContextOption = "",
    instructions: InstructionsOption = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write the report: .md, .html, .docx, .pdf, .json."
        ),
    ] = None,
    rules: RulesOption = False,
    source: SourceOption = None,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Only say what it would cost; nothing is sent."),
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the exchanges with the model down."),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", metavar="FILE", help="Answer from such a record."),
    ] = None,
    words_only: WordsOption = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question, with the words behind it.

    Without a language model the report quotes what answers, with the definitions, exceptions and
    amendments that belong to it, and says what the contracts do not say.
    """
    from fourcorners.cli.contracts.answers import (
        QuestionOptions,
        print_answer,
        print_estimate,
        show_progress,
    )
    from fourcorners.cli.output import console
    from fourcorners.reports.answer import require_suffix, write_answer
    from fourcorners.research import store

    for path in (out, record):
        console.require_place(path)
    if out is not None:
        require_suffix(out)
    with console.open_library(library, create=False) as held:
        asked = QuestionOptions(
            held,
            tuple(contract or ()),
            collection,
            turns=turns,
            instructions=instructions,
            rules=rules,
            sources=tuple(source or ()),
            record=record,
            replay=replay,
            words_only=words_only,
        )
        if estimate:
            print_estimate(asked, question, context, as_json=as_json)
            return
        with asked.events(question, context) as events:
            answer = show_progress(events)
        identity = store.save_answer(held, answer)
    if out is not None:
        write_answer(answer, out)
    if as_json:
        console.print_json(json.loads(answer.to_json()))
        return
    print_answer(console.stdout_console(), answer)
    kept = f"Kept as {identity}." + (f" Written to {out}." if out else "")
    console.err().print(kept, style="dim", soft_wrap=True)


def chat(
    contract: ContractOption = None,
    collection: CollectionOption = None,
    turns: TurnsOption = 5,
    context: ContextOption = "",
    instructions: InstructionsOption = "",
    rules: RulesOption = False,
    source: SourceOption = None,
    words_only: WordsOption = False,
    library: LibraryOption = None,
) -> None:
    """Ask on: each answer is context of the next.

    An empty line, or Ctrl-D, ends the conversation. Every report is kept in the library.
    """
    from fourcorners.cli.contracts.answers import QuestionOptions, print_answer, show_progress
    from fourcorners.cli.output import console
    from fourcorners.errors import FourcornersError
    from fourcorners.research import store
    from fourcorners.research.limits import MAX_QUESTION

    out, err = console.stdout_console(), console.err()
    with console.open_library(library, create=False) as held:
        asked = QuestionOptions(
            held,
            tuple(contract or ()),
            collection,
            turns=turns,
            instructions=instructions,
            rules=rules,
            sources=tuple(source or ()),
            words_only=words_only,
        )
        said: list[str] = []
        while question := _line("Ask: "):
            known = "\n".join([context, *said]).strip()[-MAX_QUESTION:]
            try:
                with asked.events(question, known) as events:
                    answer = show_progress(events)
            except FourcornersError as error:
                console.print_error(error)
                continue
            identity = store.save_answer(held, answer)
            print_answer(out, answer)
            err.print(f"Kept as {identity}.", style="dim", soft_wrap=True)
            said.append(f"Asked before: {question} (answered: {answer.answer.ruling.value})")


def answers(
    identity: Annotated[
        str | None, typer.Argument(metavar="ID", help="An answer to show.", show_default="a list")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write it: .md, .html, .docx, .pdf, .json."
        ),
    ] = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the answers that the library keeps, or show one."""
    from fourcorners.cli.contracts.answers import print_answer, print_answers
    from fourcorners.cli.output import console
    from fourcorners.reports.answer import require_suffix, write_answer
    from fourcorners.research import store

    if out is not None:
        require_suffix(out)
        console.require_place(out)
    with console.open_library(library, create=False) as held:
        if identity is None:
            print_answers(store.list_answers(held), as_json=as_json)
            return
        answer = store.load_answer(held, identity)
    if out is not None:
        write_answer(answer, out)
    elif as_json:
        console.print_json(json.loads(answer.to_json()))
    else:
        print_answer(console.stdout_console(), answer)


def _line(prompt: str) -> str:
    """Return a line that a person types; nothing at the end of the input."""
    if sys.stdin.isatty():
        sys.stderr.write(prompt)
        sys.stderr.flush()
    return sys.stdin.readline().strip()
