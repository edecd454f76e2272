"""Stems of words, and which words of a question tell what it asks."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import cast

from fourcorners.text.tokenization import TOKENIZER, TOKENIZER_ARGUMENTS, Tokenizer, tokenize

# Words that tell no passage of a contract from another.
_IDLE = (
    "a about all also although am an and another any are as at be because been being both but by "
    "can could did do does doing done each either else even ever every for from had has have "
    "having he hence her here his how however i if in into is it its itself may me might more "
    "most much must my neither nor now of off on one ones only onto or other others our ours out "
    "over own per please same shall she should since so some such than that the their them then "
    "there these they this those through to too under until up upon us very via was we were what "
    "whatever when where whether which while who whom whose why will with within would yet you "
    "your yours s t"
)
# Words with which questions are put, whatever they ask.
_FRAME = (
    "agreement agreements clause clauses consider contain contains contract contracts cover "
    "covered describe described document documents event explain find give given happen "
    "happens include included includes including indicate kind language list mention "
    "mentioned mentions particular parties party present provide provided provides provision "
    "provisions question regarding relating say says section set show specific specified "
    "specifies specify state stated states tell term terms there type whether"
)
IDLE = frozenset(_IDLE.split())
FRAME = frozenset(_FRAME.split())

# British spellings whose stems differ from the American ones.
_SPELT = {
    "licence": "license",
    "licences": "licenses",
    "favour": "favor",
    "favoured": "favored",
    "favourable": "favorable",
    "defence": "defense",
    "honour": "honor",
    "labour": "labor",
    "programme": "program",
    "fulfil": "fulfill",
    "cheque": "check",
    "offence": "offense",
    "behaviour": "behavior",
    "centre": "center",
    "sublicence": "sublicense",
    "sublicences": "sublicenses",
}

_local = threading.local()


def stem_tokens(tokens: Sequence[str]) -> list[str]:
    """Return the stem of each folded token: Porter's, with British spelling made American."""
    spelt = [_SPELT.get(token, token) for token in tokens]
    found = _porter(" ".join(spelt))
    if len(found) == len(spelt):
        return found
    return [(_porter(token) or [token])[0] for token in spelt]


def content_tokens(tokens: Iterable[str]) -> list[str]:
    """Return the tokens that tell what a question asks; all of them if none does."""
    listed = list(tokens)
    kept = [token for token in listed if token not in IDLE]
    told = [token for token in kept if token not in FRAME]
    return told or kept or listed


def stems(text: str) -> list[str]:
    """Return the stems of the telling words of a text, in order."""
    return stem_tokens(content_tokens(tokenize(text).tokens))


def _porter(text: str) -> list[str]:
    made: Tokenizer | None = getattr(_local, "porter", None)
    if made is None:
        import apsw

        tokenizer = apsw.Connection(":memory:").fts5_tokenizer(
            "porter", [TOKENIZER, *TOKENIZER_ARGUMENTS]
        )

        def made(raw: bytes) -> Sequence[tuple[int, int, str]]:
            found = tokenizer(raw, apsw.FTS5_TOKENIZE_DOCUMENT, None)
            return cast("Sequence[tuple[int, int, str]]", found)

        _local.porter = made
    return [token for _, _, token in made(text.encode("utf-8", "replace"))]
