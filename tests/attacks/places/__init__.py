"""Where in a file of each format someone may put words, and how far they get from there."""

from __future__ import annotations

from tests.attacks.places import mail, opendocument, pdf, rich, web, word
from tests.attacks.places.place import NEUTRAL, Place, Reach

PLACES = (*word.PLACES, *opendocument.PLACES, *rich.PLACES, *web.PLACES, *mail.PLACES,
          *pdf.PLACES)  # fmt: skip

__all__ = ["NEUTRAL", "PLACES", "Place", "Reach"]
