"""Make a scan: pages as slightly crooked, grainy pictures, with no text layer."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from building.pdf import build_pdf
from building.source import Source

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 200
QUALITY = 40
SKEWS = (0.5, -0.4, 0.7, -0.6)  # degrees, one a page


def page_images(pdf: bytes) -> Iterator[Image]:
    """Draw each page of a PDF in grey."""
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    for page in document:
        yield page.render(scale=DPI / 72, grayscale=True).to_pil().convert("L")


def photocopy(image: Image, skew: float, seed: int) -> Image:
    """Turn, blur and roughen a page as an office scanner would."""
    from PIL import Image as Images
    from PIL import ImageFilter

    turned = image.rotate(skew, Images.Resampling.BICUBIC, fillcolor=250)
    blurred = turned.filter(ImageFilter.GaussianBlur(0.6))
    small = (image.width // 3, image.height // 3)
    noise = random.Random(seed).randbytes(small[0] * small[1])  # noqa: S311 - not a secret
    grain = Images.frombytes("L", small, noise)
    return Images.blend(blurred, grain.resize(image.size, Images.Resampling.BILINEAR), 0.07)


def jpeg(image: Image) -> io.BytesIO:
    """Compress a page."""
    target = io.BytesIO()
    image.save(target, "JPEG", quality=QUALITY, optimize=True)
    target.seek(0)
    return target


def build_scan(source: Source) -> bytes:
    """Set a contract, then keep only the pictures of its pages."""
    from reportlab import rl_config
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    rl_config.invariant = 1
    rl_config.useA85 = 0
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    for index, image in enumerate(page_images(build_pdf(source))):
        page = jpeg(photocopy(image, SKEWS[index % len(SKEWS)], seed=index))
        canvas.drawImage(ImageReader(page), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return target.getvalue()
