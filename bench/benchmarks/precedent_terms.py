"""Count how often the clause of the side, number and period asked for comes first.

    python -m benchmarks.precedent_terms

The bank and the queries of `precedent_terms.yaml` are invented. Each query has one right clause and
at least one near miss: for the other side, for both, or of another number. It prints what came
first instead, and CPU seconds a query once the models are loaded.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from fourcorners.models import default_encoder
from fourcorners.precedents.clause import Clause, ClausePlace
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.rank import ClauseStock, rank_clauses
from fourcorners.precedents.scoring.score import Scoring
from fourcorners.text.patterns import load_yaml

DATA = Path(__file__).with_suffix(".yaml")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile", type=Profile, default=Profile.DEFAULT)
    given = parser.parse_args()
    table = load_yaml(DATA.read_text("utf-8"))
    clauses = [Clause(text, (ClausePlace(name),)) for name, text in table["clauses"].items()]
    stock = ClauseStock(clauses, default_encoder())
    rank_clauses("governing law", stock)  # loads the models, and reads the clauses
    queries = table["queries"]
    right = 0
    began = time.process_time()
    for query, name in queries.items():
        first = rank_clauses(query, stock, Scoring(profile=given.profile), limit=1)[0]
        found = first.clause.places[0].source
        right += found == name
        if found != name:
            print(f"{query}: {found}, not {name}")
    spent = (time.process_time() - began) / len(queries)
    print(f"{right} of {len(queries)} have the right clause first; {spent:.2f} CPU s a query")


if __name__ == "__main__":
    main()
