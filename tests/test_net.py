from __future__ import annotations

import ast
import json
import re
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners import net
from fourcorners.errors import CallError, ConfigError, ModelError
from fourcorners.net import RetryPolicy, post_json
from tests.serving import Reply, Served, served

ROOT = Path(__file__).parent.parent
KEY = "sk-very-secret"
PACKAGE = ROOT / "src" / "fourcorners"
HOLDERS = (
    PACKAGE / "library" / "jobs.py",
    PACKAGE / "server" / "tasks" / "handlers" / "add.py",
)
"""What writes down which process on which machine holds a piece of work."""
LISTENERS = (
    PACKAGE / "cli" / "serve" / "commands.py",
    PACKAGE / "server" / "telemetry" / "listener.py",
)
HEADERS = {"Authorization": f"Bearer {KEY}"}

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as running:
        yield running


def patience(attempts: int = 3, timeout: float = 5.0) -> tuple[RetryPolicy, list[float]]:
    """Patience that notes its waits and does not wait."""
    waits: list[float] = []
    return RetryPolicy(timeout, attempts, waits.append), waits


def test_json_goes_and_comes(server: Served) -> None:
    server.replies = [Reply(json.dumps({"ok": "ja £"}))]
    assert post_json(server.url, {"input": ["§ 契約"]}, headers=HEADERS) == {"ok": "ja £"}
    (asked,) = server.asked
    assert asked.body == {"input": ["§ 契約"]}
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.headers["Content-Type"] == "application/json"


def test_a_form_and_bytes_are_posted_as_they_are(server: Served) -> None:
    server.answer = lambda _: Reply('{"ok": 1}')
    assert net.post_form(server.url, {"code": "a&b=c", "n": "ü"}, headers=HEADERS) == {"ok": 1}
    form, whole = server.asked[0], bytes(range(256))
    assert form.raw == b"code=a%26b%3Dc&n=%C3%BC"
    assert form.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert form.headers["Authorization"] == f"Bearer {KEY}"
    assert net.post_bytes(server.url, whole, "application/x-protobuf") == b'{"ok": 1}'
    assert server.asked[1].raw == whole
    assert server.asked[1].headers["Content-Type"] == "application/x-protobuf"
    assert server.asked[1].headers["Accept"] == "application/x-protobuf"


def test_a_redirect_takes_neither_a_form_nor_bytes_along(server: Served) -> None:
    server.answer = lambda _: Reply("", 307, {"Location": f"{server.url}/elsewhere"})
    with pytest.raises(CallError, match="307"):
        net.post_form(server.url, {"code": "x"}, retry_policy=patience(1)[0])
    with pytest.raises(CallError, match="307"):
        net.post_bytes(server.url, b"x", "text/plain", retry_policy=patience(1)[0])
    assert [each.path for each in server.asked] == ["/v1", "/v1"]


def test_what_is_asked_for_comes(server: Served) -> None:
    server.answer = lambda _: Reply('{"ok": "ja £"}')
    assert net.get_json(server.url, {"q": "a & ü\ud800"}, headers=HEADERS) == {"ok": "ja £"}
    assert net.get_json(f"{server.url}?x=1", {"q": "b"}) == {"ok": "ja £"}
    first, second = server.asked
    assert first.path == "/v1?q=a+%26+%C3%BC%3F"
    assert first.headers["Authorization"] == f"Bearer {KEY}"
    assert second.path == "/v1?x=1&q=b"
    with pytest.raises(CallError, match="more than 0 MB"):
        net.get_json(server.url, {}, most_bytes=5)
    with pytest.raises(ConfigError, match="not the URL"):
        net.get_json("file:///etc/passwd", {})


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(server: Served, status: int) -> None:
    server.replies = [Reply("{}", status), Reply("{}", status), Reply("[1]")]
    how, waits = patience()
    assert post_json(server.url, {}, retry_policy=how) == [1]
    assert len(server.asked) == 3
    assert len(waits) == 2
    assert 0.3 < waits[0] < 0.7 < waits[1] < 1.3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
