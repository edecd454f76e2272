"""`fourcorners playbook learn`: a playbook's queries from a clause bank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fourcorners.playbooks.learning.learn import Clause, LearnedQuery, QueryGain, Sentence

MOST_PASSAGES = 20_000
"""Passages of the library that the clauses of a bank are compared with, at most."""


@dataclass(frozen=True, slots=True)
class _LearningOptions:
    """What is learned from, and for what."""

    bank: Annotated[str | None, option("--from BANK", "Learn from this clause bank.")] = None
    data: Annotated[
        Path | None, option("--data DIR", "Learn from annotated contracts, laid out as CUAD.")
    ] = None
    playbook: Annotated[
        str | None,
        option("--playbook NAME", "Add what is learned to this playbook: a name or a file."),
    ] = None
    provision: Annotated[
        list[str] | None, option("--provision NAME", "Only this provision; may be repeated.")
    ] = None


@spread
def learn(
    out: Annotated[Path, option("--out FILE", "The playbook file to write.")],
    lesson: _LearningOptions,
    words_only: Annotated[bool, option("--words-only", "Choose no examples by meaning.")] = False,
    library: options.Library = None,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
) -> None:
    """Learn keyword queries and examples; print what they gain."""
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.bank.files import read_annotated_folder
    from fourcorners.playbooks.learning.learn import QueryLearner, cross_validate
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.playbooks.write import learned_yaml, match_provision
    from fourcorners.settings import Settings

    if (lesson.bank is None) == (lesson.data is None):
        raise ConfigError("there is one thing to learn from.", remedy="Give --from or --data.")
    console.require_place(out)
    book = load_playbook(lesson.playbook) if lesson.playbook is not None else None
    settings = Settings.load(library=library, jobs=jobs)
    given, clauses = (
        read_annotated_folder(lesson.data) if lesson.data else _bank(str(lesson.bank), library)
    )
    wanted = _select_provisions(clauses, lesson.provision)
    chosen = [clause for clause in clauses if clause.provision in wanted]
    encoder = None if words_only else default_encoder(settings.encoder, threads=settings.jobs)
    learner = QueryLearner(given, chosen, encoder=encoder)
    learned: dict[str, LearnedQuery] = {}
    gains: list[QueryGain] = []
    left_out: dict[str, str] = {}
    with console.progress() as bars:
        task = bars.add_task("Learning", total=len(wanted))
        for name in wanted:
            own = match_provision(book, name)
            try:
                learned[name] = learner.learn(name)
            except ConfigError as error:
                left_out[name] = error.message
            else:
                found = cross_validate(learner, name, own.query if own else None)
                gains += [found] if found else []
            bars.advance(task)
    if not learned:
        raise ConfigError(
            "nothing was learned: " + " ".join(left_out.values()),
            remedy="Import more clauses: fourcorners bank import.",
        )
    replace_text(out, learned_yaml(learned, lesson.playbook, out.stem))
    if as_json:
        console.print_json({"provisions": _json(learned, gains), "left_out": left_out})
        return
    _print(learned, gains, left_out, out)


def _select_provisions(clauses: Sequence[Clause], asked: Sequence[str] | None) -> list[str]:
    known = list(dict.fromkeys(clause.provision for clause in clauses))
    if not asked:
        return known
    by_fold = {name.casefold(): name for name in known}
    missing = [name for name in asked if name.casefold() not in by_fold]
    if missing:
        raise ConfigError(
            f"there are no clauses of {missing[0]!r}.", remedy=f"There are: {', '.join(known)}."
        )
    return list(dict.fromkeys(by_fold[name.casefold()] for name in asked))


def _bank(bank: str, library: str | None) -> tuple[list[Sentence], list[Clause]]:
    """Return a bank's clauses, and their sentences with those of the library's contracts."""
    from fourcorners.playbooks.bank.store import bank_clauses, training_clauses
    from fourcorners.playbooks.learning.learn import label_sentences

    with console.open_library(library) as store:
        clauses = training_clauses(bank_clauses(store, bank))
        background: list[str] = []
        for entry in store.documents():
            if len(background) >= MOST_PASSAGES:
                break
            text = store.text(entry.id)
            background += [each.span.text_in(text) for each in store.passages(entry.id)]
    return label_sentences(clauses, background), clauses


def _json(learned: Mapping[str, LearnedQuery], gains: Sequence[QueryGain]) -> list[object]:
    by_name = {each.provision: each for each in gains}
    none = {"clauses": None, "before": None, "learned": None}
    return [
        {
            "provision": name,
            "query": each.query,
            "examples": each.examples,
            **(console.attributes(by_name[name], " ".join(none)) if name in by_name else none),
        }
        for name, each in learned.items()
    ]


def _print(
    learned: Mapping[str, LearnedQuery],
    gains: Sequence[QueryGain],
    left_out: Mapping[str, str],
    path: Path,
) -> None:
    heads = ("Provision", "clauses", "terms", "its own query", "learned", "gain")
    rows = [
        (
            single_line(each.provision),
            f"{each.clauses:,}",
            f"{len(learned[each.provision].terms)}",
            "–" if each.before is None else f"{each.before:.2f}",
            f"{each.learned:.2f}",
            "–" if each.before is None else f"{each.learned - each.before:+.2f}",
        )
        for each in gains
    ]
    title = "Average precision on clauses that were not learned from"
    console.stdout_console().print(console.plain_table(heads, rows, title=title))
    for reason in left_out.values():
        console.print_line(f"Left out: {single_line(reason)}")
    console.print_line(f"{console.count_noun(len(learned), 'provision')} written to {path}.")
