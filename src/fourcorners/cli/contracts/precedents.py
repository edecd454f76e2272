"""`fourcorners precedents`: the clauses of a bank, or of contracts, to draft from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fourcorners.cli.model_port import open_model_port
from fourcorners.cli.options import (
    CollectionOption,
    ExpandOption,
    JsonOption,
    LibraryOption,
    MethodOption,
    RereadOption,
    argument,
    option,
)
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.precedents.profile import Rerank


def precedents(
    query: Annotated[str, argument("QUERY", "What the clause should provide, in a phrase.")],
    bank: Annotated[
        str | None,
        option("--bank -b NAME", "From this clause bank; else from the contracts of the library."),
    ] = None,
    provision: Annotated[
        str | None, option("--provision NAME", "Only what the bank holds of this provision.")
    ] = None,
    collection: CollectionOption = None,
    longer: Annotated[
        str | None,
        option("--describe TEXT", "The clause described at length; scores of both are averaged."),
    ] = None,
    draft: Annotated[
        Path | None,
        option("--draft FILE", "A text file: what would change in it, word by word."),
    ] = None,
    limit: Annotated[int, option("--limit -n N", "How many clauses.", least=1)] = 5,
    profile: MethodOption = "default",
    rerank: Annotated[
        Rerank | None,
        option(
            "--rerank HOW",
            "Have the language model read the first again: pointwise (stars for each) or "
            "pairwise (two at a time, in both orders).",
        ),
    ] = None,
    reread: RereadOption = None,
    expand: ExpandOption = False,
    no_adapter: Annotated[
        bool, option("--no-adapter", "Leave out what was learned from a bank.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best clauses to draft from, with stars and reasons.

    Contracts are cut into clauses by their outlines. The same words are shown once, with their
    count and places.
    """
    from fourcorners.cli.output import precedents as page
    from fourcorners.models import default_encoder, default_reranker
    from fourcorners.precedents import gather
    from fourcorners.precedents.difference import word_difference
    from fourcorners.precedents.learning import adapters
    from fourcorners.precedents.profile import parse_method, uses_learned_model, uses_reranker
    from fourcorners.precedents.rank import ClauseStock, rank_clauses
    from fourcorners.precedents.references import find_references
    from fourcorners.precedents.rerank import expansion as expanding
    from fourcorners.precedents.rerank import rerank as rereading
    from fourcorners.precedents.scoring import vector_cache as kept
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
    roles = [*([rereading.ROLE] if again else []), *([expanding.ROLE] if expand else [])]
    with (
        console.open_library(library) as store,
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
            page.PrecedentView(
                each,
                tuple(find_references(store, each.clause.places[0])),
                () if words is None else tuple(word_difference(words, each.clause.text)),
            )
            for each in found[:limit]
        ]
    if uses_learned_model(how) and model_for(encoder) is None:
        console.print_note(f"No stars: what was learned is not for the encoder {encoder.name}.")
    if told := chosen.message:
        console.print_note(told)
    if as_json:
        name = None if chosen.installed is None else chosen.installed.identity
        console.print_json(
            [{**page.to_json(each), "adapter": name, "expansion": expansion} for each in shown]
        )
        return
    if expansion is not None:
        page.print_expansion(expansion)
    if not shown:
        console.print_text("No clauses to choose from.")
    for number, each in enumerate(shown, start=1):
        page.print_clause(number, each)


def one_rerank(of_profile: Rerank | None, said: Rerank | None, reread: int | None) -> Rerank | None:
    """Return how a language model reads again, by the profile or by `--rerank`.

    Raises:
        ConfigError: If both say it, or how many are read is said and neither does.
    """
    if of_profile and said:
        raise ConfigError(
            f"the profile is {of_profile} already.", remedy="Leave out --rerank, or its ending."
        )
    if reread is not None and not (of_profile or said):
        raise ConfigError(
            "--reread is about a language model.", remedy="Add --rerank pointwise, or pairwise."
        )
    return said or of_profile


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is no text in UTF-8.", remedy="Save the draft as a plain text file."
        ) from error