def test_what_will_not_pass_is_not(server: Served, status: int) -> None:
    server.replies = [Reply("{}", status)]
    how, waits = patience()
    with pytest.raises(CallError, match=f"answered {status}") as caught:
        post_json(server.url, {}, retry_policy=how)
    assert caught.value.status == status
    assert isinstance(caught.value, ModelError)
    assert (len(server.asked), waits) == (1, [])


def test_the_server_says_how_long_to_wait(server: Served) -> None:
    server.replies = [Reply("{}", 429, {"Retry-After": "7"}), Reply("{}")]
    how, waits = patience()
    assert post_json(server.url, {}, retry_policy=how) == {}
    assert waits == [7.0]
    later = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))
    server.replies = [Reply("{}", 503, {"Retry-After": later}), Reply("{}")]
    how, waits = patience()
    post_json(server.url, {}, retry_policy=how)
    assert 25 < waits[0] <= 30


@pytest.mark.parametrize("value", ["soon", "-3", "", "1e9", "Wed, 99 Foo"])
def test_a_strange_wait_is_no_wait(server: Served, value: str) -> None:
    server.replies = [Reply("{}", 429, {"Retry-After": value}), Reply("{}")]
    how, waits = patience()
    assert post_json(server.url, {}, retry_policy=how) == {}
    assert waits[0] < 1


def test_a_server_that_asks_for_an_hour_is_not_waited_for(server: Served) -> None:
    server.replies = [Reply("{}", 429, {"Retry-After": "3600"})]
    how, waits = patience()
    with pytest.raises(CallError, match="asks to wait 3600 seconds"):
        post_json(server.url, {}, retry_policy=how)
    assert waits == []


def test_attempts_end(server: Served) -> None:
    server.replies = [Reply('{"error": {"message": "too many"}}', 429)] * 3
    how, waits = patience()
    with pytest.raises(CallError, match=r"429 \(Too Many Requests\), 3 times: too many\."):
        post_json(server.url, {}, retry_policy=how)
    assert (len(server.asked), len(waits)) == (3, 2)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"message": "no such model"}}', "no such model"),
        ('{"error": "model not found"}', "model not found"),
        ('{"detail": "bad input"}', "bad input"),
        ("plain\x1b[31m words\n", "plain [31m words"),
        ("<html>a page</html>", ""),
        ('{"other": 1}', ""),
        ("[" * 10_000, "["),
    ],
)
def test_the_servers_own_words_are_told_on_one_line(server: Served, body: str, said: str) -> None:
    server.replies = [Reply(body, 400)]
    with pytest.raises(CallError) as caught:
        post_json(server.url, {})
    assert said in caught.value.message
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_a_key_is_never_told(server: Served, status: int) -> None:
    server.replies = [Reply(f'{{"error": {{"message": "Incorrect key {KEY}"}}}}', status)]
    with pytest.raises(CallError) as caught:
        post_json(server.url, {}, headers=HEADERS, retry_policy=patience(1)[0])
    assert KEY not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(ConfigError, match="Copy the key again") as refused:
        post_json(server.url, {}, headers={"Authorization": f"Bearer {KEY}\n"})
    assert KEY not in "".join(traceback.format_exception(refused.value))


def test_no_answer_in_time(server: Served) -> None:
    server.replies = [Reply("{}", delay=2.0), Reply("{}")]
    how, waits = patience(2, timeout=0.2)
    assert post_json(server.url, {}, retry_policy=how) == {}
    assert len(waits) == 1
    server.replies = [Reply("{}", delay=2.0)]
    with pytest.raises(CallError, match="no answer in time") as caught:
        post_json(server.url, {}, retry_policy=patience(1, timeout=0.2)[0])
    assert caught.value.status is None


