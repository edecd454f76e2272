"""`fourcorners redline`: a contract marked up against a playbook."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError, InputError
from fourcorners.text.invisible_characters import show_invisible, single_line
from fourcorners.work_folder import make_temporary_folder

if TYPE_CHECKING:
    from fourcorners.documents.document import Document
    from fourcorners.library.store import Library
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.redline.proposal import (
        ChangeResponse,
        OpenPoint,
        ProposedChange,
        Redline,
        Source,
    )
    from fourcorners.settings import Settings
    from fourcorners.text.quote import Quote
    from fourcorners.text.span import Span

_WORD, _TABLE = ".docx", ".md"


@dataclass(frozen=True, slots=True)
class _RedlineOptions:
    """What is written, and what a person decided."""

    out: Annotated[
        Path | None,
        option(
            "--out -o FILE",
            "Write it: .docx with tracked changes if the contract is one, .md as a table.",
        ),
    ] = None
    aim: Annotated[
        Literal["smallest", "preferred", "fallback"],
        option("--aim POSITION", "Reach the position that takes least, or one of a kind."),
    ] = "smallest"
    change: Annotated[
        list[str] | None,
        option(
            "--change PROVISION",
            "You have decided: change this provision's clause too. May be given again.",
        ),
    ] = None
    force: Annotated[
        bool,
        option("--force", "Make it, too, if the words favour your side or are uncertain."),
    ] = False
    fill: Annotated[
        list[str] | None,
        option("--fill SLOT=WORDS", "What to write for a slot of the wording. May be given again."),
    ] = None
    bank: Annotated[
        str | None,
        option("--bank -b NAME", "Draft whole clauses from the best of this clause bank."),
    ] = None
    comment_open: Annotated[
        bool, option("--comment-open", "Put a comment on what is left to you, too.")
    ] = False
    answer: Annotated[
        list[str] | None,
        option(
            "--answer AUTHOR",
            "Answer this author's tracked changes in the Word file. May be given again.",
        ),
    ] = None
    by: options.By = None


@spread
def redline(
    *,
    contract: Annotated[
        str,
        argument(
            "CONTRACT",
            "A file, or a contract of the library by a unique part of its name or its id.",
        ),
    ],
    read_for: Annotated[
        list[str],
        option(
            "--for PARTY",
            "The party for whom the contract is marked up, by its name or role. May be given "
            "again, for members of a group.",
        ),
    ],
    playbook: Annotated[
        list[str] | None,
        option(
            "--playbook -p NAME",
            "A built-in playbook or a file; by default due-diligence. May be given again: of a "
            "provision that several have, the first one's counts.",
        ),
    ] = None,
    choices: _RedlineOptions,
    source: options.LibraryOptions,
    as_json: options.Json = False,
) -> None:
    """Mark up a contract against playbooks, with tracked changes.

    A clause is changed where the program may say that it is in a position that the playbook
    refuses and that it binds your side: by the fewest words that reach a position that the
    playbook accepts. Each change has a comment with the reason, the contract's words and where
    the wording comes from. What the program cannot say is listed, to be decided by you.
    """
    from fourcorners.documents.workers.worker_pool import OwnProcessPool
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.redline.run import RedlineOptions, redline_contract
    from fourcorners.redline.word import redline_table, write_redline
    from fourcorners.review.run import Workers
    from fourcorners.settings import Settings
    from fourcorners.work_folder import replace_file, replace_text

    console.require_place(choices.out)
    if choices.out is not None and choices.out.suffix.lower() not in (_WORD, _TABLE):
        raise ConfigError(f"{choices.out}: a redline is written as .docx or as .md.")
    is_word = choices.out is not None and choices.out.suffix.lower() == _WORD
    if choices.answer and not is_word:
        raise ConfigError("--answer writes into a Word file.", remedy="Add --out marked.docx.")
    books = [load_playbook(each) for each in playbook or ["due-diligence"]]
    settings = Settings.load()
    encoder = None if source.words_only else default_encoder(settings.encoder)
    who = console.reviewer(choices.by)
    wanted = RedlineOptions(
        read_for,
        choices.aim,
        choices.change or (),
        _slot_values(choices.fill or ()),
        choices.bank or "",
        choices.force,
        who,
        Workers(pool=OwnProcessPool()),
    )
    with (
        _open_contract(contract, source, encoder, settings) as (store, name),
        console.open_library(source.library) if choices.bank else nullcontext() as banks,
    ):
        if choices.out is not None:
            console.require_other_file(choices.out, [contract, store.document(name).path])
        data = _word_file(store.document(name)) if is_word else b""
        read, found = redline_contract(store, name, books, wanted, encoder=encoder, banks=banks)
    if choices.out is not None and is_word:
        answered = set(choices.answer or ())
        _require_authors(found, answered)
        theirs = [each for each in found.responses if each.change.author in answered]
        marked, written = write_redline(
            replace(found, responses=tuple(theirs)),
            read.text,
            data,
            Path(read.path),
            author=who,
            at=datetime.now(UTC),
            comment_open=choices.comment_open,
        )
        found = replace(written, responses=found.responses)
        replace_file(choices.out, lambda scratch: scratch.write_bytes(marked))
    elif choices.out is not None:
        replace_text(choices.out, "\n".join(redline_table(found)) + "\n")
    if as_json:
        console.print_json(_value(read, found))
    else:
        _print(found)
        if choices.out is not None:
            console.print_note((f"Wrote {single_line(str(choices.out))}", "dim"))


def _require_authors(found: Redline, names: Collection[str]) -> None:
    known = {each.change.author for each in found.responses}
    for name in names:
        if name not in known:
            raise ConfigError(
                f"the file has no tracked changes by {name!r}.",
                remedy=f"Its other authors: {', '.join(sorted(known)) or 'none'}.",
            )


@contextmanager
def _open_contract(
    contract: str, source: options.LibraryOptions, encoder: Encoder | None, settings: Settings
) -> Iterator[tuple[Library, str]]:
    """Open the library that holds a contract, or a temporary one for a file; with its id."""
    from fourcorners.library.ingest import add_files

    if not Path(contract).is_file():
        with console.open_library(source.library) as store:
            yield store, store.resolve(contract, source.collection).id
        return
    from fourcorners.library.store import Library

    with (
        make_temporary_folder() as folder,
        Library.open(folder / "redline.db") as store,
    ):
        report = add_files(
            store, [contract], collection="redline", encoder=encoder, settings=settings
        )
        for failure in store.failures():
            raise InputError(failure.reason, remedy=failure.remedy)
        if report.added != 1:
            raise InputError(
                f"{contract} holds more than one document.", remedy="Give one contract."
            )
        yield store, store.documents()[0].id


def _slot_values(written: Sequence[str]) -> dict[str, str]:
    values = {}
    for each in written:
        name, sign, words = each.partition("=")
        if not sign or not name.strip() or not words.strip():
            raise ConfigError(
                f"--fill {each!r} names no slot.", remedy="Write --fill 'amount of the cap=$1m'."
            )
        values[name.strip()] = words.strip()
    return values


def _word_file(read: Document) -> bytes:
    from fourcorners.documents.media_types import MediaType

    path = Path(read.path)
    if read.media_type != MediaType.DOCX.value:
        raise ConfigError(
            f"{read.name} is no Word document: it cannot have tracked changes.",
            remedy="Write a table instead: --out changes.md.",
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: {(error.strerror or str(error)).lower()}.",
            remedy="Give the path of the Word file.",
        ) from error


def _value(read: Document, found: Redline) -> dict[str, object]:
    return {
        **console.attributes(read, "id name path"),
        **console.attributes(found, "party playbook playbook_version accepted missing unjudged"),
        "changes": [_change_value(each) for each in found.changes],
        "to_decide": [_point_value(each) for each in found.open_points],
        "proposed": [_response_value(each) for each in found.responses],
        "failed": [{"provision": name, "reason": why} for name, why in found.failed],
    }


def _change_value(change: ProposedChange) -> dict[str, object]:
    return {
        **console.attributes(change, "provision name extent found target_kind target path"),
        "start": change.span.start,
        "end": change.span.end,
        "edits": [{"kind": each.kind, "text": each.text} for each in change.edits],
        "quotes": [_quote_value(each) for each in change.quotes],
        "source": _source_value(change.source),
        **console.attributes(change, "blanks basis cautions"),
        "number": change.new_clause.number if change.new_clause else None,
    }


def _response_value(each: ChangeResponse) -> dict[str, object]:
    return {
        **console.attributes(each.change, "author date before is_moved"),
        **console.attributes(each, "after path provision name"),
        **_span_value(each.change.span),
        "answer": each.kind,
        "reason": each.reason,
        "quotes": [_quote_value(quote) for quote in each.quotes],
        "counter": _change_value(each.counter) if each.counter else None,
    }


def _point_value(point: OpenPoint) -> dict[str, object]:
    return {
        **console.attributes(point, "provision name reason recommend target_kind target path"),
        **console.attributes(point, "is_recognised score"),
        **_span_value(point.quotes[0].span if point.quotes else None),
        "quotes": [_quote_value(each) for each in point.quotes],
        "offered": point.offered.text if point.offered else None,
        "blanks": point.offered.blanks if point.offered else (),
        "source": _source_value(point.source) if point.source else None,
    }


def _print(found: Redline) -> None:
    from fourcorners.redline.proposal import POINT_HEADINGS
    from fourcorners.redline.word import source_words

    head = f"{found.name}, for {found.party}, against {found.playbook}"
    console.print_line((single_line(head), "bold"))
    for number, change in enumerate(found.changes, 1):
        console.print_text()
        title = f"{change.name}: {' › '.join(change.path)}"
        console.print_line((f"{number}. ", "bold"), (single_line(title), "bold"))
        why = change.found or ("no such clause was found" if change.new_clause else "")
        for label, words in (
            ("now", why),
            ("reaches", change.reached),
            ("wording", source_words(change.source)),
            ("to fill in", "; ".join(change.blanks)),
            ("take care", " ".join(change.cautions)),
        ):
            if words:
                console.print_indented(14, single_line(words), head=f"   {label}")
        console.print_indented(3, *_change_words(change))
    for author, responses in groupby(found.responses, key=lambda each: each.change.author):
        console.print_text()
        console.print_line((f"Proposed by {single_line(author)}", "bold"))
        for each in responses:
            _print_response(each)
    for is_recognised, group in groupby(found.open_points, key=lambda each: each.is_recognised):
        console.print_text()
        console.print_line((POINT_HEADINGS[is_recognised], "bold yellow"))
        for point in group:
            _print_point(point)
    console.print_text()
    for name, reason in found.failed:
        console.print_line((f"{name} could not be read: {single_line(reason)}", "red"))
    changes = console.count_noun(len(found.changes), "change")
    likely = [each for each in found.open_points if each.is_recognised]
    points = f"{console.count_noun(len(likely), 'point')} to be decided by you"
    points += f", {len(found.open_points) - len(likely)} to be read"
    if found.remainder:
        console.print_line((single_line(found.remainder), "dim"))
    console.print_line((f"{changes} proposed, {points}.", "dim"))


def _print_point(point: OpenPoint) -> None:
    where = f" ({' › '.join(point.path)})" if point.path else ""
    console.print_line((single_line(f"{point.name}{where}"), "bold"))
    console.print_indented(3, single_line(point.reason))
    for quote in point.quotes[:1]:
        console.print_indented(3, (f"“{single_line(quote.words)}”", "dim"))
    if point.offered is not None:
        console.print_indented(14, single_line(point.offered.text), head="   on offer")


def _print_response(each: ChangeResponse) -> None:
    where = " › ".join(each.path)
    console.print_line((single_line(f"{each.kind}: {each.name or where}"), "bold"))
    if each.name and where:
        console.print_indented(14, single_line(where), head="   clause")
    if each.change.before.strip():
        console.print_indented(14, _flat(each.change.before), head="   before")
    if each.after.strip():
        console.print_indented(14, _flat(each.after), head="   after")
    console.print_indented(14, single_line(each.reason), head="   why")
    for quote in each.quotes[:1]:
        console.print_indented(14, (f"“{single_line(quote.words)}”", "dim"))
    if each.counter is not None:
        console.print_indented(14, *_change_words(each.counter), head="   counter")


def _change_words(change: ProposedChange) -> list[console.Words]:
    """Return the words of a change with what goes and comes marked, amid the clause's words."""
    marks = {"equal": ("", "", ""), "insert": ("{+", "+}", "green"), "delete": ("[-", "-]", "red")}
    for quote in change.quotes:
        if quote.span is None or change.new_clause is not None:
            continue
        before = quote.words[: max(0, change.span.start - quote.span.start)]
        after = quote.words[max(0, change.span.end - quote.span.start) :]
        return [show_invisible(_flat(before)), *_edits(change, marks), show_invisible(_flat(after))]
    return _edits(change, marks)


def _edits(change: ProposedChange, marks: dict[str, tuple[str, str, str]]) -> list[console.Words]:
    words = ((marks[each.kind], show_invisible(_flat(each.text))) for each in change.edits)
    return [(f"{before}{text}{after}", style) for (before, after, style), text in words]


def _flat(words: str) -> str:
    return words.replace("\n\n", " ¶ ").replace("\n", " ")


def _quote_value(quote: Quote) -> dict[str, object]:
    return {"text": quote.words, **_span_value(quote.span)}


def _source_value(source: Source) -> dict[str, object]:
    return {**console.attributes(source, "name path stars"), **_span_value(source.span)}


def _span_value(span: Span | None) -> dict[str, object]:
    return {"start": span.start if span else None, "end": span.end if span else None}
