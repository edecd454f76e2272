"""Run a program that sees one folder of the user's and no network, where Linux can.

For Landlock this module is started as a program itself (`python confinement.py FOLDER PROGRAM
ARGUMENT...`), before which no package is needed. macOS and Windows give no confinement.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import subprocess
import sys
from functools import cache
from pathlib import Path

# https://docs.kernel.org/userspace-api/landlock.html; the numbers are those of all architectures.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_SET_NO_NEW_PRIVILEGES = 38  # of prctl
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_READ = _EXECUTE | _READ_FILE | _READ_FOLDER
_REMOVE_FILE, _MAKE_SOCKET = 1 << 5, 1 << 9
_RIGHTS = (13, 13, 14, 15, 15, 16)  # kinds of access to files that each version knows
_NETWORK_VERSION = 4  # the first that limits connections
_TCP = 3  # to listen, and to connect
# What programs and their fonts need; no documents are there.
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/dev", "/proc", "/sys",
    "/etc/fonts", "/etc/group", "/etc/ld.so.cache", "/etc/libreoffice", "/etc/localtime",
    "/etc/nsswitch.conf", "/etc/passwd",
    "/var/cache/fontconfig", "/var/lib/libreoffice", "/var/spool/libreoffice",
)  # fmt: skip
_CPU_SECONDS = 150  # of one process; LibreOffice may take 60 seconds of time
_FILE_BYTES = 256 << 20  # as much as is read of its output


@cache
def landlock_version() -> int:
    """Return the version of Landlock that the kernel has; 0 for none."""
    if sys.platform != "linux":
        return 0
    nothing = None, ctypes.c_size_t(0)
    return max(0, _system_call(_CREATE_RULESET, *nothing, ctypes.c_uint32(_VERSION)))


def confined(folder: Path) -> tuple[str, ...]:
    """Return a prefix that runs a command confined to a folder; empty if that is not possible."""
    if not landlock_version():
        return ()
    return (sys.executable, "-I", "-S", str(Path(__file__)), str(folder))


def missing_protections() -> tuple[str, ...]:
    """Return what is weaker here than on a current Linux, each as a sentence."""
    missing = []
    if sys.platform != "linux":
        missing.append("There is no memory limit for reading a file, only a time limit.")
    if not landlock_version():
        missing.append("LibreOffice is not confined to its copy of a contract.")
    if sys.platform == "win32":
        missing.append(
            "Files are private by the rights of their folder; keep the library in your profile."
        )
    return tuple(missing)


@cache
def network_isolation() -> tuple[str, ...]:
    """Return a prefix that runs a command without network; empty if that is not possible."""
    unshare = shutil.which("unshare")
    if unshare is None or sys.platform != "linux":
        return ()
    for options in (("--net",), ("--map-root-user", "--net")):  # the second is for non-root users
        prefix = (unshare, *options, "--")
        try:
            tried = subprocess.run(  # noqa: S603 - the program that was found, no shell
                [*prefix, "true"], capture_output=True, timeout=10, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if tried.returncode == 0:
            return prefix
    return ()


def _system_call(number: int, *arguments: object) -> int:
    found: int = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
    return found


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _confine(folder: str, program: str) -> None:
    if sys.platform != "linux":
        sys.exit("the program could not be confined")
    version = landlock_version()
    every = (1 << _RIGHTS[min(version, len(_RIGHTS)) - 1]) - 1
    has_network = version >= _NETWORK_VERSION
    rules = _Ruleset(every, _TCP if has_network else 0)
    size = ctypes.sizeof(rules) if has_network else 8
    described = ctypes.byref(rules), ctypes.c_size_t(size)
    ruleset = _require(_system_call(_CREATE_RULESET, *described, ctypes.c_uint32(0)))
    tree = str(Path(program).resolve().parent.parent)
    for path in (*_SYSTEM, tree):
        _allow(ruleset, path, _READ)
    _allow(ruleset, "/dev/null", _READ_FILE | _WRITE_FILE)
    _allow(ruleset, "/tmp", _MAKE_SOCKET | _REMOVE_FILE)  # noqa: S108 - LibreOffice's, always there
    _allow(ruleset, folder, every)
    nothing = [ctypes.c_ulong(0)] * 3
    _require(ctypes.CDLL(None).prctl(_SET_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), *nothing))
    _require(_system_call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    os.close(ruleset)


def _allow(ruleset: int, path: str, allowed: int) -> None:
    if sys.platform != "linux":
        return
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # a system without it
        return
    if not stat.S_ISDIR(os.fstat(opened).st_mode):
        allowed &= _EXECUTE | _WRITE_FILE | _READ_FILE
    rule = _Beneath(allowed, opened)
    arguments = ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), ctypes.byref(rule)
    _require(_system_call(_ADD_RULE, *arguments, ctypes.c_uint32(0)))
    os.close(opened)


def _require(result: int) -> int:
    if result < 0:
        sys.exit("the program could not be confined")
    return result


def _limit() -> None:
    if sys.platform == "win32":
        return
    import resource

    for kind, most in ((resource.RLIMIT_CPU, _CPU_SECONDS), (resource.RLIMIT_FSIZE, _FILE_BYTES)):
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))


if __name__ == "__main__":
    _limit()
    _confine(sys.argv[1], sys.argv[2])
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - what the caller names, without a shell