def test_an_answer_that_trickles_ends_in_time(server: Served) -> None:
    server.replies = [Reply('"' + "x" * 1_000 + '"', pause=0.05)]
    began = time.monotonic()
    with pytest.raises(CallError, match="no answer in time"):
        post_json(server.url, {}, retry_policy=patience(1, timeout=0.3)[0])
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("body", ["", "nonsense", "{", "[" * 100_000])
def test_an_answer_that_is_no_json(server: Served, body: str) -> None:
    server.replies = [Reply(body)]
    with pytest.raises(CallError, match="is no JSON"):
        post_json(server.url, {}, retry_policy=patience()[0])
    assert len(server.asked) == 1


def test_an_answer_that_breaks_off_is_asked_for_again(server: Served) -> None:
    server.replies = [Reply("[1, 2", length=500), Reply("[1, 2]")]
    assert post_json(server.url, {}, retry_policy=patience()[0]) == [1, 2]


def test_an_answer_without_end_is_not_read(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net, "MAX_BYTES", 1 << 20)
    server.replies = [Reply('"' + "x" * (2 << 20) + '"')]
    with pytest.raises(CallError, match="more than 1 MB"):
        post_json(server.url, {})


def test_a_redirect_is_not_followed(server: Served) -> None:
    with served() as other:
        server.replies = [Reply("", 302, {"Location": other.url})]
        with pytest.raises(CallError, match="answered 302"):
            post_json(server.url, {}, headers=HEADERS)
        server.replies = [Reply("", 307, {"Location": other.url})]
        with pytest.raises(CallError, match="answered 307"):
            post_json(server.url, {}, headers=HEADERS)
        assert other.asked == []


def test_a_server_of_this_machine_is_called_without_a_proxy(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:3128")
    monkeypatch.setenv("http_proxy", "http://192.0.2.1:3128")
    server.replies = [Reply("{}")]
    assert post_json(server.url, {}) == {}


def test_where_nothing_listens() -> None:
    with served() as gone:
        url = gone.url
    how, waits = patience(2)
    with pytest.raises(CallError, match="nothing listens there, 2 times"):
        post_json(url, {}, retry_policy=how)
    assert len(waits) == 1


@pytest.mark.parametrize(
    "url",
    ["", "host", "ftp://host/v1", "file:///etc/passwd", "http://", "http://h ost/", "http://a:b/"],
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        post_json(url, {})


def test_a_password_in_a_url_is_refused_and_not_told() -> None:
    with pytest.raises(ConfigError, match="holds a name or password") as caught:
        post_json(f"https://user:{KEY}@host/v1", {})
    assert KEY not in str(caught.value)


def test_no_other_module_can_call_out() -> None:
    ways = {"socket", "ssl", "http", "urllib", "requests", "aiohttp", "ftplib", "smtplib"}
    ways |= {"httpx", "httpx2", "openai", "anthropic", "google"}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if isinstance(node, ast.ImportFrom) and [each.name for each in node.names] == [
                "HTTPStatus"
            ]:
                continue  # numbers and their names
            # The second reads and writes messages, and sends none.
            harmless = {"urllib.parse", "google.protobuf.message"}
            harmless |= {"socket"} if path in (*HOLDERS, *LISTENERS) else set()
            found = {name for name in names if name.split(".")[0] in ways} - harmless
            assert not found or path.name in ("net.py", "smtp.py", "syslog.py"), f"{path}: {found}"


def test_the_sdk_of_mcp_calls_out_through_our_client_alone() -> None:
    callers = [
        path
        for path in (ROOT / "src").rglob("*.py")
        if re.search(r"mcp\.client|from mcp import .*Client", path.read_text("utf-8"))
    ]
    (caller,) = callers
    assert caller.name == "mcp_server.py"
    text = caller.read_text("utf-8")
    assert re.findall(r"streamable_http_client\((.*)\)", text) == [
        "settings.url, http_client=speaker"
    ]
    assert "speaker = http_client(settings.url" in text


@pytest.mark.parametrize("path", HOLDERS, ids=lambda path: path.stem)
def test_who_holds_something_asks_only_for_the_machines_name(path: Path) -> None:
    assert set(re.findall(r"socket\.(\w+)", path.read_text("utf-8"))) == {"gethostname"}
