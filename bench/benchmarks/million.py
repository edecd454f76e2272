"""Work out what a million contracts take: libraries, servers, disk, memory, hours, money.

    python -m benchmarks.million
    python -m benchmarks.million --contracts 1000000 --passages 106 --seconds 3

It multiplies what was measured; nothing is run. `docs/scale.md` has the commands that measure each
figure. Costs of questions grow in proportion to the passages of a library, and decide how many
libraries there are so that a question takes no longer than `--seconds`. Prices are those of
`--core-hour` and `--gigabyte-month`, assumptions to be replaced: for rented machines.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from math import ceil

READING = 0.13  # CPU seconds a contract of 54,000 characters
ENCODING = 0.017  # CPU seconds a passage
STORING = 0.049  # CPU seconds a contract of 106 passages, of the one writer of a library
DISK = 410e3 / 106  # bytes a passage in PostgreSQL
POSTINGS = 240e3 / 106  # of these, the places of words with their indexes
CODES = 100  # bytes a passage in the memory of the process that ranks
REVIEW = 0.34  # CPU seconds a contract and 17 provisions
PROCESS = 300e6  # bytes of that process without codes, while it ranks
CONNECTIONS = 400e6  # bytes of a library's connections in its server
HOURS_A_MONTH = 730
MOST = 1_000_000  # contracts of one library that are tried


@dataclass(frozen=True, slots=True)
class Costs:
    """CPU milliseconds of a kind of question at the 95th percentile, each asked the first time.

    Attributes:
        ranking: Of one server with `MEASURED` passages, and of the process that asks it.
        library: What each further library adds to the asking process.
    """

    ranking: float
    library: float

    def seconds(self, passages: float, libraries: int) -> float:
        """Return what a question takes by the clock, without the network."""
        return (self.ranking * passages / MEASURED + self.library * libraries) / 1000


MEASURED = 1_484_000  # passages of 40,089 contracts on one server
COSTS = {
    "words": Costs(1_243, 4.1),
    "proximity": Costs(910, 6.4),
    "meaning": Costs(838, 5.3),
}
"""As `benchmarks.federation` measures them with 40,089 contracts."""


def contracts_of_a_library(costs: dict[str, Costs], given: argparse.Namespace) -> int:
    """Return how many contracts a library may have so that each question is in time."""
    size = MOST
    while size > 1_000 and slowest(costs, size, given)[1] > given.seconds:
        size = int(size * 0.95)
    return size


def slowest(costs: dict[str, Costs], size: int, given: argparse.Namespace) -> tuple[str, float]:
    libraries = ceil(given.contracts / size)
    each = {kind: one.seconds(size * given.passages, libraries) for kind, one in costs.items()}
    kind = max(each, key=each.__getitem__)
    return kind, each[kind]


def rows(given: argparse.Namespace) -> list[tuple[str, str, str]]:
    """Return the parts of the model: name, result, how it comes about."""
    costs = COSTS
    size = min(given.library or contracts_of_a_library(costs, given), given.contracts)
    libraries = ceil(given.contracts / size)
    kind, seconds = slowest(costs, size, given)
    passages = given.contracts * given.passages
    own = size * given.passages
    held = own * POSTINGS * given.hot + CONNECTIONS
    servers = ceil(libraries / max(1, int(given.memory * 1e9 // held)))
    asking = passages * CODES + libraries * PROCESS
    disk = passages * DISK
    reading = given.contracts * READING * given.passages / 106 / 3600
    encoding = passages * ENCODING / 3600
    storing = size * STORING * given.passages / 106 / 3600
    hours = max((reading + encoding) / (given.cores * servers), storing)
    filling = (reading + encoding) * given.core_hour
    cores = given.cores * servers + libraries
    monthly = cores * given.core_hour * HOURS_A_MONTH + 2 * disk / 1e9 * given.gigabyte_month
    return [
        ("passages", f"{passages / 1e6:,.0f} million", f"{given.passages:g} a contract"),
        (
            "libraries",
            f"{libraries} of {size:,} contracts",
            f"{kind}, p95, new: {seconds:.1f} s (limit {given.seconds:g} s)",
        ),
        *(
            (
                f"{name}, p95, new",
                f"{one.seconds(own, libraries):.1f} s",
                "the slowest machine and the asking process",
            )
            for name, one in costs.items()
        ),
        (
            "servers of PostgreSQL",
            f"{servers} of {given.cores} cores, {given.memory} GB",
            f"{held / 1e9:.1f} GB a library: {given.hot:.0%} of its places of words",
        ),
        (
            "machine that asks",
            f"{libraries} cores, {asking / 1e9:.0f} GB",
            f"a process a library; codes, {CODES} bytes a passage, {passages * CODES / 1e9:.1f} GB",
        ),
        (
            "disk",
            f"{disk / 1e9:,.0f} GB",
            f"{DISK:,.0f} bytes a passage; a copy takes as much again",
        ),
        ("reading", f"{reading:,.0f} CPU hours", "on all cores"),
        ("encoding", f"{encoding:,.0f} CPU hours", "on all cores"),
        ("storing", f"{storing:.1f} hours", "one writer a library, all at once"),
        ("all in by the clock", f"{hours:,.0f} hours", f"{given.cores * servers} cores"),
        (
            "a review of 17 provisions",
            f"{given.contracts * REVIEW / 3600:,.0f} CPU hours",
            "library by library",
        ),
        ("money, once", f"{filling:,.0f} EUR", f"{given.core_hour:g} EUR a core and hour"),
        (
            "money, a month",
            f"{monthly:,.0f} EUR",
            f"{cores} cores; {given.gigabyte_month:g} EUR a GB, twice",
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--contracts", type=int, default=1_000_000)
    parser.add_argument("--passages", type=float, default=106.0, help="a contract")
    parser.add_argument("--library", type=int, help="contracts of a library; else by --seconds")
    parser.add_argument("--seconds", type=float, default=3.0, help="a question may take, p95")
    parser.add_argument("--cores", type=int, default=8, help="of a server")
    parser.add_argument("--memory", type=int, default=64, help="of a server, GB")
    parser.add_argument("--hot", type=float, default=0.5, help="share of places held in memory")
    parser.add_argument("--core-hour", type=float, default=0.04, help="EUR")
    parser.add_argument("--gigabyte-month", type=float, default=0.10, help="EUR")
    given = parser.parse_args()
    print("| part | result | from |\n| --- | --- | --- |")
    for row in rows(given):
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
