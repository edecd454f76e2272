"""The page of hostile kinds: the totals, and the twenty that took most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

_WORST = 20
_HEAD = """# Hostile texts and files

Hostile kinds of texts and files, each in a separate process: what one costs in the stage
that takes longest, and how it ends. At most 3 CPU seconds a MB of what is read, or 0.3 in all, and
1,000 MB of memory beyond an idle worker's are allowed.

```sh
python -m benchmarks.doubling --size {size} --page docs/method/hostile-files.md
```

This prints a line for each kind, and writes this page.

| kinds | read | refused with a reason | stopped or died | over the bounds | most memory, MB |
| --- | --- | --- | --- | --- | --- |
"""
_TABLE = """
The twenty that come nearest to a bound, or over it:

| kind | MB | seconds | slowest stage | seconds a MB | memory, MB | how it ends |
| --- | --- | --- | --- | --- | --- | --- |
"""


class KindCost(Protocol):
    """What a kind took."""

    kind: str
    megabytes: float
    memory: int
    end: str

    @property
    def slowest(self) -> tuple[str, float]: ...

    @property
    def share(self) -> float: ...

    @property
    def is_over(self) -> bool: ...


def write_page(found: Sequence[KindCost], size: int) -> str:
    """Return the page, in Markdown."""
    ends = [each.end.partition(":")[0].split(" ")[0] for each in found]
    counts = (len(found), ends.count(""), ends.count("refused"), ends.count("stopped"))
    over, memory = sum(each.is_over for each in found), max(each.memory for each in found)
    rows = sorted(found, key=lambda each: -each.share)[:_WORST]
    numbers = " | ".join(f"{each:,}" for each in (*counts, over, memory))
    return f"{_HEAD.format(size=size)}| {numbers} |\n{_TABLE}{''.join(map(_row, rows))}"


def _row(cost: KindCost) -> str:
    stage, seconds = cost.slowest
    rate = f"{seconds / cost.megabytes:.1f}" if cost.megabytes >= 0.01 else "–"
    end = cost.end.replace("|", "\\|") or "read"
    cells = (
        cost.kind,
        f"{cost.megabytes:.2f}",
        f"{seconds:.2f}",
        stage,
        rate,
        f"{cost.memory:,}",
        end,
    )
    return f"| {' | '.join(cells)} |\n"
