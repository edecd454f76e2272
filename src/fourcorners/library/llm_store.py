"""Store language-model answers by request, and one line per call, in a library.

Answers contain words of contracts. When a document is removed from the library, all stored answers
are deleted, because it is not known which of them had its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fourcorners.errors import LibraryError
from fourcorners.library.database import Row, SQLiteValue, as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.llm.exchange import PromptId, Role
from fourcorners.llm.ledger import Call, Ledger, Spending, total_spending

if TYPE_CHECKING:
    from fourcorners.llm import Port
    from fourcorners.settings import LlmSettings

# The columns of a call: words, whole numbers, numbers.
_CALL = (
    "at, job, role, model, prompt, prompt_hash, key, outcome, tag, "
    "prompt_version, tokens_in, tokens_out, measured, seconds, cost"
)


class LibraryCache:
    """A `Cache` in a library; use it in the thread that uses the library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def get(self, key: str) -> str | None:
        rows = self._library.execute("SELECT answer FROM llm_answers WHERE key = ?", (key,))
        return as_string(rows[0][0]) if rows else None

    def put(self, key: str, value: str) -> None:
        """Store a value, replacing any other."""
        self._library.execute(
            "INSERT INTO llm_answers(key, answer) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET "
            "answer = excluded.answer, kept = excluded.kept",
            (key, value),
        )

    def clear(self) -> int:
        with self._library.transaction():
            count = as_integer(self._library.execute("SELECT count(*) FROM llm_answers")[0][0])
            self._library.execute("DELETE FROM llm_answers")
        return count


class LibraryLedger:
    """A `Ledger` in a library, so that a resumed job knows what it has spent."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def add(self, call: Call) -> None:
        self._library.execute(
            f"INSERT INTO llm_calls({_CALL}) VALUES ({', '.join('?' * 15)})",  # noqa: S608
            (
                *(call.at, call.job, call.role.value, call.model, call.prompt.name),
                *(call.prompt.hash, call.key, call.outcome, call.tag),
                *(call.prompt.version, call.tokens_in, call.tokens_out, int(call.measured)),
                *(call.seconds, call.cost),
            ),
        )

    def calls(self, job: str | None = None) -> list[Call]:
        rows = self._library.execute(
            f"SELECT {_CALL} FROM llm_calls WHERE ?1 IS NULL OR job = ?1 ORDER BY id",  # noqa: S608
            (job,),
        )
        return [_call(row) for row in rows]

    def job_spending(self, job: str) -> Spending:
        return total_spending(self.calls(job))

    def totals_after(
        self, call: int
    ) -> tuple[int, dict[tuple[str, str, str], tuple[int, int, int, float]]]:
        """Return the last call's number, and sums over those after one by role, model and outcome.

        The sums are calls, tokens in, tokens out and cost.
        """
        last = as_integer(self._library.execute("SELECT coalesce(max(id), 0) FROM llm_calls")[0][0])
        rows = self._library.execute(
            "SELECT role, model, outcome, count(*), sum(tokens_in), sum(tokens_out), "
            "coalesce(sum(cost), 0.0) FROM llm_calls WHERE id > ? AND id <= ? "
            "GROUP BY role, model, outcome",
            (call, last),
        )
        return last, {
            (as_string(row[0]), as_string(row[1]), as_string(row[2])): (
                *(as_integer(row[3]), as_integer(row[4]), as_integer(row[5])),
                _real(row[6]),
            )
            for row in rows
        }


def _call(row: Row) -> Call:
    at, job, role, model, prompt, digest, key, outcome, tag = map(as_string, row[:9])
    version, tokens_in, tokens_out, measured = map(as_integer, row[9:13])
    seconds, cost = row[13:]
    return Call(
        at=at,
        job=job,
        role=Role(role),
        model=model,
        prompt=PromptId(prompt, version, digest),
        key=key,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=None if cost is None else _real(cost),
        seconds=_real(seconds),
        measured=bool(measured),
        outcome=outcome,
        tag=tag,
    )


def _real(value: SQLiteValue) -> float:
    if isinstance(value, int | float):
        return float(value)
    raise LibraryError(f"a number was expected in the library, not {type(value).__name__}.")


@contextmanager
def library_port(
    library: Library,
    settings: LlmSettings,
    job: str,
    wrap: Callable[[Ledger], Ledger] = lambda ledger: ledger,
) -> Iterator[Port]:
    """Open the port to language models, with the library's cache and its ledger.

    `wrap` returns the ledger that calls are told to.

    Raises:
        ConfigError: If no model is configured, or a setting is missing.
    """
    from fourcorners.llm import open_port

    ledger = wrap(LibraryLedger(library))
    with open_port(settings, cache=LibraryCache(library), ledger=ledger, job=job) as port:
        yield port
