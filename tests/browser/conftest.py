"""A real Chromium, headless, spoken to over a pipe: no socket is opened."""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fourcorners import reports
from fourcorners.review.finding import Review
from tests.server.conftest import cheap_hashes  # noqa: F401 - a fixture

_KEYS = {
    "ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40,
    "Enter": 13, "Escape": 27, "Tab": 9, "Home": 36, "End": 35, "PageDown": 34,
}  # fmt: skip
_PATIENCE = 60.0
# Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
_LAUNCH = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3])
os.dup2(read, 3)
os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


Place = tuple[float, float]
"""A point of the window, in CSS pixels."""


class Page:
    """One tab, by the Chrome DevTools protocol."""

    def __init__(self, program: str, profile: Path) -> None:
        from_us, to_them = os.pipe()
        from_them, to_us = os.pipe()
        switches = (
            "headless no-sandbox disable-gpu no-first-run disable-background-networking "
            f"disable-component-update disable-sync user-data-dir={profile} remote-debugging-pipe"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(from_us), str(to_us), program]
            + [f"--{switch}" for switch in switches.split()]
            + ["about:blank"],
            pass_fds=(from_us, to_us),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(to_us)
        self._out, self._in = to_them, from_them
        self._rest = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []

    def connect(self) -> None:
        """Open the tab and listen to what it says."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; events that come first are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], _PATIENCE)
            assert ready, "Chromium does not answer"
            data = os.read(self._in, 1 << 20)
            assert data, "Chromium has ended"
            self._rest += data
        message, self._rest = self._rest.split(b"\0", 1)
        parsed: dict[str, Any] = json.loads(message)
        return parsed

    def view(self, width: int, height: int = 900, *, scripts: bool = True) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)

    def open(self, path: Path, place: str = "") -> None:
        """Load a file afresh and wait until it is complete."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri() + place)
        until = time.monotonic() + _PATIENCE
        while not self.eval("location.href != 'about:blank' && document.readyState == 'complete'"):
            assert time.monotonic() < until, "the page does not load"
            time.sleep(0.02)

    def eval(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str, shift: bool = False, control: bool = False) -> None:
        for key in keys:
            code = _KEYS.get(key, ord(key[0].upper()))
            typed = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
            for kind, more in (("keyDown", typed), ("keyUp", {})):
                self.call(
                    "Input.dispatchKeyEvent", type=kind, key=key, code=key,
                    windowsVirtualKeyCode=code, modifiers=8 * shift + 2 * control, **more,
                )  # fmt: skip

    def mouse(self, kind: str, place: Place, *, pressed: bool = True) -> None:
        """Send what a mouse does: `mouseMoved`, `mousePressed` or `mouseReleased`."""
        self.call(
            "Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], clickCount=1,
            button="left" if pressed else "none", buttons=int(pressed),
        )  # fmt: skip

    def pull(self, start: Place, end: Place) -> None:
        """Press the button at one place, move the mouse, and release it at another."""
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.mouse("mouseMoved", start, pressed=False)
        self.mouse("mousePressed", start)
        for place in (middle, end):
            self.mouse("mouseMoved", place)
        self.mouse("mouseReleased", end)

    def drop(self, start: Place, end: Place) -> None:
        """Drag what is at one place, as Chromium drags it, and drop it at another."""
        self.call("Input.setInterceptDrags", enabled=True)
        self.events.clear()
        self.mouse("mouseMoved", start, pressed=False)
        self.mouse("mousePressed", start)
        begun: list[dict[str, Any]] = []
        until = time.monotonic() + _PATIENCE
        for step in itertools.count(1):
            assert time.monotonic() < until, "nothing is dragged"
            self.mouse("mouseMoved", (start[0] + 4 * min(step, 5), start[1] + step % 2))
            begun = [each for each in self.events if each["method"] == "Input.dragIntercepted"]
            if begun:
                break
            time.sleep(0.05)
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call(
                "Input.dispatchDragEvent", type=kind, x=end[0], y=end[1],
                data=begun[0]["params"]["data"],
            )  # fmt: skip
        self.mouse("mouseReleased", end)
        self.call("Input.setInterceptDrags", enabled=False)

    def pdf(self) -> bytes:
        answer = self.call("Page.printToPDF", preferCSSPageSize=True)
        return base64.b64decode(answer["data"])

    def complaints(self) -> list[dict[str, Any]]:
        """Return what the console was told: exceptions, warnings, policy violations."""
        kinds = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded",
                 "Page.javascriptDialogOpening"}  # fmt: skip
        return [event for event in self.events if event.get("method") in kinds]

    def close(self) -> None:
        self._session = ""
        with contextlib.suppress(AssertionError, OSError):
            self.call("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium here: install the package chromium")
    opened = Page(program, tmp_path_factory.mktemp("profile"))
    try:
        opened.connect()
        yield opened
    finally:
        opened.close()


@pytest.fixture(scope="session")
def dealroom() -> ModuleType:
    """The reviews that the tests of the reports are made with."""
    source = Path(__file__).parent.parent / "reports" / "conftest.py"
    spec = importlib.util.spec_from_file_location("fourcorners_tests_dealroom", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up while it is being made.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def review(dealroom: ModuleType) -> Review:
    composed: Review = dealroom.compose()
    return composed


@pytest.fixture(scope="session")
def report(review: Review, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    reports.write(review, path)
    return path
