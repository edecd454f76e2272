"""Pages as pictures: few greys, few colours, and pictures of many colours."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from fourcorners.documents.pdf.page import encode_png

NEAR = 9  # of 255: half a sixteenth


def decoded(data: bytes) -> tuple[NDArray[np.uint8], str]:
    with Image.open(BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB")), picture.mode


def letters(width: int, height: int = 60) -> NDArray[np.uint8]:
    """Return a page of grey edges, as letters have."""
    grey = np.random.default_rng(3).choice([0, 60, 130, 200, 255], (height, width))
    return np.repeat(grey.astype(np.uint8)[:, :, None], 3, axis=2)


@pytest.mark.parametrize("width", [80, 81])
def test_a_grey_page_has_sixteen_greys_at_half_the_size(width: int) -> None:
    page = letters(width)
    data = encode_png(page)
    shown, mode = decoded(data)
    assert mode == "L"
    assert shown.shape == page.shape
    assert np.abs(shown.astype(int) - page).max() <= NEAR
    assert len(data) < 0.75 * 60 * width
    assert data == encode_png(page[:, :, :1])


@pytest.mark.parametrize("colours", [3, 100])
def test_a_page_of_few_colours_has_a_palette(colours: int) -> None:
    page = letters(90)
    few = np.random.default_rng(5).integers(0, 256, (colours, 3), dtype=np.uint8)
    page[10:30] = few[np.arange(20 * 90).reshape(20, 90) % colours]
    shown, mode = decoded(encode_png(page))
    assert mode == "P"
    assert np.abs(shown.astype(int) - page).max() <= NEAR


def test_a_photograph_keeps_its_colours() -> None:
    page = np.random.default_rng(7).integers(0, 256, (60, 90, 4), dtype=np.uint8)
    shown, mode = decoded(encode_png(page))
    assert mode == "RGB"
    assert (shown == page[:, :, :3]).all()
