"""`fourcorners bench`: the benchmarks, and the scoring of run files made anywhere."""

from __future__ import annotations

import typer

from fourcorners_bench.commands import (
    answers,
    comparison,
    entailment,
    extraction,
    families,
    obligations,
    outline,
    performance,
    precedents,
    provisions,
    results,
    retrieval,
    score,
    statements,
    values,
    verdicts,
)

app = typer.Typer(help="Measure the program on public benchmarks.", no_args_is_help=True)
app.command("all")(results.results_page)
app.command("comparison")(comparison.comparison)
app.command("versions")(comparison.versions)
app.command("extraction")(extraction.extraction)
app.command("families")(families.families)
app.command("cost")(performance.cost)
app.command("outline")(outline.outline)
app.command("score")(score.score)
app.command("speed")(performance.speed)
app.command("parts")(performance.parts)
app.add_typer(answers.app, name="answers")
app.command("entailment")(entailment.entailment)
app.command("obligations")(obligations.obligations)
app.command("precedents")(precedents.precedents)
app.command("provisions")(provisions.provisions)
app.command("retrieval")(retrieval.retrieval)
app.command("build")(retrieval.build)
app.command("statements")(statements.statements)
app.command("values")(values.values)
app.command("verdicts")(verdicts.verdicts)
