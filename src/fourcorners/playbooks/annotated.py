"""Annotated contracts as something to learn from: their sentences, marked or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fourcorners.playbooks.bank import BankClause
from fourcorners.playbooks.bank_files import read
from fourcorners.playbooks.learn import Clause, Sentence, mark, split_at
from fourcorners.text.span import Span


def from_folder(folder: Path) -> tuple[list[Sentence], list[Clause]]:
    """Return the sentences of the annotated contracts of a folder, and the clauses.

    Raises:
        ConfigError: If the folder is not laid out as CUAD is, or something in it is wrong.
    """
    marked: dict[str, list[BankClause]] = {}
    for clause in read(folder):
        marked.setdefault(clause.tags[0], []).append(clause)
    given: list[Sentence] = []
    clauses: list[Clause] = []
    for name, found in marked.items():
        text = (folder / "contracts" / name).read_bytes().decode("utf-8")
        given += mark(text, split_at(text), _spans(found), found[0].source)
        clauses += [Clause(each.provision, each.text, each.source) for each in found]
    return given, clauses


def _spans(clauses: Sequence[BankClause]) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {}
    for each in clauses:
        if each.start is not None and each.end is not None:
            spans.setdefault(each.provision, []).append(Span(each.start, each.end))
    return spans
