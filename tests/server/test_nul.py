"""A NUL character is refused at every door, by the field that has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.settings import Settings
from fourcorners.source_settings import McpSettings
from tests.server.test_walls import Wall, operations, send, wall  # noqa: F401 - a fixture

NUL = "lea\0se"


@pytest.mark.parametrize("user", ["owner"])
def test_every_field_of_every_route_refuses_it(wall: Wall, user: str) -> None:  # noqa: F811
    passed, count = [], 0
    for operation in operations():
        for field in operation.fields:
            if (field.name, field.where) == ("files", "form"):
                continue  # bytes, not text: the test below has its name
            if operation.method in ("GET", "DELETE") and field.where in ("form", "json"):
                continue
            answer = send(wall, user, operation, field, NUL)
            count += 1
            if answer.status_code != 422:
                passed.append((str(operation), field, answer.status_code))
    assert not passed, "\n".join(map(str, passed))
    assert count > 400


@pytest.mark.parametrize("path", ["/upload", "/api/v1/documents"])
def test_the_name_of_an_uploaded_file_has_none(wall: Wall, path: str) -> None:  # noqa: F811
    body = (
        b'--x\r\nContent-Disposition: form-data; name="collection"\r\n\r\nMill\r\n--x\r\n'
        b'Content-Disposition: form-data; name="files"; filename="a\0.txt"\r\n'
        b"Content-Type: text/plain\r\n\r\nA lease.\r\n--x--\r\n"
    )
    headers = {
        "X-CSRF-Token": wall.tokens["owner"],
        "Content-Type": "multipart/form-data; boundary=x",
    }
    answer = wall.clients["owner"].post(path, content=body, headers=headers)
    assert answer.status_code in (400, 422), answer.text


@pytest.mark.parametrize("path", ["/ask", "/playbooks/import/make", "/playbooks/save"])
def test_a_form_that_is_read_by_hand_has_none(wall: Wall, path: str) -> None:  # noqa: F811
    form = {"csrf": wall.tokens["owner"], "field.provisions.0.title": NUL}
    assert wall.clients["owner"].post(path, data=form).status_code == 422


def test_the_field_is_named(wall: Wall) -> None:  # noqa: F811
    owner, headers = wall.clients["owner"], {"X-CSRF-Token": wall.tokens["owner"]}
    asked = {"question": NUL, "documents": ["a", {"b\0": "c"}]}
    answer = owner.post("/api/v1/answers", json=asked, headers=headers)
    faults = [(each["in"], each["field"], each["code"]) for each in answer.json()["errors"]]
    assert ("body", "question", "nul_character") in faults


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_tool_and_a_prompt_of_mcp_refuse_it(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    from mcp import Client, MCPError

    from tests.server.mcp.clients import refused, served, talk

    async def asks(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            for name in tool.input_schema.get("properties", {}):
                why = await refused(client, tool.name, **{name: [{"a": NUL}]})
                assert "NUL" in why, (tool.name, name)
        for prompt in (await client.list_prompts()).prompts:
            with pytest.raises(MCPError, match="NUL"):
                await client.get_prompt(prompt.name, {"question": NUL})

    path = tmp_path / "l.db"
    Library.open(path, create=True).close()
    with served(path, Settings(library=str(path)), McpSettings(write=True)) as url:
        talk(url, asks)
