"""`fourcorners precedents`: the clauses of a bank, or of contracts, to draft from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import CollectionOption, JsonOption, LibraryOption
from fourcorners.precedents.profile import Rerank

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.llm import Port, Role
    from fourcorners.settings import LlmSettings

ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="default (full), hybrid, dense, bm25; with -rerank (full-rerank, …) the first "
        "hundred are read again by the reranker of the settings; with -pointwise or -pairwise "
        "(full-pointwise, …) the first are by the language model.",
    ),
]
RerankOption = Annotated[
    int | None,
    typer.Option(
        "--reread",
        metavar="N",
        min=2,
        help="How many of the first the language model reads again.",
        show_default="20",
    ),
]
ExpandOption = Annotated[
    bool,
    typer.Option(
        "--expand",
        help="Have the language model name the words in which contracts write the clause, and "
        "look for them too.",
    ),
]


def precedents(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What the clause should provide, in a phrase.")
    ],
    bank: Annotated[
        str | None,
        typer.Option(
            "--bank",
            "-b",
            metavar="NAME",
            help="From this clause bank; else from the contracts of the library.",
            show_default=False,
        ),
    ] = None,
    provision: Annotated[
        str | None,
        typer.Option(
            "--provision",
            metavar="NAME",
            help="Only what the bank holds of this provision.",
            show_default=False,
        ),
    ] = None,
    collection: CollectionOption = None,
    longer: Annotated[
        str | None,
        typer.Option(
            "--describe",
            metavar="TEXT",
            help="The clause described at length; scores of both are averaged.",
            show_default=False,
        ),
    ] = None,
    draft: Annotated[
        Path | None,
        typer.Option(
            "--draft",
            metavar="FILE",
            help="A text file: what would change in it, word by word.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many clauses.")
    ] = 5,
    profile: ProfileOption = "default",
    rerank: Annotated[
        Rerank | None,
        typer.Option(
            "--rerank",
            metavar="HOW",
            help="Have the language model read the first again: pointwise (stars for each) or "
            "pairwise (two at a time, in both orders).",
            show_default=False,
        ),
    ] = None,
    reread: RerankOption = None,
    expand: ExpandOption = False,
    no_adapter: Annotated[
        bool, typer.Option("--no-adapter", help="Leave out what was learned from a bank.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best clauses to draft from, with stars and reasons.

    Contracts are cut into clauses by their outlines. The same words are shown once, with their
    count and places.
    """
    from fourcorners.cli.output import console
    from fourcorners.cli.output.precedents import (
        PrecedentView,
        expansion_json,
        print_clause,
        print_expansion,
        to_json,
    )
    from fourcorners.errors import ConfigError
    from fourcorners.models import default_encoder, default_reranker
    from fourcorners.precedents import clause as gather
    from fourcorners.precedents import rerank as expanding
    from fourcorners.precedents import rerank as rereading
    from fourcorners.precedents.difference import word_difference
    from fourcorners.precedents.learning import adapters
    from fourcorners.precedents.profile import parse_method, uses_learned_model, uses_reranker
    from fourcorners.precedents.rank import ClauseStock, rank_clauses
    from fourcorners.precedents.references import find_references
    from fourcorners.precedents.scoring import collection as kept
    from fourcorners.precedents.scoring.score import model_for

    if not query.strip():
        raise ConfigError("what should the clause provide?", remedy="Give a phrase as QUERY.")
    if bank is not None and collection is not None:
        raise ConfigError("a bank or a collection, not both.", remedy="Leave one of them out.")
    if provision is not None and bank is None:
        raise ConfigError("whose provision?", remedy="Name the bank with --bank.")
    way = parse_method(profile)
    how, again = way.profile, one_rerank(way.rerank, rerank, reread)
    words = None if draft is None else _read(draft)
    encoder = default_encoder()
    reranker = default_reranker() if uses_reranker(how) else None
    roles = [*([rereading.ROLE] if again else []), *([expanding.WORDINGS_ROLE] if expand else [])]
    with (
        console.open_library(library, create=False) as store,
        open_model_port(store, roles) as port,
    ):
        clauses = (
            gather.library_clauses(store, collection)
            if bank is None
            else gather.bank_clauses(store, bank, provision=provision)
        )
        use = not no_adapter and uses_learned_model(how)
        chosen = adapters.choose_adapter(store, encoder) if use else adapters.NO_ADAPTER
        expansion = expanding.expand_query(query, port, longer=longer) if port and expand else None
        first = reread or rereading.MAX_RERANKED
        found = rank_clauses(
            query,
            ClauseStock(
                clauses, encoder, vectors=lambda texts: kept.cached_vectors(store, texts, encoder)
            ),
            longer=longer,
            limit=max(limit, first) if again else limit,
            profile=how,
            reranker=reranker,
            adapter=chosen.adapter,
            expansion=expansion.text if expansion else "",
        )
        if port and again:
            found = rereading.rerank_clauses(query, found, port, again, longer=longer, first=first)
        shown = [
            PrecedentView(
                each,
                tuple(find_references(store, each.clause.places[0])),
                () if words is None else tuple(word_difference(words, each.clause.text)),
            )
            for each in found[:limit]
        ]
    if uses_learned_model(how) and model_for(encoder) is None:
        console.err().print(
            f"No stars: what was learned is not for the encoder {encoder.name}.", soft_wrap=True
        )
    if told := chosen.message:
        console.err().print(told, soft_wrap=True)
    if as_json:
        name = None if chosen.installed is None else chosen.installed.identity
        added = None if expansion is None else expansion_json(expansion)
        console.print_json(
            [{**to_json(each), "adapter": name, "expansion": added} for each in shown]
        )
        return
    if expansion is not None:
        print_expansion(expansion)
    if not shown:
        console.stdout_console().print("No clauses to choose from.")
    for number, each in enumerate(shown, start=1):
        print_clause(number, each)


