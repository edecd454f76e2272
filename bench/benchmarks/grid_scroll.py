"""A review of many contracts scrolled in a real browser: what each frame costs, and what is kept.

    python -m benchmarks.grid_scroll --contracts 10000 --provisions 50 --steps 200
    python -m benchmarks.grid_scroll --library big.db --only-make

Makes a library of CONTRACTS short leases with a generated finding in each of their PROVISIONS
cells (`--library` keeps it, and takes it again), serves it, opens the grid in Chromium
and scrolls with the wheel and with keys. By way of scrolling it prints, in CPU milliseconds of the
page's main thread, what scripts, style and layout took a frame: median, 95th percentile and worst;
how many frames took over 8 ms of script; the most nodes that the page held; and, in CPU
milliseconds of the server's process, what the list of reviews and a window of the grid take.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.server_load import Server, cpu_seconds
from fourcorners.library.catalogue import text_hash
from fourcorners.library.columns import DocumentColumns
from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.operations.knowledge import playbooks as books
from fourcorners.review import store
from fourcorners.review.finding import CellState, Evidence, Finding, SearchRecord, Severity
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.browser.conftest import Page

_COLLECTION = "Leases"
_WORDS = "The Tenant may end this lease on six months' notice to the Landlord."
_LEASE = f"LEASE NUMBER 00000\n\n1. Term. Five years.\n\n2. Ending. {_WORDS}\n"
_BATCH = 200  # contracts in one transaction
_LONG = 8.0  # milliseconds of script in a frame from which it counts as long


def playbook(provisions: int) -> str:
    """Return a playbook of so many provisions."""
    lines = ["id: scrolling", "name: Scrolling", 'version: "1"', "language: en", "provisions:"]
    for number in range(provisions):
        lines += [
            f"  - id: provision-{number:03d}",
            f"    name: Provision number {number:03d}",
            f"    definition: What the lease says of matter {number:03d}.",
            f"    query: '\"matter {number:03d}\"~5'",
        ]
    return "\n".join(lines) + "\n"


def make(path: Path, contracts: int, provisions: int) -> None:
    """Fill a library with leases and their cells."""
    with tempfile.TemporaryDirectory() as folder, Library.open(path, create=True) as library:
        book = books.save_playbook(library, playbook(provisions), by="benchmark")
        written = Path(folder) / "lease.txt"
        written.write_text(_LEASE)
        made = prepare_file(written)
        if not isinstance(made, PreparedFile):
            raise RuntimeError("the lease cannot be read")
        start = _LEASE.index(_WORDS)
        span = Span(start, start + len(_WORDS))
        for begin in range(0, contracts, _BATCH):
            with library.transaction():
                for number in range(begin, min(begin + _BATCH, contracts)):
                    columns = numbered(made, number)
                    library.add_columns(columns, None, collection=_COLLECTION)
                    cells = [
                        finding(columns.id, each.id, span, number * provisions + place)
                        for place, each in enumerate(book.provisions)
                    ]
                    store.save_findings(library, book, "benchmark", cells)


def numbered(made: PreparedFile, number: int) -> DocumentColumns:
    """Return the lease under another number, in as many characters."""
    text = _LEASE.replace("00000", f"{number:05d}")
    digest = sha256(text.encode()).hexdigest()
    name = f"lease-{number:05d}.txt"
    found = {
        "id": digest[:16], "name": name, "path": name, "text": text,
        "text_sha256": text_hash(text), "title": f"Lease number {number:05d}",
    }  # fmt: skip
    document = {**made.columns.document, **found}
    return replace(
        made.columns, id=digest[:16], sha256=digest, path=name, text=text, document=document
    )


def finding(document: str, provision: str, span: Span, number: int) -> Finding:
    """Return the cell of a number: every third is not found, the others quote the lease."""
    searched = SearchRecord("", 2, 0.5)
    if number % 3 == 0:
        return Finding(document, provision, CellState.NOT_FOUND, searched=searched)
    quote = Quote(_WORDS, span, Match.EXACT)
    evidence = Evidence(quote, span, ("2. Ending",), None, 0.9)
    severity = (Severity.NONE, Severity.LOW, Severity.MEDIUM, Severity.HIGH)[number % 4]
    return Finding(document, provision, CellState.FOUND, (evidence,), searched, severity)


@contextmanager
def browser() -> Iterator[Page]:
    """Open a Chromium without a window."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        raise SystemExit("no Chromium here: install the package chromium")
    with tempfile.TemporaryDirectory() as profile:
        page = Page(program, Path(profile))
        try:
            page.connect()
            yield page
        finally:
            page.close()


