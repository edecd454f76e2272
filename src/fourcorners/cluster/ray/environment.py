"""What Ray reads from the environment once, when it is imported: so this comes before."""

from __future__ import annotations

import os
import secrets
import sys

LOCAL_ADDRESS = "ray"
"""The address of a Ray that is started on this machine, for one command."""
_MANY_MACHINES = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


def set_environment(address: str) -> None:
    """Have Ray report nothing to its makers, and a Ray of our own obey nobody else.

    It listens at 127.0.0.1 alone, and refuses who has not the token of this process. Where Ray was
    imported before, its ports are open to the network, and it uses a token that it keeps in the
    user's home folder.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if address == LOCAL_ADDRESS:
        os.environ.setdefault("RAY_worker_niceness", "0")  # as processes of this program are
        # Else Ray takes the machine's own address instead of 127.0.0.1, and its parts bind to all;
        # on Windows and macOS this is how it comes (ray._private.services.get_node_ip_address)
        os.environ[_MANY_MACHINES] = "0"
    if address == LOCAL_ADDRESS and "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
