"""Where a system's programs are, and what it lets a file be called."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

# https://learn.microsoft.com/windows/win32/fileio/naming-a-file; a colon would name a drive, or a
# second content of another file.
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*\\]|[. ]+$')
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)")
_APPLICATIONS = {"soffice": "LibreOffice.app/Contents/MacOS"}  # in the folders of macOS
_PROGRAM_FILES = {"soffice": "LibreOffice/program", "tesseract": "Tesseract-OCR"}  # of Windows


def find_program(name: str) -> str | None:
    """Return the path of a program: on the search path, or where its installer puts it.

    The installers for macOS and Windows leave the search path as it is.
    """
    if found := shutil.which(name):
        return found
    places = [str(folder) for folder in _places(name) if folder.is_dir()]
    return shutil.which(name, path=os.pathsep.join(places)) if places else None


def _places(name: str) -> list[Path]:
    if sys.platform == "win32":
        known = _PROGRAM_FILES.get(name)
        roots = [os.environ.get(each) for each in ("PROGRAMFILES", "PROGRAMFILES(X86)")]
        return [Path(root, known) for root in roots if root and known]
    if sys.platform == "darwin":
        brew = [Path("/opt/homebrew/bin"), Path("/usr/local/bin")]  # a server has a short PATH
        known = _APPLICATIONS.get(name)
        homes = [Path("/Applications"), Path.home() / "Applications"]
        return brew + [home / known for home in homes if known]
    return []


def allowed_name(part: str) -> str:
    """Return the name of a file or folder, without what this system does not let it have."""
    if sys.platform == "win32":
        clean = _NOT_ON_WINDOWS.sub("_", part)
        return f"_{clean}" if _DEVICE.match(clean) else clean
    return part
