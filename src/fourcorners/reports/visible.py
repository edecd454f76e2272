"""Characters that show nothing made visible, as every report shows them."""

from __future__ import annotations

from fourcorners.text.visible import abridged, line, named, pieces, shortened, visible

__all__ = ["abridged", "line", "named", "pieces", "shortened", "visible"]