def spent(page: Page) -> dict[str, float]:
    """Return what the page's main thread has spent so far, in CPU milliseconds, and its nodes."""
    found = page.call("Performance.getMetrics")["metrics"]
    values = {each["name"]: float(each["value"]) for each in found}
    return {
        "script": values["ScriptDuration"] * 1000,
        "layout": (values["LayoutDuration"] + values["RecalcStyleDuration"]) * 1000,
        "nodes": values["Nodes"],
    }


def scrolled(page: Page, steps: int, step: Callable[[Page, int], None]) -> dict[str, object]:
    """Scroll, and return what the steps took; a step ends when two frames were drawn."""
    script: list[float] = []
    layout: list[float] = []
    most, before = 0.0, spent(page)
    for number in range(steps):
        step(page, number)
        page.eval("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        after = spent(page)
        script.append(after["script"] - before["script"])
        layout.append(after["layout"] - before["layout"])
        most, before = max(most, after["nodes"]), after
    elements = page.eval("document.querySelectorAll('*').length")
    return {
        "script_ms": figures(script),
        "style_and_layout_ms": figures(layout),
        "steps_over_8_ms_of_script": sum(each > _LONG for each in script),
        "steps": steps,
        "most_nodes": int(most),
        "elements_at_end": elements,
        "at": page.eval("document.querySelector('#grid tr[data-n]')?.dataset.n ?? ''"),
    }


def figures(values: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and worst."""
    cuts = statistics.quantiles(values, n=20)
    return {"p50": round(cuts[9], 2), "p95": round(cuts[18], 2), "worst": round(max(values), 2)}


def wheel(page: Page, number: int) -> None:
    """Turn the wheel over the grid by some rows."""
    page.call(
        "Input.dispatchMouseEvent", type="mouseWheel", x=700, y=600, deltaX=0,
        deltaY=360 if number % 40 < 38 else -720,
    )  # fmt: skip


def key(page: Page, number: int) -> None:
    """Press the keys of someone who reads down the grid, and a screen on now and then."""
    page.press("PageDown" if number % 10 == 9 else "ArrowDown")


def measured(library: Path, provisions: int, steps: int) -> dict[str, object]:
    """Serve the library, scroll its grid, and return the figures."""
    server = Server(library)
    found: dict[str, object] = {}
    try:
        grid = f"/reviews/grid?{urlencode({'c': _COLLECTION, 'p': 'scrolling'})}"
        for name, address in (
            ("reviews", "/reviews"),
            ("grid", grid),
            ("window", f"{grid.replace('/grid', '/rows')}&start=5000&count=40"),
        ):
            took = []
            for _ in range(6):
                before = cpu_seconds(server.pid)
                status, body = server.get(address)
                if status != 200:
                    raise RuntimeError(f"{address} answers {status}")
                took.append((cpu_seconds(server.pid) - before) * 1000)
            found[name] = {
                "first_cpu_ms": round(took[0]), "then_cpu_ms": round(statistics.median(took[1:])),
                "bytes": len(body),
            }  # fmt: skip
        with browser() as page:
            page.view(1440)
            page.call("Performance.enable", timeDomain="threadTicks")
            page.call("Page.navigate", url=f"http://127.0.0.1:{server.port}{grid}")
            until = time.monotonic() + 120
            while not page.eval("Boolean(document.querySelector('#grid tr[data-d] td.c a'))"):
                if time.monotonic() > until:
                    raise RuntimeError("the grid does not come")
                time.sleep(0.2)
            found["wheel"] = scrolled(page, steps, wheel)
            page.eval("document.querySelector('#scroll').scrollTop = 0")
            time.sleep(1)
            page.press("ArrowDown")
            found["keys"] = scrolled(page, steps, key)
    finally:
        server.stop()
    return {"provisions": provisions, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--contracts", type=int, default=10_000)
    parser.add_argument("--provisions", type=int, default=50)
    parser.add_argument("--steps", type=int, default=200, help="steps of each way of scrolling")
    parser.add_argument("--library", type=Path, help="keep the library there, and take it again")
    parser.add_argument("--only-make", action="store_true", help="make the library alone")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = arguments.library or Path(folder) / "library.db"
        if not library.exists():
            make(library, arguments.contracts, arguments.provisions)
        if arguments.only_make:
            return
        found = {
            "contracts": arguments.contracts,
            **measured(library, arguments.provisions, arguments.steps),
        }
    text = json.dumps(found, indent=2)
    print(text)
    if arguments.json:
        arguments.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
