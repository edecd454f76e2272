"""Findings marked by programs over MCP: counted first, and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client

from fourcorners.settings import Settings
from fourcorners.source_settings import McpSettings
from tests.server.mcp.clients import call, refused, reviewed, served, talk
from tests.server.mcp.test_protocol import ids, path  # noqa: F401 - fixtures

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.mark.usefixtures("ids")
def test_many_findings_are_counted_marked_and_restored(
    path: Path,  # noqa: F811
    settings: Settings,
) -> None:
    async def asks(client: Client) -> None:
        await reviewed(client, "Mill")
        given = {"collection": "Mill", "action": "confirmed", "state": "not_found"}
        counted = await call(client, "mark_findings", **given)
        assert counted["findings"] > 1
        assert "number" not in counted or counted["number"] == 0
        why = await refused(client, "mark_findings", **{**given, "action": "proposed"})
        assert "one of confirmed, rejected, second_look, assigned or commented" in why
        wrong = counted["findings"] + 1
        assert "Nothing was" in await refused(client, "mark_findings", **given, count=wrong)
        done = await call(client, "mark_findings", **given, count=counted["findings"])
        assert await call(client, "mark_findings", **given) == {**counted, "findings": 0}
        back = await call(client, "undo_marks", number=done["number"])
        assert back["findings"] == counted["findings"]
        assert (await call(client, "mark_findings", **given))["findings"] == counted["findings"]

    with served(path, settings, McpSettings(write=True)) as url:
        talk(url, asks)