def one_rerank(of_profile: Rerank | None, said: Rerank | None, reread: int | None) -> Rerank | None:
    """Return how a language model reads again, by the profile or by `--rerank`.

    Raises:
        ConfigError: If both say it, or how many are read is said and neither does.
    """
    from fourcorners.errors import ConfigError

    if of_profile and said:
        raise ConfigError(
            f"the profile is {of_profile} already.", remedy="Leave out --rerank, or its ending."
        )
    if reread is not None and not (of_profile or said):
        raise ConfigError(
            "--reread is about a language model.", remedy="Add --rerank pointwise, or pairwise."
        )
    return said or of_profile


@contextmanager
def open_model_port(
    store: Library,
    roles: Sequence[Role],
    *,
    settings: LlmSettings | None = None,
    job: str | None = None,
) -> Iterator[Port | None]:
    """Open the port for these roles, and say at the end what was used; None for no roles.

    Calls are charged to `job`; by default each command is one of its own. The settings are the
    user's where none are given.

    Raises:
        LlmNotConfigured: If a role has no model.
    """
    if not roles:
        yield None
        return
    from datetime import UTC, datetime

    from fourcorners.cli.model_options import report_spending
    from fourcorners.library.llm_store import LibraryCache, LibraryLedger
    from fourcorners.llm import open_port
    from fourcorners.settings import Settings

    cache, ledger = LibraryCache(store), LibraryLedger(store)
    named = job or f"precedents {datetime.now(UTC).isoformat()}"
    llm = Settings.load().llm if settings is None else settings
    with open_port(llm, cache=cache, ledger=ledger, job=named) as port:
        for role in roles:
            port.role_model(role)
        with report_spending(port):
            yield port


def _read(path: Path) -> str:
    from fourcorners.errors import ConfigError

    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is no text in UTF-8.", remedy="Save the draft as a plain text file."
        ) from error
