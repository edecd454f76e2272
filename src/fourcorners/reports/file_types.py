"""The files that reports are sent as: their media types, by suffix."""

from __future__ import annotations

from typing import Final

FILE_TYPES: Final = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html; charset=utf-8",
    "ics": "text/calendar; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
