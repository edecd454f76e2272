"""Import every module of both packages as Windows would: without what only POSIX systems have.

It runs as a program. What the packages depend on is imported first, as it is on this system;
then our modules are imported once more. `os.name` stays, because `pathlib` would make paths that
this system cannot open; the linter refuses it in our own code.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import time

PACKAGES = ("fourcorners", "fourcorners_bench")
PROGRAMS = ("__main__", "libreoffice_script")  # the second runs in LibreOffice's own Python
MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty")
# https://docs.python.org/3.11/library/os.html and signal.html: "Availability: Unix" or "Linux"
ABSENT = {
    os: """
        O_CLOEXEC O_DIRECTORY O_DSYNC O_NOATIME O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC
        PRIO_PROCESS WNOHANG WIFSIGNALED WTERMSIG chown fchmod fchown fork forkpty getegid
        geteuid getgid getgroups getloadavg getpgid getpgrp getpriority getresuid getsid getuid
        initgroups killpg lchown lockf major mkfifo mknod nice pidfd_open posix_fadvise
        posix_spawn pread pwrite register_at_fork sched_getaffinity sched_setaffinity sendfile
        setgid setpgid setpriority setsid setuid statvfs sync sysconf uname wait wait3 wait4 waitid
    """,
    signal: """
        ITIMER_PROF ITIMER_REAL SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP
        SIGUSR1 SIGUSR2 alarm pause pthread_sigmask setitimer sigwait
    """,
    socket: "AF_UNIX socketpair SO_REUSEPORT",
    select: "epoll poll",
    time: "tzset pthread_getcpuclockid",
}


def all_modules() -> list[str]:
    found = []
    for package in PACKAGES:
        folder = importlib.import_module(package)
        found += [package, *(each.name for each in _walk(list(folder.__path__), package))]
    return [each for each in found if not each.endswith(PROGRAMS)]


def _walk(folders: list[str], package: str) -> list[pkgutil.ModuleInfo]:
    found = []
    for each in pkgutil.iter_modules(folders, f"{package}."):
        found.append(each)
        if each.ispkg:
            deeper = [f"{folder}/{each.name.rpartition('.')[2]}" for folder in folders]
            found += _walk(deeper, each.name)
    return found


def import_all(names: list[str]) -> list[str]:
    """Import the modules; returns those that cannot be, each with the reason."""
    failed = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - every reason is reported
            failed.append(f"{name}: {type(error).__name__}: {error}")
    return failed


def become_windows() -> None:
    for module, names in ABSENT.items():
        for name in names.split():
            vars(module).pop(name, None)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # so that an import fails
    vars(subprocess)["BELOW_NORMAL_PRIORITY_CLASS"] = 0x4000
    sys.platform = "win32"


def use_system() -> None:
    """Call what a start on Windows calls."""
    from pathlib import Path

    from fourcorners.system import processes
    from fourcorners.system.confinement import (
        confined,
        landlock_version,
        missing_protections,
        network_isolation,
    )
    from fourcorners.system.paths import allowed_name, find_program

    processes.limit_memory(1)  # would end this process if it held
    processes.lower_priority(5)
    assert processes.background_flags() == 0x4000
    assert processes.usable_cores() == os.cpu_count()
    assert processes.is_running(1 << 30)
    assert processes.has_parent(1 << 30)
    assert processes.belongs_to_user(Path())
    assert not landlock_version()
    assert (confined(Path()), network_isolation()) == ((), ())
    assert find_program("no-such-program") is None
    assert allowed_name("Draft: 2?.docx. ") == "Draft_ 2_.docx_"
    assert allowed_name("Con.docx") == "_Con.docx"
    assert allowed_name("Contract.docx") == "Contract.docx"
    assert len(missing_protections()) == 3


def main() -> None:
    names = all_modules()
    if failed := import_all(names):
        sys.exit("\n".join(["they cannot be imported on this system:", *failed]))
    for name in [each for each in sys.modules if each.partition(".")[0] in PACKAGES]:
        del sys.modules[name]
    become_windows()
    if failed := import_all(names):
        sys.exit("\n".join(failed))
    use_system()
    sys.stdout.write(f"{len(names)} modules\n")
    sys.stdout.flush()
    os._exit(0)  # what runs at exit may need what was taken away


if __name__ == "__main__":
    main()
