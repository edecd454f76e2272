"""Search inside one document, without a library: chunks ranked by words and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.search.fusion import RRF_K
from fourcorners.search.index import K1, B
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def rank_chunks(
    index: WordIndex, chunks: Sequence[Span], words: Sequence[str], cosines: NDArray[np.float32]
) -> list[Span]:
    """Return a document's chunks, the best first: ranks by BM25 and by cosine, fused.

    Words are counted over this document's chunks; one without any of them is ranked by its cosine.
    """
    import numpy as np

    places = np.arange(len(chunks))
    first, beyond = np.array([index.word_range(chunk) for chunk in chunks], dtype=np.int64).T
    lengths = (beyond - first).astype(np.float64)
    norm = K1 * (1 - B + B * lengths / (lengths.mean() or 1.0))
    lexical = np.zeros(len(chunks))
    for word in words:
        positions = np.array(index.positions(word), dtype=np.int64)
        count = np.searchsorted(positions, beyond) - np.searchsorted(positions, first)
        having = int(np.count_nonzero(count))
        rarity = np.log1p((len(count) - having + 0.5) / (having + 0.5))
        lexical += rarity * count * (K1 + 1) / (count + norm)
    matching = np.lexsort((places, -lexical))[: np.count_nonzero(lexical)]
    score = np.zeros(len(chunks))
    for ranked in (matching, np.lexsort((places, -cosines))):
        score[ranked] += 1 / (RRF_K + np.arange(1, len(ranked) + 1))
    return [chunks[at] for at in np.lexsort((places, -lexical, -score)).tolist()]
