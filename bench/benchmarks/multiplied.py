"""A large library made of a small one: its contracts over and over, under other names.

In each copy the words of the parties' names become invented words and long numbers become others,
each as long as before, so that every place in the outline holds. Vectors are the source's with a
little noise, so nothing is read or encoded again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from fourcorners.library import words
from fourcorners.library.catalogue import text_hash
from fourcorners.library.columns import DocumentColumns
from fourcorners.library.database import SQLiteValue, as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.outline.passages.concordance import Concordance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fourcorners.outline.tree import Outline, Passage
from fourcorners.outline.passages.cut import Unit
from fourcorners.text.tokenization import WordIndex

NOISE = 0.1  # length of what is added to a unit vector: cosine .995
_NUMBER = re.compile(r"\d{3,}")
_ROLES = (
    "company corp corporation limited group holdings international services the and party parties "
    "supplier customer distributor licensee licensor seller buyer agent bank trust partners "
    "systems technologies america american united states national"
)
_UNCHANGED = frozenset(_ROLES.split())
_COLUMNS = (
    "name, path, media_type, reader, pages, marks, warnings, outline, card, title, type, "
    "characters, page_count, needs_ocr, passage_count, words"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A contract of the small library, with what of it is the same in all its variations."""

    sha256: str
    text: str
    columns: dict[str, SQLiteValue]
    outline: Outline
    passages: list[Passage]
    vectors: NDArray[np.float32]
    units: tuple[Unit, ...]
    named: tuple[str, ...]


def sources(library: Library) -> Iterator[Source]:
    """Yield the contracts of a library that have vectors, in the order of their ids."""
    for (document,) in library.execute(
        "SELECT id FROM documents WHERE row IN (SELECT document FROM vectors) ORDER BY id"
    ):
        one = as_string(document)
        row = library.execute(f"SELECT {_COLUMNS} FROM documents WHERE id = ?", (one,))[0]  # noqa: S608
        columns = dict(zip(_COLUMNS.split(", "), row, strict=True))
        passages = library.passages(one)
        if as_integer(columns["passage_count"]) == 0:
            continue
        names = " ".join(fact.value.name for fact in library.card(one).parties)
        named = set(re.findall(r"[A-Z][A-Za-z]{3,}", names))
        yield Source(
            sha256=as_string(
                library.execute("SELECT sha256 FROM documents WHERE id = ?", (one,))[0][0]
            ),
            text=library.text(one),
            columns=columns,
            outline=library.outline(one),
            passages=passages,
            vectors=library.vectors(document=one).matrix,
            units=library.concordance(one).units,
            named=tuple(sorted(word for word in named if word.casefold() not in _UNCHANGED)),
        )


def variation(one: Source, copy: int, seed: int) -> tuple[DocumentColumns, NDArray[np.float32]]:
    """Return a contract under other names, ready to be stored, and the vectors of its passages."""
    digest = sha256(f"{seed} {copy} {one.sha256}".encode()).hexdigest()
    chance = random.Random(digest)  # noqa: S311 - no secret
    other = {word.casefold(): invented(len(word), chance) for word in one.named}
    names = re.compile(rf"\b(?:{'|'.join(one.named)})\b", re.IGNORECASE) if one.named else None

    def rename_party(text: str) -> str:
        return names.sub(lambda found: as_written(found[0], other), text) if names else text

    text = _NUMBER.sub(lambda found: number(found[0], chance), rename_party(one.text))
    name, title = (
        rename_party(as_string(one.columns["name"])),
        rename_party(as_string(one.columns["title"])),
    )
    layout, key, card = as_string(one.columns["card"]).partition('"value":')
    stem, dot, ending = name.rpartition(".")
    name = f"{stem} {digest[:6]}{dot}{ending}"
    noise = np.random.default_rng(int(digest[:8], 16)).standard_normal(
        one.vectors.shape, dtype=np.float32
    )
    vectors = one.vectors + noise * (NOISE / one.vectors.shape[1] ** 0.5)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    columns = DocumentColumns(
        id=digest[:16],
        sha256=digest,
        path=f"/contracts/{name}",
        text=text,
        type=as_string(one.columns["type"]),
        needs_ocr=(),
        document={
            **one.columns,
            "id": digest[:16],
            "name": name,
            "path": f"/contracts/{name}",
            "title": title,
            "text": text,
            "text_sha256": text_hash(text),
            "card": layout + key + rename_party(card),
        },
        passages=tuple(
            (each.ordinal, each.span.start, each.span.end, each.view.value, each.node, each.context)
            for each in one.passages
        ),
        labels=tuple(words.passage_labels(text, one.outline, one.passages)),
        # Other names are as long as those they stand for: sentences stay where they are.
        concordance=Concordance(WordIndex(text), one.units).dump(),
    )
    return columns, vectors


def invented(length: int, chance: random.Random) -> str:
    """Return a word that can be said and that hardly any language has."""
    letters = ("bcdfglmnprstvz", "aeiou")
    return "".join(chance.choice(letters[at % 2]) for at in range(length))


def as_written(word: str, other: dict[str, str]) -> str:
    """Return the other word for a word, with capitals where the word had them."""
    new = other[word.casefold()]
    if word.isupper():
        return new.upper()
    return new.capitalize() if word[0].isupper() else new


def number(digits: str, chance: random.Random) -> str:
    """Return another number of as many digits; a year stays in its century."""
    if len(digits) == 4 and digits[:2] in ("19", "20"):  # a year
        return f"{digits[:2]}{chance.randrange(100):02}"
    return "".join(chance.choice("123456789") for _ in digits)
