"""Stems of words, and the significant words of a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fourcorners.text.patterns import load_yaml
from fourcorners.text.tokenization import TOKENIZER, TOKENIZER_ARGUMENTS, thread_tokenizer, tokenize

FILE = Path(__file__).with_name("words.yaml")


@cache
def word_lists() -> Mapping[str, Any]:
    """Return the lists of words and the spellings of `words.yaml`, by name."""
    lists: dict[str, Any] = load_yaml(FILE.read_text(encoding="utf-8"))
    return lists


def word_list(name: str) -> frozenset[str]:
    return frozenset(word_lists()[name].split())


IDLE = word_list("idle")
FRAME = word_list("frame")
_SPELT: Mapping[str, str] = word_lists()["spelling"]


def stem_tokens(tokens: Sequence[str]) -> list[str]:
    """Return the stem of each folded token: Porter's, with British spelling Americanised."""
    spelt = [_SPELT.get(token, token) for token in tokens]
    found = _porter(" ".join(spelt))
    if len(found) == len(spelt):
        return found
    return [(_porter(token) or [token])[0] for token in spelt]


def content_tokens(tokens: Iterable[str]) -> list[str]:
    """Return the significant tokens of a question; all of them if none is."""
    listed = list(tokens)
    listed_tokens = [token for token in listed if token not in IDLE]
    content = [token for token in listed_tokens if token not in FRAME]
    return content or listed_tokens or listed


def stems(text: str) -> list[str]:
    return stem_tokens(content_tokens(tokenize(text).tokens))


def _porter(text: str) -> list[str]:
    stem = thread_tokenizer("porter", TOKENIZER, *TOKENIZER_ARGUMENTS)
    return [token for _, _, token in stem(text.encode("utf-8", "replace"))]
