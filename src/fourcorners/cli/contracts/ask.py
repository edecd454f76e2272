"""`fourcorners ask`, `chat` and `answers`: questions to contracts, answered with reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

from fourcorners.cli.options import (
    CollectionOption,
    ContractsOption,
    JsonOption,
    LibraryOption,
    WordsOption,
    argument,
    option,
)
from fourcorners.cli.output import console
from fourcorners.errors import FourcornersError

ContextOption = Annotated[str, option("--context TEXT", "What else is known: which party you are.")]
InstructionsOption = Annotated[str, option("--instructions TEXT", "How the report is to be.")]
TurnsOption = Annotated[
    int, option("--turns N", "How often the model looks things up, at most.", least=1, most=20)
]
RulesOption = Annotated[
    bool, option("--rules", "Do without a language model, though one is configured.")
]
SourceOption = Annotated[
    list[str] | None,
    option("--source NAME", "An outside source to use, too. May be given again."),
]


def ask(
    question: Annotated[str, argument("QUESTION", "In your own words.")],
    contract: ContractsOption = None,
    collection: CollectionOption = None,
    turns: TurnsOption = 5,
    context: ContextOption = "",
    instructions: InstructionsOption = "",
    out: Annotated[
        Path | None,
        option("--out -o FILE", "Write the report: .md, .html, .docx, .pdf, .json."),
    ] = None,
    rules: RulesOption = False,
    source: SourceOption = None,
    estimate: Annotated[
        bool, option("--estimate", "Only say what it would cost; nothing is sent.")
    ] = False,
    record: Annotated[
        Path | None, option("--record FILE", "Write the exchanges with the model down.")
    ] = None,
    replay: Annotated[Path | None, option("--replay FILE", "Answer from such a record.")] = None,
    words_only: WordsOption = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question, with the words behind it.

    Without a language model the report quotes what answers, with the definitions, exceptions and
    amendments that belong to it, and says what the contracts do not say.
    """
    from fourcorners.cli.contracts.answers import QuestionOptions, print_answer, show_progress
    from fourcorners.reports.answer import require_suffix, write_answer
    from fourcorners.research import store

    console.require_place(out, record)
    if out is not None:
        require_suffix(out)
    with console.open_library(library) as held:
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
            asked.print_estimate(question, context, as_json=as_json)
            return
        with asked.events(question, context) as events:
            answer = show_progress(events)
        identity = store.save_answer(held, answer)
    if out is not None:
        write_answer(answer, out)
    if as_json:
        console.print_json(json.loads(answer.to_json()))
        return
    print_answer(answer)
    console.print_note((f"Kept as {identity}." + (f" Written to {out}." if out else ""), "dim"))


def chat(
    contract: ContractsOption = None,
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
    from fourcorners.research import store
    from fourcorners.research.limits import MAX_QUESTION

    with console.open_library(library) as held:
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
            print_answer(answer)
            console.print_note((f"Kept as {identity}.", "dim"))
            said.append(f"Asked before: {question} (answered: {answer.answer.ruling.value})")


def answers(
    identity: Annotated[str | None, argument("ID", "An answer to show.", default="a list")] = None,
    out: Annotated[
        Path | None, option("--out -o FILE", "Write it: .md, .html, .docx, .pdf, .json.")
    ] = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the answers that the library keeps, or show one."""
    from fourcorners.cli.contracts.answers import print_answer, print_answers
    from fourcorners.reports.answer import require_suffix, write_answer
    from fourcorners.research import store

    if out is not None:
        require_suffix(out)
        console.require_place(out)
    with console.open_library(library) as held:
        if identity is None:
            print_answers(store.list_answers(held), as_json=as_json)
            return
        answer = store.load_answer(held, identity)
    if out is not None:
        write_answer(answer, out)
    elif as_json:
        console.print_json(json.loads(answer.to_json()))
    else:
        print_answer(answer)


def _line(prompt: str) -> str:
    """Return a line that a person types; nothing at the end of the input."""
    if sys.stdin.isatty():
        sys.stderr.write(prompt)
        sys.stderr.flush()
    return sys.stdin.readline().strip()
