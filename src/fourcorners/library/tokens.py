"""Filter tokens: what a search may be limited to, as words of the index's `meta` column.

The words index (`words`, FTS5) has two columns: `body` holds the passage's own words, `meta` one
token for each thing that a filter can name. A filtered query reads
`meta : (dabc… AND c0f3…) AND body : (…)`, ranked by `bm25(words, 1.0, 0.0)`. Tokens hold letters
and digits only, because the tokenizer splits at everything else and folds case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

from fourcorners.errors import ConfigError
from fourcorners.outline.tree import View
from fourcorners.text.invisible_characters import find_unnamed

_UNIT = re.compile(r"^(?:section|sec|clause|article|art|paragraph|para|§)(?=[\W\d])[\s.]*")


def document_token(document: str) -> str:
    """Return the token that every passage of the document with this id has."""
    return f"d{document}"


def collection_token(collection: str) -> str:
    """Return the token of a collection; case and surrounding white space do not matter."""
    return f"c{_digest(collection)}"


def type_token(document_type: str) -> str:
    """Return the token of a document type, such as `License Agreement`."""
    return f"t{_digest(document_type)}"


@lru_cache(maxsize=16_384)
def label_token(label: str) -> str:
    """Return the token of an outline label; a passage has those of its node and all above it.

    `7.2 (a)`, `7.2(a).` and `Section 7.2(a)` are one label; `Schedule 2` is not `2`.
    """
    bare = _UNIT.sub("", label.strip().casefold())
    return f"l{_digest(''.join(bare.split()).strip('.:'))}"


def heading_token(word: str) -> str:
    """Return the token of one folded word of a heading; passages have those of all above them."""
    return f"h{_digest(word)}"


def _view_token(view: View) -> str:
    return f"v{view.value}"


def filter_tokens(
    *,
    document: str,
    collection: str,
    document_type: str,
    labels: Iterable[str],
    view: View,
) -> str:
    """Return the `meta` text of one passage."""
    tokens = [document_token(document), _view_token(view), collection_token(collection)]
    if document_type:
        tokens.append(type_token(document_type))
    tokens += [label_token(label) for label in labels if label]
    return " ".join(tokens)


def fold_name(name: str) -> str:
    """Return the form in which names of collections and types are compared."""
    return " ".join(name.split()).casefold()


def require_name(name: str, what: str) -> str:
    """Return the name of a collection or a tag as it is kept, its white space single spaces.

    Raises:
        ConfigError: If it is empty, or has characters that hide or reorder what it says.
    """
    plain = " ".join(name.split())
    if not plain:
        raise ConfigError(f"a {what} needs a name.")
    if found := find_unnamed(plain):
        raise ConfigError(
            f"the name of a {what} cannot have the hidden character {found}.",
            remedy="Type the name instead of pasting it.",
        )
    return plain


@lru_cache(maxsize=4096)
def _digest(name: str) -> str:
    return sha256(fold_name(name).encode("utf-8", "surrogatepass")).hexdigest()[:12]
