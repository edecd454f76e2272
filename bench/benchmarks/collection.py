"""Ask what no passage of a collection answers alone, and count what is found in equal characters.

    python -m benchmarks.collection --data DATA/cuad --library collection.db

The 40 questions of `collection_questions.json` were frozen, with what answers them, before anything
was measured: the contracts (69 of CUAD's, with several of one company, amendments and many types)
and the places in them. The 20 of `collection_questions_2.json` (`--questions`; 64 others) were
written for the look-up by law and party before it was built, and the 40 of
`collection_questions_3.json` for relations between documents, over four collections, each asked
within its own. Each way finds places, the best first, and what it finds counts up to
`--characters`; the last place is cut. Recall of contracts is the share of the right contracts of
which a quote was found, in part at least; recall of quotes that of the quotes of which half was
found. Intervals are over resampled questions, and so are the differences by question of each
further way to the first. Encoder and readers have learned from some of these contracts, whichever
the way.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.answerability.search import search_answer
from fourcorners.research.context import ResearchContext, build_context
from fourcorners.research.offline.collection import ask_contracts, contract_question
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.mentions import find_mentions
from fourcorners.settings import Settings
from fourcorners.text.span import Span, subtract_spans
from fourcorners_bench.extraction.run import find_document
from fourcorners_bench.measures.statistics import bootstrap_interval

QUESTIONS = Path(__file__).with_name("collection_questions.json")
LIMIT = 100

Place = tuple[str, Span]
Way = Callable[[ResearchContext, str], list[Place]]


@dataclass(frozen=True, slots=True)
class CollectionQuestion:
    """A question with the places that answer it, by document."""

    ask: str
    kind: str
    collection: str
    gold: dict[str, tuple[Span, ...]]


@dataclass(frozen=True, slots=True)
class Found:
    """What a way found of the answer to a question."""

    kind: str
    contracts: float
    quotes: float
    returned: int  # contracts
    seconds: float


def load_questions(library: Library, path: Path, data: Path) -> list[CollectionQuestion]:
    """Add the contracts that the file's collections lack, and return the questions.

    Its one collection has the file's name; of several, each has its own name after it.
    """
    content = json.loads(path.read_text("utf-8"))
    named = content["collections"] if "collections" in content else {"": content["contracts"]}
    ids: dict[tuple[str, str], str] = {}
    texts: dict[str, str] = {}
    for collection, names in named.items():
        paths = {name: data / "contracts" / f"{name}.txt" for name in names}
        _add_contracts(library, list(paths.values()), whole := f"{path.stem} {collection}".strip())
        for name, file in paths.items():
            texts[name] = file.read_bytes().decode("utf-8")
            ids[collection, name] = find_document(library, texts[name], whole)
    words = sha256()
    questions = []
    for each in content["questions"]:
        collection, gold = each.get("collection", ""), {}
        for name, places in each["gold"].items():
            for start, end in places:
                words.update(texts[name][start:end].encode("utf-8"))
            gold[ids[collection, name]] = tuple(Span(*at) for at in places)
        whole = f"{path.stem} {collection}".strip()
        questions.append(CollectionQuestion(each["ask"], each["kind"], whole, gold))
    if words.hexdigest() != content["sha256"]:
        raise SystemExit("the contracts are not those that the places were read in.")
    return questions


def _add_contracts(library: Library, paths: Sequence[Path], collection: str) -> None:
    report = add_files(
        library,
        paths,
        collection=collection,
        encoder=default_encoder(),
        settings=Settings.load(),
    )
    if report.failed:
        raise SystemExit(f"{report.failed[0].path}: {report.failed[0].reason}")


def by_passages(context: ResearchContext, asked: str) -> list[Place]:
    """Find passages by words and meaning, as `fourcorners search` does."""
    filters = Filters(collection=context.collection)
    hits = find_passages(
        context.library, asked, encoder=context.encoder, filters=filters, limit=LIMIT
    )
    return [(each.document, each.span) for each in hits]


def by_search(context: ResearchContext, asked: str) -> list[Place]:
    """Find sentences as the researcher's tool `search` does."""
    found = search_answer(context, asked, limit=LIMIT)
    return [(each.document, each.span) for each in found.snippets]


def by_both(context: ResearchContext, asked: str) -> list[Place]:
    """Take what either of the two finds in turn."""
    return _in_turn(by_search(context, asked), by_passages(context, asked))


