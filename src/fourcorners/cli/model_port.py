"""The port to language models, as commands open it: with a library, and with what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fourcorners.cli.output import console

if TYPE_CHECKING:
    from pathlib import Path

    from fourcorners.library.store import Library
    from fourcorners.llm import Port, Role
    from fourcorners.settings import LlmSettings


def of_model(
    settings: LlmSettings, model: str, replay: Path | None, record: Path | None
) -> LlmSettings:
    """Return settings with another model for all roles, if one is named, and other recordings."""
    named = {"model": model, "roles": {}} if model else {}
    files = {"replay": replay, "record": record}
    return settings.model_copy(update=named | {key: path for key, path in files.items() if path})


@contextmanager
def open_model_port(
    store: Library,
    roles: Sequence[Role],
    *,
    settings: LlmSettings | None = None,
    job: str | None = None,
) -> Iterator[Port | None]:
    """Open the port for these roles, and say at the end what was used; None for no roles.

    Calls are charged to `job`; by default each command is a separate job. Without settings, those
    of the user apply.

    Raises:
        LlmNotConfigured: If a role has no model.
    """
    if not roles:
        yield None
        return
    from fourcorners.library.llm_store import library_port
    from fourcorners.settings import Settings

    named = job or f"precedents {datetime.now(UTC).isoformat()}"
    with library_port(store, settings or Settings.load().llm, named) as port:
        for role in roles:
            port.role_model(role)
        with report_spending(port):
            yield port


@contextmanager
def report_spending(port: Port) -> Iterator[None]:
    """Say on standard error, at whatever end, what was used in between."""
    before = port.spending
    try:
        yield
    finally:
        after = port.spending
        price = f"${after.cost - before.cost:,.4f}"
        if after.unpriced > before.unpriced:
            price += " and calls of unknown price"
        summary = (
            f"The language model: {console.count_noun(after.calls - before.calls, 'call')}, "
            f"{after.tokens_in - before.tokens_in:,} tokens in, "
            f"{after.tokens_out - before.tokens_out:,} out, {price}."
        )
        console.print_note((summary, "dim"))
