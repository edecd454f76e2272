"""Processes: who is alive, what they may use, and how they end with their children.

No package is needed, and what a system lacks is imported and named only where it exists.
"""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

_TREE_SECONDS = 10  # that `taskkill` may take


def usable_cores() -> int:
    """Count the cores that this process may run on, where that is known, or else all."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    return len(os.sched_getaffinity(0))


def is_running(pid: int) -> bool:
    """Tell whether a process runs; on Windows, which has no harmless way to ask, always true."""
    if sys.platform == "win32":  # signal 0 is Ctrl-C there
        return True
    try:
        with suppress(PermissionError):  # it is there, and another user's
            os.kill(pid, 0)  # sends nothing
    except ProcessLookupError:
        return False
    return True


@cache
def boot_id() -> str:
    """Return an id of this boot of the machine; empty if unknown, as on macOS and Windows."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii")[:8]
    except OSError:
        return ""


def start_time(pid: int) -> str:
    """Return when a process started, in clock ticks; empty if unknown, as on macOS and Windows."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    state, began = fields[0], fields[19]  # SEE: man 5 proc, the fields 3 and 22
    return "ended" if state in "ZX" else began


def has_parent(pid: int) -> bool:
    """Tell whether this process is still that one's child; on Windows, where it stays so, true."""
    return sys.platform == "win32" or os.getppid() == pid


def user_id() -> str:
    """Return what tells the user of this process from others; their name on Windows."""
    if sys.platform == "win32":
        return os.environ.get("USERNAME", "")
    return str(os.getuid())


def belongs_to_user(path: Path) -> bool:
    """Tell whether a path is this user's and no link.

    Windows says nothing of the owner; its temporary folder is in the user's profile.
    """
    if path.is_symlink():
        return False
    if sys.platform == "win32":
        return True
    return path.stat().st_uid == os.getuid()


def background_flags() -> int:
    """Return the flags that start a process at low priority on Windows; elsewhere it yields."""
    if sys.platform == "win32":
        return subprocess.BELOW_NORMAL_PRIORITY_CLASS
    return 0


def lower_priority(niceness: int) -> None:
    """Let other processes go before this one; on Windows see `background_flags`."""
    if sys.platform != "win32":
        already = os.getpriority(os.PRIO_PROCESS, 0)  # to go back needs a right
        os.setpriority(os.PRIO_PROCESS, 0, max(already, niceness))


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that was started with `start_new_session`, and what it started; await it."""
    if sys.platform == "win32":
        if process.poll() is None and (program := shutil.which("taskkill")):
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(  # noqa: S603 - the system's program, no shell
                    [program, "/T", "/F", "/PID", str(process.pid)],
                    capture_output=True,
                    timeout=_TREE_SECONDS,
                    check=False,
                )
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def limit_memory(allowance: int | None) -> None:
    """Let this process grow by `allowance` bytes of address space (None: without limit).

    Only Linux counts and enforces this; elsewhere the time limit has to do. No core file is
    written, which would hold text of contracts.
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform != "linux":
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if allowance is None:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        return
    with open("/proc/self/statm", "rb") as statm:  # noqa: PTH123 - not a path of the user's
        used = int(statm.read().split()[0]) * resource.getpagesize()
    limit = used + allowance
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def memory_bytes(pid: int) -> int:
    """Return the memory that a process holds; 0 where that is unknown."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * mmap.PAGESIZE
