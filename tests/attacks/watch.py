"""Run programs where nobody answers but a false name server, and say what they asked for.

Started in network and mount namespaces of its own (`unshare --net --mount`), so that sockets of C++
libraries, which Python's audit hooks never see, are seen too: `watch.py SECONDS OUT COMMAND…`. The
command runs for that long; OUT gets the names that were looked up and the connections that were
opened, as JSON.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TRAP = "127.9.9.9"  # where every name leads
RECORD = b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04" + socket.inet_aton(TRAP)


def answer_names(server: socket.socket, seen: list[str]) -> None:
    """Answer each question with the trap's address."""
    while True:
        query, client = server.recvfrom(4096)
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode())
            at += query[at] + 1
        seen.append("name " + ".".join(labels))
        head = query[:2] + b"\x81\x80\0\x01\0\x01\0\0\0\0"
        server.sendto(head + query[12 : at + 5] + RECORD, client)


def count_connections(server: socket.socket, seen: list[str]) -> None:
    """Take each connection to the trap, and close it."""
    while True:
        connection, _ = server.accept()
        seen.append("connection")
        connection.close()


def main(seconds: float, out: Path, command: list[str]) -> None:
    """Run the command and write what it asked for."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as resolver:
        resolver.write("nameserver 127.0.0.1\n")
        resolver.flush()
        subprocess.run(["mount", "--bind", resolver.name, "/etc/resolv.conf"], check=True)
        seen: list[str] = []
        names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        names.bind(("127.0.0.1", 53))
        threading.Thread(target=answer_names, args=(names, seen), daemon=True).start()
        for port in (80, 443):
            trap = socket.create_server((TRAP, port))
            threading.Thread(target=count_connections, args=(trap, seen), daemon=True).start()
        process = subprocess.Popen(command)
        time.sleep(seconds)
        alive = process.poll() is None
        process.terminate()
        process.wait(timeout=30)
        out.write_text(json.dumps({"alive": alive, "code": process.returncode, "seen": seen}))


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
