"""Reference pages that are generated from the code when the site is built."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

from mkdocs.structure.files import File, Files


def on_files(files: Files, config: object) -> Files:
    """Add the reference of the Python API and of REST, and the page on security."""
    security = (
        (Path(__file__).parent.parent / "SECURITY.md").read_text("utf-8").replace("](docs/", "](")
    )
    for path, text in (
        ("security.md", security),
        ("reference/python.md", python_reference()),
        ("reference/rest.md", rest_reference()),
    ):
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Lead to the page on security, which is next to the documentation elsewhere."""
    return markdown.replace("](../SECURITY.md)", "](security.md)")


def python_reference() -> str:
    """Return each public name of the package with its signature and docstring."""
    import fourcorners

    lines = [
        "# Python",
        "",
        "What `fourcorners` exports. Each name is loaded when it is first used.",
        "",
    ]
    for name in fourcorners.__all__:
        member = getattr(fourcorners, name)
        if isinstance(member, str):
            continue
        lines += [f"## {name}", "", "```python", f"{name}{_signature(member)}", "```", ""]
        lines += ["```text", inspect.getdoc(member) or "", "```", ""]
        if inspect.isclass(member):
            for attribute, method in inspect.getmembers(member, inspect.isfunction):
                if not attribute.startswith("_"):
                    said = (inspect.getdoc(method) or "").split("\n")[0]
                    lines.append(
                        f"- `{attribute}{_signature(method)}`: {said}"
                        if said
                        else f"- `{attribute}{_signature(method)}`"
                    )
            lines.append("")
    return "\n".join(lines)


def _signature(member: Callable[..., object]) -> str:
    try:
        return str(inspect.signature(member))
    except ValueError:
        return ""


def rest_reference() -> str:
    """Return every route of the API with its parameters, from the OpenAPI description."""
    import tempfile

    from fourcorners import Library
    from fourcorners.server.api.description import describe_api
    from fourcorners.server.app import create_app
    from fourcorners.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        Library.open(path, create=True).close()
        schema = describe_api(create_app(path, Settings(), at_once=True))
    lines = [
        "# REST",
        "",
        "Served under `/api/v1`; the description itself is at `/api/v1/openapi.json`.",
        "",
    ]
    for path, methods in schema["paths"].items():
        for method, route in methods.items():
            lines += [
                f"## {method.upper()} {path}",
                "",
                route.get("description") or route.get("summary", ""),
                "",
            ]
            parameters = route.get("parameters", [])
            if parameters:
                lines += ["| parameter | where | required | meaning |", "| --- | --- | --- | --- |"]
                for each in parameters:
                    meaning = each.get("description", "").replace("\n", " ").replace("|", "\\|")
                    required = "yes" if each.get("required") else "no"
                    lines.append(f"| `{each['name']}` | {each['in']} | {required} | {meaning} |")
                lines.append("")
    return "\n".join(lines)
