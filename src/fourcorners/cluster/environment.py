"""What Ray reads from the environment once, when it is imported: so this comes before."""

from __future__ import annotations

import os
import secrets
import sys

LOCAL = "ray"
"""The address of a Ray that is started on this machine, for one command."""


def set_environment(address: str) -> None:
    """Have Ray report nothing to its makers, and a Ray of our own obey nobody else.

    Its ports are open to the network: who has not the token of this process is refused there.
    Where Ray was imported before, it uses a token that it keeps in the user's home folder.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if address == LOCAL:
        os.environ.setdefault("RAY_worker_niceness", "0")  # as processes of this program are
    if address == LOCAL and "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
