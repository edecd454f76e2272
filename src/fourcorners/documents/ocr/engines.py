"""Programs that recognise text in pictures: Tesseract if it is installed, else RapidOCR.

Tesseract runs as a separate process for every picture; RapidOCR (the extra `ocr`) is a library.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

from fourcorners.system.paths import find_program

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DPI = 200  # measured: 300 takes a third longer and is no better on average
PAGE_SECONDS = 60.0  # seconds allowed for one picture


class OcrEngineError(Exception):
    """A picture that the engine could not read; the message says why."""


@dataclass(frozen=True, slots=True)
class GreyImage:
    """A page in grey, one byte per pixel, row by row."""

    width: int
    height: int
    pixels: bytes


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """A word as an engine saw it, in pixels from the top left; `confidence` is 0 to 1."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float


Line = tuple[RecognisedWord, ...]


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    width: int
    height: int
    lines: tuple[Line, ...]

    @property
    def confidence(self) -> float:
        """The mean confidence of the words, weighted by their letters; 0 without any."""
        return self._sum(1) / letters if (letters := self._sum(0)) else 0.0

    def better(self, other: RecognisedPage) -> RecognisedPage:
        """Return this reading of a page or another, whichever has more words that are sure."""
        return other if other._sum(2) > self._sum(2) else self

    def _sum(self, power: int) -> float:
        return sum(len(each.text) * each.confidence**power for line in self.lines for each in line)


class OcrEngine(Protocol):
    """A text recogniser; every method raises OcrEngineError for a picture it cannot read."""

    @property
    def name(self) -> str: ...

    def read(self, picture: GreyImage) -> RecognisedPage:
        """Read a page that was drawn at `DPI`."""
        ...

    def read_file(self, data: bytes) -> list[RecognisedPage]: ...

    def detect_rotation(self, picture: GreyImage) -> int:
        """Return by how many degrees clockwise to turn the picture to make it upright."""
        ...


@cache
def find_ocr_engine() -> OcrEngine | None:
    program = find_program("tesseract")
    if program and (version := _tesseract_version(program)):
        return Tesseract(program, version)
    return RapidOcr() if importlib.util.find_spec("rapidocr") is not None else None


def _tesseract_version(program: str) -> str:
    try:
        languages = _run([program, "--list-langs"], b"", 20).decode(errors="replace").split()
        first = _run([program, "--version"], b"", 20).decode(errors="replace").split()
    except OcrEngineError:
        return ""
    return first[1] if "eng" in languages and len(first) > 1 else ""


def _run(command: list[str], data: bytes, seconds: float) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - the program that was found, no shell
            command,
            input=data,
            capture_output=True,
            timeout=seconds,
            # One thread: several processes already read pages in parallel.
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise OcrEngineError(f"it took more than {seconds:g} seconds") from error
    except OSError as error:
        raise OcrEngineError(f"{command[0]} does not start: {error.strerror}") from error
    if done.returncode != 0:
        error_lines = done.stderr.decode(errors="replace").strip().splitlines()
        why = error_lines[-1].rstrip(".") if error_lines else f"exit code {done.returncode}"
        raise OcrEngineError(why)
    return done.stdout or done.stderr  # older versions print their version on standard error


class Tesseract:
    def __init__(self, program: str, version: str) -> None:
        self._program = program
        self.name = f"tesseract/{version}"

    def read(self, picture: GreyImage) -> RecognisedPage:
        command = [self._program, "stdin", "stdout", "-l", "eng", "--dpi", str(DPI), "tsv"]
        pages = list(_parse_pages(_run(command, _encode_pgm(picture), PAGE_SECONDS)))
        return pages[0] if pages else RecognisedPage(picture.width, picture.height, ())

    def read_file(self, data: bytes) -> list[RecognisedPage]:
        command = [self._program, "stdin", "stdout", "-l", "eng", "tsv"]
        return list(_parse_pages(_run(command, data, PAGE_SECONDS)))

    def detect_rotation(self, picture: GreyImage) -> int:
        """Detect the orientation; a page with too few words for that is not turned."""
        command = [self._program, "stdin", "stdout", "--psm", "0", "--dpi", str(DPI)]
        try:
            output = _run(command, _encode_pgm(picture), PAGE_SECONDS).decode(errors="replace")
        except OcrEngineError:
            return 0
        for line in output.splitlines():
            key, _, value = line.partition(":")
            if key == "Rotate" and value.strip() in ("90", "180", "270"):
                return int(value)
        return 0


