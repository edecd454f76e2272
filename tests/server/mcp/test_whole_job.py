"""A review by an agent, from the list of collections to the last quote, in a small context."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.settings import Settings
from fourcorners.source_settings import McpSettings
from tests.server.mcp.clients import reviewed, served, talk

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.slow]
ROOM = Path(__file__).parents[3] / "examples" / "dataroom"
MAX_CHARACTERS = 30_000
DEFAULT = 5_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A library of a data room, whose contracts are as long as contracts are."""
    with Library.open(tmp_path / "library.db", create=True) as library:
        for file in sorted(each for each in ROOM.iterdir() if each.suffix in (".pdf", ".docx"))[:6]:
            made = prepare_file(file)
            assert isinstance(made, PreparedFile)
            library.add_columns(made.columns, None, collection="Project Larch")
    return tmp_path / "library.db"


def test_an_agent_reviews_a_deal_in_30_000_characters(path: Path, settings: Settings) -> None:
    sizes: list[tuple[str, int]] = []

    async def asks(client: Client) -> None:
        async def call(tool: str, **arguments: object) -> Any:
            answer = await client.call_tool(tool, arguments)
            (block,) = answer.content
            assert isinstance(block, types.TextContent)
            assert not answer.is_error, block.text
            assert json.loads(block.text) == answer.structured_content
            sizes.append((tool, len(block.text)))
            return answer.structured_content

        (deal,) = (await call("collections"))["collections"]
        name = deal["collection"]
        await reviewed(client, name)
        documents = (await call("documents", collection=name))["documents"]
        assert len(documents) == 6
        provisions = (await call("playbooks", playbook="due-diligence"))["playbooks"][0]
        assert "change-of-control" in provisions["provisions"]
        findings = (await call("findings", collection=name))["findings"]
        control = await call("findings", collection=name, provision="change-of-control")
        worst = control["findings"][0] if control["findings"] else findings[0]
        whole = await call("finding", document=worst["document"], provision=worst["provision"])
        assert whole["quotes"]
        for quote in whole["quotes"][:2]:
            read = await call("read", document=worst["document"], **quote["span"])
            assert read["words"] == quote["words"]
        hits = await call(
            "search", query='"change of control" OR terminat*', documents=[worst["document"]]
        )
        assert {each["document"] for each in hits["hits"]} == {worst["document"]}
        await call("card", document=worst["document"])
        await call("outline", document=worst["document"], depth=1)
        report = await call("ask", question="Who may end it without cause?", collection=name)
        assert report["sentences"]
        await call("answer", answer=report["answer"])

    with served(path, settings, McpSettings(write=True)) as url:
        talk(url, asks)
    assert sum(size for _, size in sizes) <= MAX_CHARACTERS, sizes
    assert max(size for _, size in sizes) <= DEFAULT, sizes
