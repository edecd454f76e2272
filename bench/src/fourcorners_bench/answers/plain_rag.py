"""Plain retrieval and one call: the baseline that PAKTON's reports are judged against.

The chunks of 1,000 characters whose vectors are nearest to the question are given to a model, which
answers with quotations (appendix C of the paper: “we implemented a RAG pipeline”). No tools, no
turns, no look at what the answer lacks; quotations are looked up, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from fourcorners.errors import BudgetExceeded, LlmError
from fourcorners.llm import Port, QuotedText, Role
from fourcorners.llm.prompt import Value
from fourcorners.research.answer import (
    Answer,
    Citation,
    PreliminaryAnswer,
    Provenance,
    Statement,
    Verdict,
    Verification,
)
from fourcorners.research.answer import Role as StatementRole
from fourcorners.text.evidence import align_quote
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.version import __version__
from fourcorners_bench.prompts.load import load_prompt
from fourcorners_bench.retrieval.chunks import split_recursively

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.models.encoder.protocol import Encoder

CHUNK, CHUNKS = 1_000, 10
"""Characters of a chunk, and how many are given (PAKTON, appendices F.2 and G.6)."""
ROLE = Role.WRITE
_UNCHECKED = "Nobody has checked that the words say it."
_INVENTED = "Its words are not in the contract."


class PlainSentence(BaseModel):
    """A sentence of the answer, with the words that it rests on."""

    text: str
    quotes: list[str] = Field(default_factory=list)


class PlainReport(BaseModel):
    """What a model answers from passages."""

    ruling: Verdict
    sentences: list[PlainSentence] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Chunk:
    document: str
    span: Span


def answer_from_passages(
    library: Library, question: str, documents: Sequence[str], port: Port, encoder: Encoder
) -> Answer:
    """Return the answer of one call with the nearest chunks of some documents.

    Where the model fails, the answer says that it cannot tell, and why.

    Raises:
        BudgetExceeded: When the budget has ended.
        LlmNotConfigured: If no model is to write.
    """
    made = Provenance(
        port.role_model(ROLE).name,
        f"fourcorners {__version__}, plain retrieval",
        datetime.now(UTC).isoformat(timespec="seconds"),
        calls=1,
    )
    chunks = _nearest_chunks(library, question, documents, encoder)
    texts = [each.span.text_in(library.text(each.document)) for each in chunks]
    passages: list[Value] = [
        QuotedText(text, f"passage {at}") for at, text in enumerate(texts, start=1)
    ]
    stopped, ruling = "", Verdict.UNSURE
    statements: tuple[Statement, ...] = ()
    try:
        values = {"question": question, "passages": passages}
        reply = port.ask(load_prompt("rag"), values, PlainReport).value
    except BudgetExceeded:
        raise
    except LlmError as error:
        stopped = error.message
    else:
        ruling = reply.ruling
        statements = tuple(
            _statement(each, library, documents) for each in reply.sentences if each.text.strip()
        )
    direct = PreliminaryAnswer(ruling, statements)
    return Answer(question, question, made, title=question, answer=direct, stopped=stopped)


def _nearest_chunks(
    library: Library, question: str, documents: Sequence[str], encoder: Encoder
) -> list[_Chunk]:
    chunks = [
        _Chunk(document, span)
        for document in documents
        for span in split_recursively(library.text(document), CHUNK)
    ]
    texts = [each.span.text_in(library.text(each.document)) for each in chunks]
    cosines = encoder.encode(texts) @ encoder.encode([question])[0]
    best = sorted(range(len(chunks)), key=lambda at: (-float(cosines[at]), at))[:CHUNKS]
    return [chunks[at] for at in sorted(best)]


def _citation(library: Library, document: str, quote: Quote) -> Citation:
    outline, text = library.outline(document), library.text(document)
    node = outline.node_at(quote.span.start) if quote.span else None
    path = outline.path(node, text) if node else ()
    return Citation(quote, document, library.entry(document).name, " > ".join(path), path=path)


def _statement(each: PlainSentence, library: Library, documents: Sequence[str]) -> Statement:
    quotes: list[Citation] = []
    claims: list[str] = []
    for words in each.quotes:
        found = next(
            (
                _citation(library, document, quote)
                for document in documents
                if (quote := align_quote(words, library.text(document))).span is not None
            ),
            None,
        )
        if found is None:
            claims.append(words)
        else:
            quotes.append(found)
    standing = Verification.UNVERIFIED if claims or not quotes else Verification.UNCHECKED
    return Statement(
        each.text,
        StatementRole.EVIDENCE,
        standing,
        quotes=tuple(quotes),
        claims=tuple(claims),
        problem=_INVENTED if claims else _UNCHECKED,
    )
