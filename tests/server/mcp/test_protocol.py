"""MCP: the tools, resources and prompts, asked by a real client over HTTP and over stdio."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters, types

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.llm import FakeModel, Port
from fourcorners.operations.principal import Role, Scope
from fourcorners.playbooks.bank.store import BankClause, store_clauses
from fourcorners.research.tool import ToolQuery
from fourcorners.server.api.findings import FindingValue
from fourcorners.server.app import create_app
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.mcp import answer_tools as answering
from fourcorners.settings import Settings
from fourcorners.source_settings import ExternalSettings, McpSettings
from tests.server.conftest import LEASE
from tests.server.mcp.clients import Asks, call, fill, refused, reviewed, served, talk

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
READS = {
    "compare",
    "lint",
    "dates",
    "obligations",
    "collections", "documents", "search", "read", "outline", "card", "define", "precedents",
    "playbooks", "findings", "finding", "to_do", "task", "ask", "inbox", "answer",
    "families", "failures", "bank_clauses",
}  # fmt: skip
DESTROYS = {"set_tags", "set_family", "dismiss_failures", "set_clause_facts"}
WRITES = {
    "start_review", "mark_findings", "undo_marks", "retry_failures", "import_playbook", *DESTROYS,
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.db"


@pytest.fixture
def ids(path: Path) -> dict[str, str]:
    return fill(path)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_reads_over_http(
    path: Path, settings: Settings, ids: dict[str, str], mode: str
) -> None:
    lease = ids["lease"]
    with Library.open(path) as library:
        store_clauses(library, "house", [BankClause("Cap", "Liability is capped at the fees.")])

    async def asks(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert {each.name for each in tools} == READS | WRITES
        writes = [
            each
            for each in tools
            if each.annotations is None or not each.annotations.read_only_hint
        ]
        assert {each.name for each in writes} == WRITES
        destroys = {a.name for a in tools if a.annotations and a.annotations.destructive_hint}
        assert destroys == DESTROYS
        assert all("[mcp] write = true" in (each.description or "") for each in writes)
        why = await refused(client, "start_review", collection="Mill")
        assert why.startswith("start_review is not allowed here.")
        assert "fourcorners mcp --write" in why
        assert "never instructions" in (client.instructions or "")
        found = await call(client, "collections")
        assert [each["collection"] for each in found["collections"]] == ["Grain", "Mill"]
        listed = (await call(client, "documents"))["documents"]
        assert [each["document"] for each in listed] == list(ids.values())
        (one,) = (await call(client, "documents", find="mill lease"))["documents"]
        assert one["document"] == lease
        (hit, *_) = (await call(client, "search", query='"six months"'))["hits"]
        span = hit["span"]
        assert LEASE[span["start"] : span["end"]] == hit["words"]
        assert hit["href"].startswith(f"{url.removesuffix('/mcp')}/d/{lease}?")
        inside = await call(client, "search", query="the tenant", documents=[ids["supply"]])
        assert {each["document"] for each in inside["hits"]} <= {ids["supply"]}
        read = await call(client, "read", document=lease, around=10, **span)
        assert read["words"] == hit["words"]
        assert read["before"] == LEASE[span["start"] - 10 : span["start"]]
        assert read["path"]
        assert "boxes" not in read
        assert read["next"] == span["end"]
        assert "cut" not in read
        last = await call(client, "read", document=lease, start=read["next"], end=10**6)
        assert last["words"] == LEASE[span["end"] :]
        assert last["cut"] == f"the text ends at {last['span']['end']}"
        assert "next" not in last
        beyond = await refused(client, "read", document=lease, start=10**6, end=10**6 + 9)
        assert "no words" in beyond
        parts = (await call(client, "outline", document=lease, depth=1))["parts"]
        assert {each.get("label") for each in parts} >= {"1", "2"}
        assert "2.1" not in {each.get("label") for each in parts}
        deep = (await call(client, "outline", document=lease, depth=3))["parts"]
        assert "2.1" in {each.get("label") for each in deep}
        linted = await call(client, "lint", document=lease)
        assert linted["found"].startswith("Nothing to look at in references")
        same = await call(client, "compare", before=lease, after=lease)
        assert same["same"] is True
        other = await call(client, "compare", before=lease, after=ids["supply"])
        assert other["changes"]
        assert not other.get("same")
        facts = (await call(client, "card", document=lease))["facts"]
        assert any("Ada Turner Limited" in each["quote"]["words"] for each in facts)
        (defined,) = (await call(client, "define", term="“tenant”"))["definitions"]
        assert defined["quote"]["document"] == lease
        assert "Bram Miller" in defined["quote"]["words"]
        (best, *_) = (
            await call(client, "precedents", query="cap on liability", collection="Grain")
        )["precedents"]
        assert "capped" in best["clause"]["words"]
        (best, *_) = (await call(client, "precedents", draft="Liability is capped.", bank="house"))[
            "precedents"
        ]
        assert best["clause"]["words"] == "Liability is capped at the fees."
        assert best["bank_clause"]
        assert best["alike"] < 100

    with served(path, settings) as url:
        talk(url, asks, mode=mode)


def test_an_answer_by_rules(path: Path, settings: Settings, ids: dict[str, str]) -> None:
    async def asks(client: Client) -> None:
        question = "How much notice must the Tenant give to end this lease?"
        found = await call(client, "ask", question=question, documents=[ids["lease"]])
        quotes = [q for each in found["sentences"] for q in each["quotes"]]
        assert any("six months" in each["words"] for each in quotes)
        assert all(
            LEASE[each["span"]["start"] : each["span"]["end"]] == each["words"] for each in quotes
        )
        assert found["made_by"] == "no language model"
        assert found["read"] == [ids["lease"]]
        ours = "How much notice must we give to end this lease?"
        for party in (["Tenant"], "Tenant"):
            found = await call(client, "ask", question=ours, read_for=party)
            assert "Asked for: Tenant" in found["headline"]
        told = await refused(client, "ask", question=question, rules=False)
        assert "does not answer here" in told
        assert "not found" in await refused(client, "ask", question="x", documents=["f" * 16])

    with served(path, settings) as url:
        talk(url, asks)


@pytest.mark.usefixtures("ids")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_question_tells_how_far_it_is_and_its_report_is_kept(
    path: Path, settings: Settings, mode: str
) -> None:
    question = "How much notice must the Tenant give, and who is the Landlord?"
    told: list[tuple[float, float | None, str | None]] = []
    kept: dict[str, Any] = {}

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def asks(client: Client) -> None:
        asked = {"question": question, "collection": "Mill"}
        answer = await client.call_tool("ask", asked, progress_callback=heard)
        assert answer.structured_content is not None
        kept.update(answer.structured_content)
        assert await call(client, "answer", answer=kept["answer"]) == kept
        assert "not found" in await refused(client, "answer", answer="f" * 12)

    with served(path, settings) as url:
        talk(url, asks, mode=mode)
        site = url.removesuffix("/mcp")
        assert kept["href"] == f"{site}/ask/{kept['answer']}"
        page = httpx2.get(kept["href"]).text
        report = httpx2.get(f"{site}/api/v1/answers/{kept['answer']}").json()
        listed = httpx2.get(f"{site}/api/v1/answers", params={"collection": "Mill"}).json()
    assert [done for done, _, _ in told] == sorted({done for done, _, _ in told})
    assert all(most is not None and done <= most for done, most, _ in told)
    assert any(words and words.startswith("Looks for: ") for _, _, words in told)
    assert any(words and words.startswith("Found ") for _, _, words in told)
    assert told[-1][0] == told[-1][1]
    assert "How this answer was reached" in page
    assert "six months" in page
    assert [each["id"] for each in listed["items"]] == [kept["answer"]]
    assert report["turns"][0]["asked"] == question
    assert {each["agent"] for each in report["record"]} == {"rules"}
    quotes = [q for each in report["answer"] for q in each["quotes"]]
    assert quotes
    assert all(
        LEASE[each["span"]["start"] : each["span"]["end"]] == each["words"] for each in quotes
    )


@pytest.mark.usefixtures("ids")
def test_a_model_answers_where_it_is_allowed(
    path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unset(client: Client) -> None:
        told = await refused(client, "ask", question="Who pays?", rules=False)
        assert "no language model is configured" in told

    with served(path, settings, McpSettings(with_model=True)) as url:
        talk(url, unset)

    model = FakeModel(lambda _: "no JSON")

    @contextmanager
    def opened(*_: object, **__: object) -> Iterator[Port]:
        with Port.for_model(model, attempts=1) as port:
            yield port

    monkeypatch.setattr(answering, "is_configured", lambda _: True)
    monkeypatch.setattr(answering, "library_port", opened)

    async def asks(client: Client) -> None:
        found = await call(client, "ask", question="Who pays the rent?", rules=False)
        assert found["stopped"].startswith("in turn 1")
        assert "it failed" in found["made_by"]

    with served(path, settings, McpSettings(with_model=True)) as url:
        talk(url, asks)
    assert model.requests


def test_findings_and_a_review(path: Path, settings: Settings, ids: dict[str, str]) -> None:
    async def asks(client: Client) -> None:
        tools = {each.name: each for each in (await client.list_tools()).tools}
        annotations = tools["start_review"].annotations
        assert annotations is not None
        assert annotations.read_only_hint is False
        assert (await call(client, "findings", collection="Mill"))["findings"] == []
        await reviewed(client, "Mill")
        books = (await call(client, "playbooks"))["playbooks"]
        assert "due-diligence" in {each["playbook"] for each in books}
        whole = await call(
            client, "findings", collection="Mill", state="any", max_characters=100_000
        )
        cells = whole["findings"]
        assert "next" not in whole
        assert {each["document"] for each in cells} == {ids["lease"]}
        assert whole["titles"].keys() == {ids["lease"]}
        assert len({each["provision"] for each in cells}) == len(cells)
        assert sum(whole["counts"].values()) == len(cells)
        parts: list[Any] = []
        cursor: str | None = ""
        while cursor is not None:
            part = await call(
                client, "findings", collection="Mill", state="any", cursor=cursor,
                max_characters=2_000,
            )  # fmt: skip
            assert len(json.dumps(part)) < 2_500
            parts += part["findings"]
            cursor = part.get("next")
        assert parts == cells
        found = (await call(client, "findings", collection="Mill"))["findings"]
        assert found
        for each in found:
            [quote] = each["quotes"]
            assert LEASE[quote["span"]["start"] : quote["span"]["end"]] == quote["words"]
            only = await call(client, "findings", collection="Mill", provision=each["provision"])
            assert only["findings"] == [each]
            cell = {"document": each["document"], "provision": each["provision"]}
            one = await call(client, "finding", **cell)
            base = url.removesuffix("/mcp")
            place = f"documents/{each['document']}/findings/{each['provision']}"
            with httpx2.Client() as rest:
                sent = rest.get(f"{base}/api/v1/{place}").json()
            here = json.loads(json.dumps(one).replace(base, ""))
            assert FindingValue(**sent) == FindingValue(**here)
            for quote in one["quotes"]:
                span = quote["span"]
                assert LEASE[span["start"] : span["end"]] == quote["words"]
        unknown = {"collection": "Mill", "provision": "Change of control clause"}
        assert "change-of-control" in await refused(client, "findings", **unknown)
        cell = {"document": ids["lease"], "provision": "assignement"}
        assert "mean 'assignment'?" in await refused(client, "finding", **cell)
        unknown = {"collection": "Mill", "playbook": "due_diligence"}
        assert "due-diligence" in await refused(client, "findings", **unknown)

    with served(path, settings, McpSettings(write=True)) as url:
        talk(url, asks)


def test_findings_say_what_is_not_reviewed(
    path: Path, settings: Settings, ids: dict[str, str]
) -> None:
    async def asks(client: Client) -> None:
        found = await call(client, "findings", collection="Mill", playbook="nda-review")
        assert found["findings"] == []
        assert found["reviewed"] == {"reviewed": 0, "contracts": 1}
        start = "start_review(collection='Mill', playbook='nda-review')"
        assert found["warning"] == f"Not reviewed by nda-review yet: {start}."
        await reviewed(client, "Mill")
        found = await call(client, "findings", collection="Mill")
        assert found["reviewed"] == {"reviewed": 1, "contracts": 1}
        assert "warning" not in found
        with Library.open(path) as library:
            file = path.parent / "second.txt"
            file.write_text(LEASE.replace("MILL", "BARN"))
            made = prepare_file(file)
            assert isinstance(made, PreparedFile)
            library.add_columns(made.columns, None, collection="Mill")
        found = await call(client, "findings", collection="Mill")
        assert found["warning"].startswith("1 of 2 contracts not reviewed by due-diligence yet:")
        assert ids["lease"] in {each["document"] for each in found["findings"]}

    with served(path, settings, McpSettings(write=True)) as url:
        talk(url, asks)


def test_resources_and_prompts(path: Path, settings: Settings, ids: dict[str, str]) -> None:
    address = f"fourcorners://documents/{ids['lease']}"

    async def asks(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert str(listed[0].uri) == address
        (text,) = (await client.read_resource(address)).contents
        assert isinstance(text, types.TextResourceContents)
        assert text.text == LEASE.rstrip("\n") or text.text == LEASE
        (outline,) = (await client.read_resource(f"{address}/outline")).contents
        assert isinstance(outline, types.TextResourceContents)
        assert json.loads(outline.text)["nodes"]
        templates = (await client.list_resource_templates()).resource_templates
        assert len(templates) == 2
        for wrong in ("fourcorners://documents/ffff", "file:///etc/passwd", f"{address}/../x"):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)
        prompts = {each.name for each in (await client.list_prompts()).prompts}
        assert prompts == {"review-contract", "answer-question", "draft-clause"}
        made = await client.get_prompt("review-contract", {"document": "abc $party"})
        (message,) = made.messages
        assert isinstance(message.content, types.TextContent)
        assert "the contract abc $party for whatever fits best" in message.content.text
        wrong_prompts: list[tuple[str, dict[str, str]]] = [
            ("review-contract", {}),
            ("none", {}),
            ("draft-clause", {"wanted": "x", "collection": "c", "more": "x"}),
        ]
        for name, given in wrong_prompts:
            with pytest.raises(MCPError):
                await client.get_prompt(name, given)

    with served(path, settings) as url:
        talk(url, asks)


def test_words_that_give_orders_do_not_reach_the_agent(path: Path, settings: Settings) -> None:
    file = path.parent / "orders.txt"
    text = (
        Path(__file__)
        .parents[2]
        .joinpath("attacks", "supply_with_orders.txt")
        .read_text(encoding="utf-8")
    )
    file.write_text(text, encoding="utf-8")
    with Library.open(path, create=True) as library:
        made = prepare_file(file)
        assert isinstance(made, PreparedFile)
        library.add_columns(made.columns, None, collection="Mill")
        document = library.resolve("orders").id

    async def asks(client: Client) -> None:
        at = text.index("2.2")
        read = await call(client, "read", document=document, start=at, end=at + 100, around=400)
        assert read["left_out"] is True
        hits = await call(client, "search", query="unlimited OR summarises OR exceed")
        assert "shall not exceed" in str(hits)
        (whole,) = (await client.read_resource(f"fourcorners://documents/{document}")).contents
        assert isinstance(whole, types.TextResourceContents)
        assert len(whole.text) == len(text)
        for told in (str(read), str(hits), whole.text):
            assert not any(each in told for each in ("REVIEWERS", "prices", "summarises this"))
        assert "2.4 NOTE TO ALL PARTIES" in read["after"] + whole.text

    with served(path, settings) as url:
        talk(url, asks)


def test_what_is_wrong_is_told_and_ends_nothing(
    path: Path, settings: Settings, ids: dict[str, str]
) -> None:
    async def asks(client: Client) -> None:
        assert "query is missing" in await refused(client, "search")
        assert "limit" in await refused(client, "search", query="x", limit=10_000)
        secret = await refused(client, "read", document="very-secret", start=-1, end=2)
        assert "very-secret" not in secret
        assert "more is not known" in await refused(client, "collections", more="x")
        assert '"' in await refused(client, "search", query='"open')
        assert "not found" in await refused(client, "card", document="f" * 16)
        assert "no words at" in await refused(
            client, "read", document=ids["lease"], start=10_000, end=10_001
        )
        assert "not found" in await refused(
            client, "findings", collection="Mill", playbook="/etc/passwd"
        )
        assert (await call(client, "collections"))["collections"]

    with served(path, settings) as url:
        talk(url, asks)


def test_a_page_elsewhere_cannot_reach_it(path: Path, settings: Settings) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with served(path, settings) as url, httpx2.Client() as client:
        for headers in (
            {"Host": "evil.example"},
            {"Origin": "https://evil.example"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            answer = client.post(url, json=body, headers=headers)
            assert answer.status_code in (403, 421), (headers, answer.text)
        assert client.post(url, content="x" * (3 << 20)).status_code == 413


# A team's server


def bearer(path: Path, name: str, role: Role, collection: str, scope: Scope = Scope.READ) -> str:
    with Library.open(path, create=False) as library:
        accounts = Accounts(library)
        accounts.add(name, "a short sentence is good", by="test")
        accounts.grant(name, role, collection, by="test")
        return ApiTokens(library).add(name, [scope], "test", 1, by="test")


def test_walls(path: Path, settings: Settings, ids: dict[str, str]) -> None:
    """What Bram may not see cannot be told from what is not there."""
    token = bearer(path, "bram", Role.READER, "Mill", Scope.ADMIN)
    supply, missing = ids["supply"], "f" * 16

    async def asks(client: Client) -> None:
        single = ("card", "outline", "read", "finding")
        told: list[Any] = [
            await call(client, "collections"),
            await call(client, "documents"),
            await call(client, "search", query="liability"),
            await call(client, "search", query="what is the liability of Oats"),
            await call(client, "define", term="Oats Limited"),
            await call(client, "ask", question="What is the cap on liability?"),
            str((await client.list_resources()).resources),
        ]
        for tool, given in (
            ("card", {}), ("outline", {}), ("read", {"start": 0, "end": 5}),
            ("define", {"term": "x"}), ("ask", {"question": "x"}), ("search", {"query": "x"}),
            ("findings", {"collection": "Mill"}), ("finding", {"provision": "assignment"}),
        ):  # fmt: skip
            answers = [
                (await refused(client, tool, **given, **(
                    {"document": each} if tool in single else {"documents": [each]}
                ))).replace(each, "")
                for each in (supply, missing)
            ]  # fmt: skip
            assert answers[0] == answers[1], tool
            told.append(answers)
        for tool, given in (
            ("documents", {}), ("search", {"query": "x"}), ("precedents", {"query": "x"}),
            ("findings", {}), ("ask", {"question": "x"}), ("start_review", {}),
        ):  # fmt: skip
            answers = [
                (await refused(client, tool, **given, collection=each)).replace(each, "")
                for each in ("Grain", "Nowhere")
            ]
            assert answers[0] == answers[1], tool
        for form in ("fourcorners://documents/{}", "fourcorners://documents/{}/outline"):
            errors = []
            for each in (supply, missing):
                with pytest.raises(MCPError) as caught:
                    await client.read_resource(form.format(each))
                errors.append(str(caught.value).replace(each, ""))
            assert errors[0] == errors[1]
        for words in ("Oats", "supply", supply, "Grain"):
            assert words not in json.dumps(told), words
        assert "role" in await refused(client, "start_review", collection="Mill")

    with served(path, settings, McpSettings(write=True), team=True) as url:
        talk(url, asks, token)


@pytest.mark.usefixtures("ids")
def test_a_token_is_needed_and_its_scope_counts(path: Path, settings: Settings) -> None:
    reads = bearer(path, "ada", Role.ADMIN, ALL_COLLECTIONS)
    writes = bearer(path, "cleo", Role.REVIEWER, "Mill", Scope.WRITE)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    async def of_a_reader(client: Client) -> None:
        assert len((await call(client, "documents"))["documents"]) == 2
        assert "role" in await refused(client, "start_review", collection="Mill")

    async def of_a_writer(client: Client) -> None:
        assert (await call(client, "start_review", collection="Mill"))["asked_by"] == "cleo"

    with served(path, settings, McpSettings(write=True), team=True) as url:
        with httpx2.Client() as client:
            for headers in ({}, {"Authorization": "Bearer fc_x"}, {"Cookie": "a=b"}):
                answer = client.post(url, json=body, headers=headers)
                assert answer.status_code == 401, answer.text
                assert answer.headers["www-authenticate"] == "Bearer"
        talk(url, of_a_reader, reads)
        talk(url, of_a_writer, writes)
    with Library.open(path, create=False) as library:
        events = [(each.event, json.loads(each.detail)) for each in library.audit_trail()]
    assert ("task", "cleo") in [(event, detail.get("by")) for event, detail in events]


def test_there_is_no_mcp_unless_it_is_asked_for(path: Path, settings: Settings) -> None:
    from fastapi.testclient import TestClient

    with TestClient(create_app(path, settings), base_url="http://localhost") as client:
        assert client.post("/mcp", json={}).status_code == 404


# Over standard input and output


def test_a_client_starts_it(path: Path, ids: dict[str, str], tmp_path: Path) -> None:
    async def asks(client: Client) -> None:
        tools = {each.name for each in (await client.list_tools()).tools}
        assert tools == READS | WRITES
        (hit, *_) = (await call(client, "search", query='"six months"'))["hits"]
        assert hit["href"].startswith(f"http://localhost:8844/d/{ids['lease']}?")
        found = await call(client, "ask", question="How much notice must the Tenant give?")
        assert found["sentences"]
        assert "mcp --write" in await refused(client, "start_review", collection="Mill")
        assert (await client.list_prompts()).prompts

    started(path, tmp_path, asks, "--links", "http://localhost:8844")


def test_a_client_that_may_write_starts_a_review(
    path: Path, ids: dict[str, str], tmp_path: Path
) -> None:
    async def asks(client: Client) -> None:
        await reviewed(client, "Mill")
        found = await call(client, "findings", collection="Mill", documents=[ids["lease"]])
        assert found["findings"]

    started(path, tmp_path, asks, "--write")


def started(path: Path, folder: Path, asks: Asks, *options: str) -> None:
    program = [sys.executable, "-m", "fourcorners.cli.main", "mcp", "--library", str(path)]

    async def run() -> None:
        parameters = StdioServerParameters(
            command=program[0], args=[*program[1:], *options], cwd=folder, env=dict(os.environ)
        )
        with anyio.fail_after(120):
            async with Client(parameters) as client:
                await asks(client)

    anyio.run(run)


def test_our_own_researcher_can_ask_it(path: Path, settings: Settings, ids: dict[str, str]) -> None:
    from fourcorners.research.sources import external_tools

    with served(path, settings) as url:
        section = {"says": "x", "url": url, "tool": "define", "argument": "term"}
        sources = ExternalSettings.model_validate({"on": True, "mcp": {"other": section}})
        (tool,) = external_tools(["other"], sources)
        (material,) = tool.run(ToolQuery("Tenant"))
    assert ids["lease"] in material.words
    assert (material.document, material.tool) == ("", "other")
