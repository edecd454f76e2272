"""Addresses of documents and of words in them."""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import quote, urlencode

from fourcorners.text.span import Span

_DIGITS = 8  # hex digits of a quote's hash: enough to tell that a text is another one


def document_href(document: str) -> str:
    return f"/d/{quote(document, safe='')}"


def quote_href(document: str, span: Span, words: str | None = None, *, near: bool = False) -> str:
    """Return the address that opens a document at a span, highlighted.

    With the span's words given, nothing is highlighted where the text there is another one. What
    is only `near` to what was looked for is outlined, not highlighted.
    `/d/ID#s=120-340` alone leads there too, but needs JavaScript.
    """
    place = f"{span.start}-{span.end}"
    asked = {"s": place} | ({} if words is None else {"h": words_hash(words)})
    asked |= {"near": "1"} if near else {}
    return f"{document_href(document)}?{urlencode(asked)}#s={place}"


def collection_href(name: str) -> str:
    return f"/c/{quote(name, safe='')}"


def words_hash(words: str) -> str:
    """Return a short hash of words, by which a link notices that the text has changed."""
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def linked_span(place: str, digest: str, text: str) -> Span | None:
    """Return the span that a link names, if it lies in the text and its words have the hash.

    None for anything else: no words are highlighted rather than wrong ones.
    """
    first, dash, last = place.partition("-")
    if not (dash and first.isascii() and last.isascii() and first.isdigit() and last.isdigit()):
        return None
    if len(first) > 12 or len(last) > 12:
        return None
    start, end = int(first), int(last)
    if not start < end <= len(text):
        return None
    span = Span(start, end)
    return span if not digest or words_hash(span.text_in(text)) == digest else None
