"""What this system cannot protect, to be said where somebody relies on it."""

from __future__ import annotations

import sys

from fourcorners.system.confinement import landlock_version


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
