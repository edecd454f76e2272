"""Explain in words how a query is run, for `fourcorners search --explain`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fourcorners.library.catalogue import Catalogue
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.search.expansion import expand_query
from fourcorners.search.fields import field_rows, require_fields
from fourcorners.search.filters import NO_FILTERS, Filters
from fourcorners.search.index import index_of
from fourcorners.search.query import Field, Mode, Query, parse_query, tree_fields
from fourcorners.search.query.fts import CompiledLeaf, compile_query
from fourcorners.search.query.tree import leaf_label


@dataclass(frozen=True, slots=True)
class PlanStep:
    name: str
    description: str


def explain_plan(
    library: Catalogue,
    query: str | Query,
    *,
    encoder: Encoder | None = None,
    filters: Filters = NO_FILTERS,
) -> list[PlanStep]:
    """Return how `find` runs a query with the same arguments.

    Raises:
        QueryError, ConfigError: As `find` does.
    """
    parsed = parse_query(query) if isinstance(query, str) else query
    tree = expand_query(parsed, library)
    tokens = filters.tokens(library)
    require_fields(library, tree, filters.within)
    mode = " (mode lucene)" if parsed.mode is Mode.LUCENE else ""
    steps = [PlanStep("Query", f"{parsed}{mode}")]
    if tree != parsed.tree:
        name = "With stemming" if parsed.stem else "With other spellings"
        steps.append(PlanStep(name, str(Query(parsed.text, tree))))
    by_meaning = encoder is not None and library.encoder is not None
    steps.append(PlanStep("Read as", _kind(parsed, by_meaning=by_meaning)))
    if tokens:
        steps.append(
            PlanStep("Filters", f"leave {len(index_of(library).filtered_rows(tokens)):,} passages")
        )
    steps += [
        PlanStep(
            "Field",
            f"{leaf_label(field)} leaves {len(field_rows(library, field, tokens)):,} passages",
        )
        for field in tree_fields(tree)
    ]
    steps += _terms(library, compile_query(tree).leaves, tokens)
    return steps


def _kind(query: Query, *, by_meaning: bool) -> str:
    if query.plain and by_meaning:
        return "a question: passages with any of its words, and those near its meaning, are fused"
    if by_meaning:
        return "an exact query: meaning may change the order of what satisfies it, never the set"
    return "an exact query, by words alone"


def _terms(
    library: Catalogue, leaves: tuple[CompiledLeaf, ...], tokens: list[list[str]]
) -> Iterator[PlanStep]:
    for leaf in leaves:
        if isinstance(leaf.leaf, Field):
            continue
        count = f"{index_of(library).count(leaf, tokens):,} passages"
        if not leaf.exact:
            count += ", each then read, because the index knows no order of words"
        role = f"counts {leaf.boost:g} times" if leaf.scored else "excludes"
        yield PlanStep("Term", f"{leaf.label} {role}; {leaf.expression} finds {count}")