def _encode_pgm(picture: GreyImage) -> bytes:
    return b"P5 %d %d 255\n" % (picture.width, picture.height) + picture.pixels


def _parse_pages(table: bytes) -> Iterator[RecognisedPage]:
    """Yield the pages of Tesseract's table: one row for each page, block, line and word."""
    size = (0, 0)
    lines: dict[tuple[str, ...], list[RecognisedWord]] = {}
    text = table.decode("utf-8", errors="replace")
    for row in csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE):
        try:
            left, top, across, down = (int(row[key]) for key in ("left", "top", "width", "height"))
            if row["level"] == "1":
                if size[0]:
                    yield RecognisedPage(*size, tuple(map(tuple, lines.values())))
                size, lines = (across, down), {}
            elif row["level"] == "5" and row["text"] and row["text"].strip():
                place = (row["block_num"], row["par_num"], row["line_num"])
                sure = min(max(float(row["conf"]) / 100, 0.0), 1.0)
                lines.setdefault(place, []).append(
                    RecognisedWord(row["text"].strip(), left, top, left + across, top + down, sure)
                )
        except (KeyError, ValueError, TypeError) as error:
            raise OcrEngineError("Tesseract's answer is not a table of words") from error
    if size[0]:
        yield RecognisedPage(*size, tuple(map(tuple, lines.values())))


class RapidOcr:
    """RapidOCR, whose wheel includes its weights: slower, and it joins some words."""

    @property
    def name(self) -> str:
        from importlib.metadata import version

        return f"rapidocr/{version('rapidocr')}"

    def read(self, picture: GreyImage) -> RecognisedPage:
        import numpy as np

        grey = np.frombuffer(picture.pixels, dtype=np.uint8).reshape(picture.height, picture.width)
        return self._read(np.stack([grey] * 3, axis=-1))

    def read_file(self, data: bytes) -> list[RecognisedPage]:
        """Read a picture file; only the first of several pages."""
        import cv2  # type: ignore[import-not-found,unused-ignore]
        import numpy as np

        pixels = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
        if pixels is None:
            raise OcrEngineError("the picture does not open")
        return [self._read(pixels)]

    def detect_rotation(self, picture: GreyImage) -> int:  # noqa: ARG002 - it turns single lines by itself
        return 0

    def _read(self, pixels: NDArray[np.uint8]) -> RecognisedPage:
        from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError

        try:
            seen = _load_rapidocr()(pixels, return_word_box=True)
        except (ONNXRuntimeError, MemoryError) as error:
            raise OcrEngineError(
                "RapidOCR ran out of memory (the setting `memory_mb`; it takes some 3000)"
            ) from error
        words = []
        for line in getattr(seen, "word_results", None) or ():
            for text, sure, corners in line:
                xs, ys = [corner[0] for corner in corners], [corner[1] for corner in corners]
                box = float(min(xs)), float(min(ys)), float(max(xs)), float(max(ys))
                confidence = min(max(float(sure), 0.0), 1.0)
                if text.strip():
                    words.append(RecognisedWord(text.strip(), *box, confidence))
        height, width = pixels.shape[:2]
        return RecognisedPage(width, height, tuple(group_into_lines(words)))


@cache
def _load_rapidocr():  # type: ignore[no-untyped-def]  # noqa: ANN202 - an untyped library
    import logging

    from rapidocr import RapidOCR  # type: ignore[import-not-found,unused-ignore]

    # One thread: several processes already read pages in parallel.
    # One line at a time: six at once take some 140 MB more, and are not faster.
    one = {"EngineConfig.onnxruntime.intra_op_num_threads": 1, "Rec.rec_batch_num": 1}
    engine = RapidOCR(params={"Global.log_level": "error", **one})
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return engine


def group_into_lines(words: list[RecognisedWord]) -> Iterator[Line]:
    lines: list[list[RecognisedWord]] = []
    for word in sorted(words, key=lambda word: (word.y0 + word.y1) / 2):
        middle = (word.y0 + word.y1) / 2
        for line in reversed(lines[-8:]):
            last = line[-1]
            if last.y0 < middle < last.y1 and word.y0 < (last.y0 + last.y1) / 2 < word.y1:
                line.append(word)
                break
        else:
            lines.append([word])
    for line in lines:
        yield tuple(sorted(line, key=lambda word: word.x0))
