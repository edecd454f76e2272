"""Annotated contracts as something to learn from: their sentences, marked or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fourcorners.playbooks.bank.files import read_clauses
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.playbooks.learning.learn import Clause, Sentence, mark_sentences, sentence_spans
from fourcorners.text.span import Span


def read_annotated_folder(folder: Path) -> tuple[list[Sentence], list[Clause]]:
    """Return the sentences of the annotated contracts of a folder, and the clauses.

    Raises:
        ConfigError: If the folder is not laid out as CUAD is, or something in it is wrong.
    """
    marked: dict[str, list[BankClause]] = {}
    for clause in read_clauses(folder):
        marked.setdefault(clause.tags[0], []).append(clause)
    given: list[Sentence] = []
    clauses: list[Clause] = []
    for name, found in marked.items():
        text = (folder / "contracts" / name).read_bytes().decode("utf-8")
        given += mark_sentences(text, sentence_spans(text), _spans(found), found[0].source)
        clauses += [Clause(each.provision, each.text, each.source) for each in found]
    return given, clauses


def _spans(clauses: Sequence[BankClause]) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {}
    for each in clauses:
        if each.start is not None and each.end is not None:
            spans.setdefault(each.provision, []).append(Span(each.start, each.end))
    return spans