def by_asking(context: ResearchContext, asked: str) -> list[Place]:
    """Quote as `ask` does: where it asks which, each contract in turn, the surest first."""
    if not contract_question(asked):
        return by_search(context, asked)
    cited = [each.quote for each in ask_contracts(context, asked) if each.quote is not None]
    cited.sort(key=lambda each: -each.score)
    return [(each.document, each.quote.span) for each in cited if each.quote.span is not None]


def by_mentions(context: ResearchContext, asked: str) -> list[Place]:
    """Find the sentences that name what the question names, as the researcher's `mentions` does."""
    found = find_mentions(context.library, asked, context.filters)
    return [(each.document, each.span) for each in found]


def by_search_and_mentions(context: ResearchContext, asked: str) -> list[Place]:
    return _in_turn(by_search(context, asked), by_mentions(context, asked))


def _in_turn(*found: Sequence[Place]) -> list[Place]:
    return [place for rank in zip_longest(*found) for place in rank if place is not None]


WAYS: dict[str, Way] = {
    "passages": by_passages,
    "search": by_search,
    "both": by_both,
    "ask": by_asking,
    "mentions": by_mentions,
    "search+mentions": by_search_and_mentions,
}


def cut_places(places: Iterable[Place], characters: int) -> dict[str, list[Span]]:
    """Return the places that come first, no character twice, up to a number of characters."""
    remaining: dict[str, list[Span]] = {}
    for document, span in places:
        of_document = remaining.setdefault(document, [])
        for part in subtract_spans([span], of_document):
            part = Span(part.start, min(part.end, part.start + characters))
            characters -= len(part)
            of_document.append(part)
            if not characters:
                return remaining
    return remaining


def score(question: CollectionQuestion, found: dict[str, list[Span]], seconds: float) -> Found:
    """Return the shares of contracts and of quotes that were found."""

    def share(document: str, quote: Span) -> float:
        spans = found.get(document, ())
        within = sum(max(0, min(s.end, quote.end) - max(s.start, quote.start)) for s in spans)
        return within / len(quote)

    shares = {
        document: [share(document, quote) for quote in quotes]
        for document, quotes in question.gold.items()
    }
    quotes = [each for of_document in shares.values() for each in of_document]
    return Found(
        question.kind,
        sum(any(each) for each in shares.values()) / len(shares),
        sum(each >= 0.5 for each in quotes) / len(quotes),
        sum(map(bool, found.values())),
        seconds,
    )


def report(name: str, results: Sequence[Found], first: Sequence[Found] = ()) -> None:
    """Print a line a kind of question, and one of all; also what is gained over a first way."""
    for kind in (*dict.fromkeys(each.kind for each in results), ""):
        own = [each for each in results if kind in ("", each.kind)]
        other = [each for each in first if kind in ("", each.kind)]
        cells = []
        for measure in ("contracts", "quotes"):
            shares = [getattr(each, measure) for each in own]
            cells.append(f"{measure} {_with_interval(shares, '.1%')}")
            if other:
                pairs = zip(shares, other, strict=True)
                gains = [share - getattr(each, measure) for share, each in pairs]
                cells.append(f"gain {_with_interval(gains, '+.1%')}")
        returned = sum(each.returned for each in own) / len(own)
        seconds = sum(each.seconds for each in own) / len(own)
        print(
            f"{name:8} {kind or 'all':9} {len(own):3}  {'  '.join(cells)}  "
            f"of {returned:4.1f} contracts, {seconds:.1f} s",
            flush=True,
        )


def _with_interval(shares: Sequence[float], form: str) -> str:
    low, high = bootstrap_interval(shares, lambda drawn: sum(drawn) / len(drawn))
    return f"{format(sum(shares) / len(shares), form)} ({low:.0%} to {high:.0%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--characters", type=int, default=8_000)
    parser.add_argument("--way", action="append", choices=list(WAYS))
    given = parser.parse_args()
    encoder = default_encoder()
    concepts = default_concepts()
    with Library.open(given.library) as library:
        questions = load_questions(library, given.questions, given.data)
        contexts = {
            name: build_context(library, collection=name, encoder=encoder, concepts=concepts)
            for name in {each.collection for each in questions}
        }
        first: list[Found] = []
        for name in given.way or WAYS:
            results = []
            for each in questions:
                began = time.perf_counter()
                places = WAYS[name](contexts[each.collection], each.ask)
                found = cut_places(places, given.characters)
                results.append(score(each, found, time.perf_counter() - began))
            report(name, results, first)
            first = first or results


if __name__ == "__main__":
    main()
