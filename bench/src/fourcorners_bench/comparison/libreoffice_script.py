"""Accept or reject all tracked changes of Word files; run by a Python that has LibreOffice's `uno`.

`python libreoffice_script.py PIPE FOLDER`: what is named `accept…` is accepted, the rest rejected.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import uno  # type: ignore[import-not-found]

ATTEMPTS = 240  # of half a second, for LibreOffice's first start


def main(pipe: str, folder: Path) -> None:
    local = uno.getComponentContext()
    create = local.ServiceManager.createInstanceWithContext
    resolver = create("com.sun.star.bridge.UnoUrlResolver", local)
    for attempt in range(ATTEMPTS):
        try:
            context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            break
        except uno.getClass("com.sun.star.connection.NoConnectException"):
            if attempt + 1 == ATTEMPTS:
                raise
            time.sleep(0.5)
    manager = context.ServiceManager
    desktop = manager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    dispatcher = manager.createInstanceWithContext("com.sun.star.frame.DispatchHelper", context)
    for path in sorted(folder.glob("*.docx")):
        document = desktop.loadComponentFromURL(
            path.as_uri(), "_blank", 0, (_property("Hidden", value=True),)
        )
        command = "Accept" if path.name.startswith("accept") else "Reject"
        frame = document.CurrentController.Frame
        dispatcher.executeDispatch(frame, f".uno:{command}AllTrackedChanges", "", 0, ())
        target = path.with_suffix(".fodt").as_uri()
        document.storeToURL(target, (_property("FilterName", "OpenDocument Text Flat XML"),))
        document.close(True)
    desktop.terminate()


def _property(name: str, value: object) -> object:
    found = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    found.Name, found.Value = name, value
    return found


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
