"""The index and the evaluation in memory agree on real contracts."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from fourcorners.documents.document import Document
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.outline.tree import Outline
from fourcorners.search.find import find_passages
from fourcorners.search.query import parse_query
from fourcorners.search.query.match import is_match
from fourcorners.text.tokenization import WordIndex

CONTRACTS = 25
QUERIES = (
    '"change control"~5^5',
    '"assign consent"~10',
    '"exclusive license"~2',
    '"governing law"~3',
    "law pre/6 govern*",
    '"terminat* notice days"~12',
    '(indemnif* OR "hold harmless") w/8 (loss* OR damage*)',
    '["change control"~5^5, "assign* consent"~10^2] NOT landlord',
    '"party party"~4',
    "non-compet* OR (exclusiv* w/3 territor*)^3",
)


@pytest.mark.corpus
def test_exactly_the_passages_that_match_are_found(corpus: Path, tmp_path: Path) -> None:
    expected: dict[str, set[tuple[str, int]]] = {query: set() for query in QUERIES}
    texts: dict[str, str] = {}
    with Library.open(tmp_path / "firm.db") as library:
        for path in sorted((corpus / "cuad" / "contracts").glob("*.txt"))[::16][:CONTRACTS]:
            raw = path.read_bytes()
            digest = sha256(raw).hexdigest()
            document = Document(
                digest[:16], path.name, str(path), digest, "text/plain", "plain/1", raw.decode()
            )
            cut = cut_passages(document, Outline((), 0.0, windows=True))
            library.add(document, Outline((), 0.0, windows=True), Card(), cut, None, collection="C")
            texts[document.id] = document.text
            for passage in cut:
                index = WordIndex(passage.span.text_in(document.text))
                for query in QUERIES:
                    if is_match(parse_query(query), index):
                        expected[query].add((document.id, passage.ordinal))
        for query in QUERIES:
            hits = find_passages(library, query, limit=100_000)
            assert expected[query], query
            assert {(hit.document, hit.ordinal) for hit in hits} == expected[query], query
            for hit in hits:
                assert hit.words == hit.span.text_in(texts[hit.document])
                assert hit.matched
                assert all(hit.span.contains(spot) for spot in (*hit.matched, hit.snippet))
