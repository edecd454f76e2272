"""The grid in the terminal: symbols with a legend, red flags, and what could not be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from fourcorners.reports.grid import SEVERITIES, SEVERITY_WORDS, Cell, Grid, ocr_note, page_range
from fourcorners.reports.key_words import evidence_of, key_quotes, key_words, write_days
from fourcorners.review.finding import CellState, ColumnHeader, Review, ReviewState, Severity
from fourcorners.review.parties import count_parties
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

T = TypeVar("T")

# Per look: symbol, symbol where the terminal has no Unicode, style, words of the legend.
_LOOKS: Final[dict[str, tuple[str, str, str, str]]] = {
    "high": ("◆", "H", "bold red", "high"),
    "medium": ("▲", "M", "yellow", "medium"),
    "to_read": ("■", "R", "cyan", "to be read"),
    "low": ("▼", "L", "blue", "low"),
    "found": ("●", "+", "green", "found"),
    "not_found": ("·", ".", "dim", "not found"),
    "failed": ("!", "!", "magenta", "failed"),
    "not_applicable": ("-", "-", "dim", "not asked of such a contract"),
}
# Per state that a person gave: the same four, added to the look of the cell.
_STATES: Final[dict[str, tuple[str, str, str, str]]] = {
    ReviewState.CONFIRMED: ("✓", "c", "green", "confirmed"),
    ReviewState.CORRECTED: ("✎", "e", "cyan", "corrected"),
    ReviewState.REJECTED: ("✗", "x", "red", "rejected"),
    ReviewState.SECOND_LOOK: ("?", "?", "yellow", "needs a second look"),
}
_NAME_WIDTHS: Final = (22, 44)
# Columns of the narrowest kind are numbered, of the next have a code, of the widest say a word.
_NUMBER_WIDTH, _CODE_WIDTH, _WORD_WIDTH = 3, 5, 10
_ASCII: Final = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "…": "...", "–": "-"})
_FLAGS_SHOWN: Final = 12  # rows; the rest is counted
_GAPS_SHOWN: Final = 20  # rows; the rest is counted
_PARTIES: Final = 4  # that are offered where a review is read for none


def print_review(review: Review, console: Console) -> None:
    """Print the review for a person at a terminal, as wide as the console.

    Raises:
        EvidenceError: If a quote is not the text at its span, or the grid has a hole.
    """
    grid = Grid(review)
    printer = _Printer(grid, console)
    printer.heading()
    printer.cells()
    printer.red_flags()
    printer.second_looks()
    printer.outliers()
    printer.gaps()


def column_codes(heads: Sequence[ColumnHeader]) -> list[str]:
    """Return a code of at most four characters for each provision, no two the same.

    Initials for a name of several words, else its first four letters.
    """
    taken: list[str] = []
    for head in heads:
        words = single_line(head.name).split() or ["?"]
        plain = "".join(word[0] for word in words)[:4] if len(words) > 1 else words[0][:4]
        code, number = plain, 2
        while code in taken:
            code = f"{plain[: 4 - len(str(number))]}{number}"
            number += 1
        taken.append(code)
    return taken


class _Printer:
    """Prints the parts of a grid to one console."""

    def __init__(self, grid: Grid, console: Console) -> None:
        self.grid = grid
        self.console = console
        self.plain = "utf" not in console.encoding.lower()
        self.width = max(40, console.width)

    def say(self, *parts: tuple[str, str], indent: int = 0) -> None:
        """Print words with their styles, wrapped, never read as markup."""
        from rich.padding import Padding

        text = self.text(*parts)
        shown = Padding(text, (0, 0, 0, indent), expand=False) if indent else text
        self.console.print(shown, highlight=False)

    def text(self, *parts: tuple[str, str]) -> Text:
        from rich.text import Text

        return Text.assemble(
            *((self.encodable(words), style) for words, style in parts if words), overflow="fold"
        )

    def encodable(self, words: str) -> str:
        """Return the words as the console's encoding can say them."""
        if not self.plain:
            return words
        encoding = self.console.encoding
        return words.translate(_ASCII).encode(encoding, errors="replace").decode(encoding)

    def symbol(self, look: str) -> tuple[str, str]:
        """Return the symbol of a look, or of what a person said, and its style."""
        shape, letter, style, _ = (_LOOKS | _STATES).get(look, ("", "", "", ""))
        return (letter if self.plain else shape), style

    def heading(self) -> None:
        review, states = self.grid.review, self.grid.states()
        self.console.print()
        self.say((single_line(review.title), "bold"))
        playbook = f"{single_line(review.playbook)} {single_line(review.playbook_version)}".strip()
        day = write_days(review.as_of.isoformat())
        self.say((f"{playbook}; terms judged as of {day}", "dim"))
        documents = _count_noun(len(review.documents), "contract")
        provisions = _count_noun(len(review.columns), "provision")
        counts = [
            f"{states[CellState.FOUND]:,} found",
            f"{states[CellState.NOT_FOUND]:,} not found",
        ]
        if states[CellState.TO_READ]:
            counts.append(f"{states[CellState.TO_READ]:,} to be read")
        if states[CellState.NOT_APPLICABLE]:
            counts.append(f"{states[CellState.NOT_APPLICABLE]:,} not asked")
        if states[CellState.FAILED]:
            counts.append(f"{states[CellState.FAILED]:,} failed")
        if review.unread:
            counts.append(f"{_count_noun(len(review.unread), 'file')} not read")
        self.say((f"{documents}, {provisions}: {', '.join(counts)}", ""))
        for name, value in review.provenance:
            if name == "Read for":
                self.say((f"Read for {single_line(value)}.", ""), *self.side_hint())
        if self.grid.review.read_for and self.grid.read_for_nobody:
            self.say((self.grid.read_for_nobody, "yellow"))
        self.console.print()

    def side_hint(self) -> list[tuple[str, str]]:
        """Say how to name a party to read for, where none is named."""
        review = self.grid.review
        known = count_parties(each.card for each in review.documents)
        if review.read_for or not known:
            return []
        parties = "; ".join(f"{single_line(name)} ({count})" for name, count in known[:_PARTIES])
        hint = f" To tell our side from theirs, name a party with --for: {parties}"
        return [(f"{hint}{'; …' if len(known) > _PARTIES else ''}", "dim")]

    def cells(self) -> None:
        """Print the grid in as many blocks of columns as the width needs, then the keys."""
        count = len(self.grid.columns)
        if not count or not self.grid.rows:
            return
        least, most = _NAME_WIDTHS
        room = self.width - least - 1
        column = next(
            (width for width in (_WORD_WIDTH, _CODE_WIDTH) if count * width <= room), _NUMBER_WIDTH
        )
        fitting = max(1, room // column)
        blocks = -(-count // fitting)
        size = -(-count // blocks)
        name = min(most, self.width - 1 - size * column)
        if column == _NUMBER_WIDTH:
            short = [str(number) for number in range(1, count + 1)]
        else:
            short = column_codes(self.grid.columns)
        for start in range(0, count, size):
            columns = range(start, min(start + size, count))
            self.console.print(self.block(columns, short, name, column))
            self.console.print()
        self.keys(short)

    def block(self, columns: range, short: list[str], name: int, width: int) -> Table:
        from rich.table import Table

        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
        table.add_column(
            self.text(("Contract", "bold")), width=name, no_wrap=True, overflow="ellipsis"
        )
        for column in columns:
            table.add_column(
                self.text((short[column], "bold")), width=width - 1, no_wrap=True, overflow="crop"
            )
        for called, row in zip(self.clipped_titles(name), self.grid.rows, strict=True):
            shown = [self.cell(row[column], spelled=width == _WORD_WIDTH) for column in columns]
            table.add_row(self.text((called, "")), *shown)
        for file in self.grid.review.unread:
            shown = [self.text(self.symbol("failed")) for _ in columns]
            ending = single_line(file.path).replace("\\", "/").rsplit("/", 1)[-1]
            table.add_row(self.text((self.clipped(ending, name), "magenta")), *shown)
        return table

    def clipped_titles(self, width: int) -> list[str]:
        """Return what contracts are called, cut; by parties where titles are then the same."""
        titles = [self.grid.titles[document.id] for document in self.grid.documents]
        clipped = [self.clipped(str(each), width) for each in titles]
        counts = Counter(clipped)
        return [
            self.clipped(each.detail or each.file, width) if counts[short] > 1 else short
            for each, short in zip(titles, clipped, strict=True)
        ]

    def clipped(self, name: str, width: int) -> str:
        """Return a name cut to a width in terminal cells."""
        from rich.cells import cell_len, set_cell_size

        whole = self.encodable(single_line(name))
        if cell_len(whole) <= width:
            return whole
        mark = "..." if self.plain else "…"
        return set_cell_size(whole, width - len(mark)).rstrip() + mark

    def cell(self, cell: Cell, *, spelled: bool) -> Text:
        look = _look(cell)
        mark, style = self.symbol(look)
        review_symbol = self.symbol(cell.finding.review)
        if not spelled or look in ("not_found", "not_applicable"):
            return self.text((mark, style), review_symbol)
        word = SEVERITY_WORDS[cell.finding.severity] if cell.flagged else _LOOKS[look][3]
        if cell.flagged and cell.finding.state is CellState.NOT_FOUND:
            word = "no match"
        gap = " " if len(mark) + len(review_symbol[0]) + 1 + len(word) < _WORD_WIDTH else ""
        return self.text((mark, style), review_symbol, (f"{gap}{word.lower()}", style))

    def keys(self, short: list[str]) -> None:
        """Print what the symbols and the codes mean, on as few lines as the width allows."""
        given = {cell.finding.review.value for cell in self.grid.cells()}
        looks = [*_LOOKS.items(), *(each for each in _STATES.items() if each[0] in given)]
        self.flow([[self.symbol(look), (f" {look_words[3]}", "dim")] for look, look_words in looks])
        self.flow(
            [
                [(code, "bold"), (f" {single_line(head.name)}", "dim")]
                for code, head in zip(short, self.grid.columns, strict=True)
            ]
        )

    def flow(self, entries: list[list[tuple[str, str]]]) -> None:
        """Print entries side by side, breaking lines between them and not within."""
        from rich.cells import cell_len

        on_line: list[tuple[str, str]] = []
        used = 0
        for entry in entries:
            size = cell_len("".join(words for words, _ in entry))
            if on_line and used + 2 + size > self.width:
                self.say(*on_line)
                on_line, used = [], 0
            if on_line:
                on_line.append(("  ", ""))
                used += 2
            on_line += entry
            used += size
        if on_line:
            self.say(*on_line)

    def red_flags(self) -> None:
        counts = self.grid.severities()
        line = ", ".join(
            f"{counts[severity]:,} {SEVERITY_WORDS[severity].lower()}"
            for severity in SEVERITIES
            if counts[severity]
        )
        self.listed("Red flags", line, self.grid.red_flags(), self.flag)

    def flag(self, cell: Cell) -> None:
        finding = cell.finding
        self.place(cell, self.symbol(finding.severity.value))
        if cell.headline:
            self.say((single_line(cell.headline), "bold"), indent=2)
        for change in finding.amendments:
            words = key_words(change.quote, 2 * (self.width - 6))
            self.say(
                (f"{change.describe(finding.document)}: ", "yellow"), (f"“{words}”", ""), indent=2
            )
        old = [each.old.span for each in finding.amendments if each.replaces and each.old]
        quoted = [(each, evidence_of(finding, each)) for each in key_quotes(finding)[:1]]
        if finding.nearest:
            quoted = [(finding.nearest.quote, finding.nearest)]
        for quote, evidence in quoted:
            words = key_words(quote, 2 * (self.width - 6))
            shown = f"“{words}”" if quote.verified else f"not verified: {words}"
            is_old = any(quote.span and span and quote.span.overlaps(span) for span in old)
            lead = "Before: " if is_old else "Closest words (not a match): "
            lead = lead if is_old or finding.nearest else ""
            self.say((lead, "dim"), (shown, ""), indent=2)
            if evidence is None:
                continue
            place = [single_line(evidence.path[-1])] if evidence.path else []
            place += [page_range(evidence.pages)] if evidence.pages else []
            place += [ocr_note(evidence.ocr)] if evidence.ocr is not None else []
            if place:
                self.say((", ".join(place), "dim"), indent=2)
        if finding.reason:
            style = self.symbol(finding.severity.value)[1]
            self.say((write_days(single_line(finding.reason)), style), indent=2)

    def second_looks(self) -> None:
        """Print the cells that need a second look, with the reason last given."""
        cells = [
            cell for cell in self.grid.cells() if cell.finding.review is ReviewState.SECOND_LOOK
        ]
        mark = self.symbol(ReviewState.SECOND_LOOK)
        self.reasons("Needs a second look", cells, _last_word, mark)

    def outliers(self) -> None:
        """Print the cells whose clause reads unlike the others, with the nearest contract."""
        names = {document.id: self.grid.name(document) for document in self.grid.documents}

        def nearest(cell: Cell) -> str:
            outlier = cell.finding.outlier
            return f"Most like it: {names.get(outlier.nearest, '')}" if outlier else ""

        cells = [cell for cell in self.grid.cells() if cell.finding.outlier]
        self.reasons("Worded unlike the others", cells, nearest, ("~", "cyan"))

    def reasons(
        self, title: str, cells: Sequence[Cell], why: Callable[[Cell], str], mark: tuple[str, str]
    ) -> None:
        """Print some cells under a title, each with a line that says why."""

        def show(cell: Cell) -> None:
            self.place(cell, mark)
            if reason := why(cell):
                self.say((shorten(reason, 3 * (self.width - 6)), "dim"), indent=2)

        self.listed(title, f"{len(cells):,}", cells, show)

    def place(self, cell: Cell, mark: tuple[str, str]) -> None:
        """Print the provision and the document of a cell, after a mark."""
        name, document = single_line(cell.head.name), single_line(self.grid.name(cell.document))
        self.say((f"{mark[0]} ", mark[1]), (name, "bold"), (f"  {document}", ""))

    def listed(
        self,
        title: str,
        note: str,
        entries: Sequence[T],
        show: Callable[[T], None],
        most: int = _FLAGS_SHOWN,
    ) -> None:
        """Print the first of some entries under a title; the rest is counted."""
        if not entries:
            return
        self.console.print()
        self.say((title, "bold"), (f"  {note}" if note else "", "dim"))
        for each in entries[:most]:
            show(each)
        if len(entries) > most:
            self.say((f"{len(entries) - most:,} more are in the report.", "dim"), indent=2)

    def gaps(self) -> None:
        """Print what was not read, not reviewed or needs OCR, each with its remedy."""
        left_out = [(file.path, file.reason, file.remedy) for file in self.grid.review.unread]
        for document in self.grid.documents:
            if document.needs_ocr:
                numbers = ", ".join(map(str, document.needs_ocr))
                word = "page" if len(document.needs_ocr) == 1 else "pages"
                why = f"No text on {word} {numbers}: only an image."
                left_out.append((document.name, why, "Run OCR over the file and add it again."))
        for cell in self.grid.failures():
            where = f"{single_line(cell.document.name)}, {single_line(cell.head.name)}"
            left_out.append((where, cell.finding.error, cell.finding.remedy))
        self.listed("What this review does not cover", "", left_out, self.gap, _GAPS_SHOWN)

    def gap(self, gap_row: tuple[str, str, str]) -> None:
        what, why, remedy = map(single_line, gap_row)
        mark, style = self.symbol("failed")
        self.say((f"{mark} ", style), (what, "bold"))
        self.say((why, ""), (f" {remedy}" if remedy else "", style), indent=2)


def _last_word(cell: Cell) -> str:
    comments = [each for each in cell.finding.remarks if each.comment]
    return f"{comments[-1].by}: {comments[-1].comment}" if comments else ""


def _look(cell: Cell) -> str:
    if cell.finding.state is CellState.FAILED:
        return "failed"
    if cell.flagged and cell.finding.severity is not Severity.NONE:
        return cell.finding.severity.value
    return cell.finding.state.value


def _count_noun(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
