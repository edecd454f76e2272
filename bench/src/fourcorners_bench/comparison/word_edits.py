"""Second versions of contracts as Word files: edits of seventeen kinds, one to forty at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from fourcorners_bench.comparison.word_files import (
    Contract,
    Paragraph,
    RandomContracts,
    Table,
    all_paragraphs,
    write_word_file,
)

_COUNTS: Final = (1, 1, 2, 3, 5, 10, 20, 40)
_WORDED: Final = frozenset({"text", "bold", "link", "control", "came", "went"})
_LEAST: Final = 4  # blocks of a contract from which some are removed


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two versions of a Word file, and the kinds of the edits between them."""

    name: str
    before: bytes
    after: bytes
    edits: tuple[str, ...]


def make_word_pair(seed: int, sentences: Sequence[str], name: str = "", size: int = 14) -> WordPair:
    """Make a pair; the seed says how many edits there are, and a single one's kind."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    generator = RandomContracts(chance, sentences)
    before = generator.contract(size)
    after = deepcopy(before)
    count = _COUNTS[seed % len(_COUNTS)]
    kinds = [generator.chance.choice(list(EDITS)) for _ in range(count)]
    if count == 1:
        kinds = [list(EDITS)[seed // 4 % len(EDITS)]]
    for kind in kinds:
        EDITS[kind](after, generator)
    return WordPair(name, write_word_file(before), write_word_file(after), tuple(kinds))


def _change_words(contract: Contract, generator: RandomContracts) -> None:
    paragraph, at = _worded_run(contract, generator)
    kind, held = paragraph.runs[at]
    words = str(held).split(" ")
    place = generator.chance.randrange(len(words))
    words[place : place + generator.chance.randrange(3)] = generator.words(0, 3).split()
    paragraph.runs[at] = kind, " ".join(words)


def _change_spaces(contract: Contract, generator: RandomContracts) -> None:
    paragraph, at = _worded_run(contract, generator)
    kind, held = paragraph.runs[at]
    spaced = [f" {held}", f"{held}  ", str(held).strip()]
    paragraph.runs[at] = kind, generator.chance.choice(spaced)


def _worded_run(contract: Contract, generator: RandomContracts) -> tuple[Paragraph, int]:
    return generator.chance.choice(
        [
            (paragraph, at)
            for paragraph in all_paragraphs(contract)
            for at, (kind, _) in enumerate(paragraph.runs)
            if kind in _WORDED
        ]
    )


def _add_paragraph(contract: Contract, generator: RandomContracts) -> None:
    place = generator.chance.randrange(len(contract.body) + 1)
    contract.body.insert(place, generator.paragraph(place))


def _remove_block(contract: Contract, generator: RandomContracts) -> None:
    if len(contract.body) >= _LEAST:
        del contract.body[generator.chance.randrange(len(contract.body) - 1)]


def _remove_last(contract: Contract, _: RandomContracts) -> None:
    if len(contract.body) >= _LEAST and isinstance(contract.body[-2], Paragraph):
        del contract.body[-1]


def _move_block(contract: Contract, generator: RandomContracts) -> None:
    block = contract.body.pop(generator.chance.randrange(len(contract.body) - 1))
    contract.body.insert(generator.chance.randrange(len(contract.body)), block)


def _split_paragraph(contract: Contract, generator: RandomContracts) -> None:
    block = generator.chance.choice([each for each in _body(contract) if each.runs])
    at = next(at for at, each in enumerate(contract.body) if each is block)
    cut = generator.chance.randrange(len(block.runs))
    contract.body.insert(at + 1, Paragraph(block.runs[cut:], block.level, block.style))
    block.runs = block.runs[:cut]


def _join_paragraphs(contract: Contract, generator: RandomContracts) -> None:
    for at in range(len(contract.body) - 1):
        one, other = contract.body[at : at + 2]
        if (
            isinstance(one, Paragraph)
            and isinstance(other, Paragraph)
            and generator.chance.random() > 0.5
        ):
            one.runs += other.runs
            del contract.body[at + 1]
            return


def _change_table(contract: Contract, generator: RandomContracts) -> None:
    tables = [each for each in contract.body if isinstance(each, Table)]
    if not tables:
        return
    table = generator.chance.choice(tables)
    width = max(map(len, table.rows))
    row, column = generator.chance.randrange(len(table.rows)), generator.chance.randrange(width)
    cell = generator.chance.choice(table.rows[row])
    match generator.chance.randrange(6):
        case 0:
            table.rows.insert(row, [generator.cell() for _ in range(width)])
        case 1 if len(table.rows) > 1:
            del table.rows[row]
        case 2:
            for each in table.rows:
                each.insert(column, generator.cell())
        case 3 if width > 1:
            for each in table.rows:
                del each[column : column + 1]
        case 4:
            cell += generator.cell()
        case _:
            del cell[: len(cell) - 1]


def _add_run(contract: Contract, generator: RandomContracts) -> None:
    paragraph = generator.chance.choice(_body(contract))
    paragraph.runs.insert(generator.chance.randrange(len(paragraph.runs) + 1), generator.run())


def _remove_run(contract: Contract, generator: RandomContracts) -> None:
    for paragraph in _body(contract):
        for at, (kind, _) in enumerate(paragraph.runs):
            if kind not in ("text", "bold") and generator.chance.random() > 0.5:
                del paragraph.runs[at]
                return


def _accept_others(contract: Contract, _: RandomContracts) -> None:
    """Accept the first tracked change of other people."""
    settled = {"came": "text", "came field": "field", "went": ""}
    for paragraph in _body(contract):
        for at, (kind, held) in enumerate(paragraph.runs):
            if kind in settled:
                paragraph.runs[at : at + 1] = [(settled[kind], held)] if settled[kind] else []
                return


def _change_level(contract: Contract, generator: RandomContracts) -> None:
    generator.chance.choice(_body(contract)).level = generator.chance.choice([None, 0, 1, 2])


def _change_style(contract: Contract, generator: RandomContracts) -> None:
    generator.chance.choice(_body(contract)).style = "Other"


def _extend_margins(contract: Contract, generator: RandomContracts) -> None:
    for held in (contract.header, contract.footer):
        if held is not None:
            held.append(generator.plain())


def _toggle_header(contract: Contract, generator: RandomContracts) -> None:
    contract.header = [generator.plain()] if contract.header is None else None


def _renumber_lists(contract: Contract, generator: RandomContracts) -> None:
    contract.list_number = generator.chance.randint(1, 9)


def _body(contract: Contract) -> list[Paragraph]:
    return [each for each in contract.body if isinstance(each, Paragraph)]


EDITS: Final[dict[str, Callable[[Contract, RandomContracts], None]]] = {
    "words": _change_words,
    "spaces": _change_spaces,
    "paragraph added": _add_paragraph,
    "block removed": _remove_block,
    "last paragraph removed": _remove_last,
    "block moved": _move_block,
    "paragraph split": _split_paragraph,
    "paragraphs joined": _join_paragraphs,
    "table": _change_table,
    "note, field, box or picture added": _add_run,
    "note, field, box or picture removed": _remove_run,
    "list level": _change_level,
    "style": _change_style,
    "header and footer": _extend_margins,
    "header added or removed": _toggle_header,
    "lists renumbered": _renumber_lists,
    "other people's change accepted": _accept_others,
}
