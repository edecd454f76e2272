"""Run every command of the guides on a machine that is fresh but for what the guides presuppose.

    python scripts/run_docs.py [FILE ...]

By default these are docs/server.md, docs/scale.md and the comments of deploy/, in this order. The
blocks of a Markdown file (sh, sql, toml) and the lines of a comment that are moved in by four more
spaces are read from the file, and run one after the other. A block of TOML is the settings of the
commands after it, or the file that its first line names. A block after `<!-- not run: WHY -->`
is not run, nor is a command that changes what is outside of the machine; both are listed with the
reason. Ends with 1 if a command failed.

The machine is a namespace of Linux with a new home, virtual environment and PostgreSQL, in which
the example names of the guides mean this machine; its processes end with it. It needs root (or
user namespaces), PostgreSQL, and the package registry for `pip install`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GUIDES = ("docs/server.md", "docs/scale.md")
DEPLOYED = [
    str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("deploy/**/*")) if path.is_file()
]
INSTALLED = "/opt/fourcorners"  # where deploy/ installs it
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<why>.+?) -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S
)
COMMENT = re.compile(r"^#     (\S.*)$", re.M)
HOSTS = "\n127.0.0.1 db.firm.example db2.firm.example contracts.firm.example FIRST\n"
BUCKETS = "https://s3.firm.example"  # in the settings; elsewhere the environment has the address
SETTINGS = "fourcorners.toml"
NAMED = re.compile(r"# (\S+\.toml)\n")
PASSWORD = "a long enough password 1\n"  # noqa: S105 - of nobody; asked for by `users add`
SECONDS = 1800  # for a command; `pip install` is the longest
OUTSIDE = {  # what these change is not in the namespace; what checks the files that they are given
    "docker": "it starts containers; tests/deploy/test_image.py builds and starts the image",
    "kubectl": "it changes a cluster; tests/deploy/test_kubernetes.py checks the manifests",
    "systemctl": "it changes the system outside; tests/deploy/test_units.py checks the units",
}
BASH = "/bin/bash"
INSIDE = "RUN_DOCS_INSIDE"  # set for the process in the namespace: the folder of the machine


@dataclass(frozen=True)
class Command:
    """A command of a file; `why` is the reason not to run it."""

    kind: str
    text: str
    why: str = ""


def main() -> None:
    """Enter the namespace, run the commands there and print a line for each."""
    files = [ROOT / name for name in sys.argv[1:] or (*GUIDES, *DEPLOYED)]
    if folder := os.environ.get(INSIDE):
        sys.exit(1 if run_files(files, Path(folder)) else 0)
    with tempfile.TemporaryDirectory(prefix="run-docs-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)  # PostgreSQL's own user reaches its tables
        hosts = Path(name, "hosts")
        hosts.write_text(Path("/etc/hosts").read_text("utf-8") + HOSTS, "utf-8")
        installed = Path(name, "installed")
        installed.mkdir()
        script = (
            f"mkdir -p {INSTALLED} && {shlex.join(['mount', '--bind', str(installed), INSTALLED])}"
            f" && {shlex.join(['mount', '--bind', str(hosts), '/etc/hosts'])}"
            f" && exec {shlex.join([sys.executable, __file__, *map(str, files)])}"
        )
        command = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
        if os.geteuid():  # noqa: TID251 - it runs on Linux
            command.append("--map-root-user")
        done = subprocess.run([*command, "sh", "-c", script], env={**os.environ, INSIDE: name})
    sys.exit(done.returncode)


def commands_of(path: Path) -> Iterator[Command]:
    """Yield the commands of a file, in order: joined lines, without comments."""
    text = path.read_text("utf-8")
    if path.suffix != ".md":
        for line in COMMENT.findall(text):
            yield Command("sh", line)
        return
    for block in BLOCK.finditer(text):
        kind, why = block["kind"], block["why"] or ""
        if kind != "sh":
            yield Command(kind, block["text"], why)
            continue
        for line in block["text"].replace("\\\n", " ").splitlines():
            if line.strip() and not line.startswith("#"):
                yield Command("sh", line, why)


class Machine:
    """A folder with a home, an environment and a PostgreSQL; `close` ends what was started."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work = folder, folder / "work"
        self._state = folder / "state"
        self._started: list[subprocess.Popen[bytes]] = []
        for each in ("home", "work/backups", "work/restored", "wheels"):
            (folder / each).mkdir(parents=True)
        for name in ("archive", "leases"):
            shutil.copytree(ROOT / "examples" / "dataroom", self.work / name)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("FOURCORNERS_", "PYTHON", "RUN_DOCS", "PG", "VIRTUAL_ENV"))
        }
        self._install()
        self._start_postgres()
        self._start_bucket()
        self._make_certificate()

    def _install(self) -> None:
        venv, wheels = self.folder / "venv", self.folder / "wheels"
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        build = [str(venv / "bin" / "pip"), "wheel", "--quiet", "--no-deps", str(ROOT)]
        subprocess.run([*build, "--wheel-dir", wheels], check=True, env=self.environment)
        links = f"{wheels} {self.environment.get('PIP_FIND_LINKS', '')}".strip()
        self.environment |= {
            "HOME": str(self.folder / "home"),
            "PATH": f"{venv / 'bin'}:{self.environment['PATH']}",
            "PIP_FIND_LINKS": links,
            "PYTHONPATH": str(ROOT / "bench"),  # `python -m benchmarks.NAME`
            "PIP_QUIET": "1",
            "RAY_TMPDIR": str(self.folder / "ray"),
            "RAY_raylet_start_wait_time_s": "600",  # the machine may be busy
        }

    def _start_postgres(self) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        initdb = found[-1] if found else Path(shutil.which("initdb") or "initdb")
        data, user = self.folder / "tables", "postgres"
        data.mkdir()
        shutil.chown(data, user)
        make: list[str | Path] = [
            initdb,
            "-D",
            data,
            "-U",
            user,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--data-checksums",
        ]
        subprocess.run(make, check=True, user=user, cwd=data, stdout=subprocess.DEVNULL)
        options = f"-c listen_addresses=127.0.0.1 -p {free_port()} -k {data}"
        start: list[str | Path] = [
            initdb.with_name("pg_ctl"),
            "-D",
            data,
            "-w",
            "-s",
            "-o",
            options,
        ]
        start += ["-l", data / "log", "start"]
        subprocess.run(start, check=True, user=user, cwd=data)
        port = options.split(" -p ")[1].split()[0]
        self.environment |= {"PGPORT": port, "PGUSER": user}

    def _start_bucket(self) -> None:
        port = free_port()
        serve = [sys.executable, "-m", "moto.server", "-p", str(port)]
        self._started.append(
            subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        )
        self._endpoint = endpoint = f"http://127.0.0.1:{port}"
        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
        credentials = self.folder / "home" / "credentials"
        lines = [f"{name.lower()} = {value}" for name, value in keys.items()]
        credentials.write_text("\n".join(["[litigation]", *lines, ""]), "utf-8")
        self.environment |= {
            **keys,
            "AWS_SHARED_CREDENTIALS_FILE": str(credentials),
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        wait_for(endpoint)
        for name in ("bucket", "contracts", "litigation"):
            put(f"{endpoint}/{name}", b"")
        for path in sorted((self.work / "archive").glob("*.txt")):
            put(f"{endpoint}/bucket/contracts/{path.name}", path.read_bytes())

    def _make_certificate(self) -> None:
        name = "/CN=contracts.firm.example"
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        make += ["-subj", name, "-keyout", "firm.key", "-out", "firm.crt"]
        subprocess.run(make, check=True, cwd=self.work, stderr=subprocess.DEVNULL)

    def forget(self) -> None:
        """Forget what was exported, and the settings: the next guide is read by itself."""
        self._state.write_text("")
        (self.work / SETTINGS).unlink(missing_ok=True)

    def run(self, command: Command) -> str:
        """Run a command; returns what went wrong, empty if nothing did."""
        if command.kind == "sql":
            client = ["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-h", "db.firm.example", "contracts"]
            return self._run(client, command.text)
        if command.kind == "toml":
            named = NAMED.match(command.text)
            file = self.work / (named[1] if named else SETTINGS)
            file.write_text(command.text.replace(BUCKETS, self._endpoint), "utf-8")
            load = "from fourcorners.settings import Settings; Settings.load()"
            return self._run(["python", "-W", "error", "-c", load], "")
        if re.match(r"fourcorners serve\b", command.text):
            return self._serve(command.text)
        state = shlex.quote(str(self._state))
        script = f"set -eo pipefail; source {state}; {command.text}\nexport -p > {state}"
        return self._run([BASH, "-c", script], PASSWORD)

    def _run(self, command: list[str], given: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.work,
            env=self.environment,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
        )
        return f"ended with {done.returncode}: {done.stdout[-1500:]}" if done.returncode else ""

    def _serve(self, text: str) -> str:
        """Start a server at a free port, ask whether it is ready, and stop it as Ctrl-C does."""
        script = f"source {shlex.quote(str(self._state))}; exec {text} --port {free_port()}"
        server = subprocess.Popen(
            [BASH, "-c", script],
            cwd=self.work,
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stderr is not None  # noqa: S101 - it is a pipe
        said = []
        for line in server.stderr:
            said.append(line)
            if found := re.match(r"Fourcorners at (\S+)", line):
                break
        else:
            return f"it did not start: {''.join(said)[-1500:]}"
        address = found[1].replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - it is asked from here
        ready = wait_for(f"{address}readyz")
        server.send_signal(signal.SIGINT)
        began = time.monotonic()
        server.communicate(timeout=60)
        took = time.monotonic() - began
        return "" if ready else f"it was not ready, and took {took:.1f} s to stop"

    def close(self) -> None:
        for each in self._started:
            each.terminate()


def free_port() -> int:
    """Return a port of this machine that nobody has."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def put(url: str, body: bytes) -> None:
    headers = {"Content-Type": "application/octet-stream"}  # else it is read as a form
    request = urllib.request.Request(url, body, headers, method="PUT")  # noqa: S310 - of this machine
    urllib.request.urlopen(request).close()  # noqa: S310


def wait_for(url: str) -> bool:
    """Wait until something answers at an address; tells whether it says that all is well."""
    trusting = ssl._create_unverified_context()  # noqa: S323 - the certificate was made here
    for _ in range(240):
        try:
            with urllib.request.urlopen(url, context=trusting, timeout=5) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except OSError:
            time.sleep(0.5)
    return False


def reason_to_skip(command: Command) -> str:
    """Return why a command is not run, empty if it is."""
    if command.why:
        return command.why
    if command.kind not in ("sh", "sql", "toml"):
        return f"it is no command, but {command.kind}"
    program = next((word for word in command.text.split() if "=" not in word), "")
    return OUTSIDE.get(program, "")


def run_files(files: list[Path], folder: Path) -> int:
    """Run the commands of the files; returns how many failed."""
    machine, counts = Machine(folder), dict.fromkeys(("ok", "not run", "failed"), 0)
    try:
        for path in files:
            machine.forget()
            for command in commands_of(path):
                began = time.monotonic()
                why = reason_to_skip(command)
                result = "not run" if why else "ok"
                if not why and (why := machine.run(command)):
                    result = "failed"
                counts[result] += 1
                shown = command.text.strip().splitlines()[0][:90]
                took = f"{time.monotonic() - began:.1f} s"
                says = f": {why}" if why else ""
                print(f"{path.relative_to(ROOT)} | {result} | {took} | {shown}{says}", flush=True)
    finally:
        machine.close()
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return counts["failed"]


if __name__ == "__main__":
    main()
