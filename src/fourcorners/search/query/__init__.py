"""The query language: text to a syntax tree, matched in memory or compiled for the index.

| written | means |
| --- | --- |
| `change control` | both words, anywhere in the passage (AND, the lawyer's habit; never OR) |
| `"change of control"` | the phrase |
| `"change control"~5` | both words, at most five words between them, in either order |
| `"merger sale assets"~9` | all words; each ends at most nine words before the last one starts |
| `change w/5 control` | the same as `"change control"~5`; also between phrases and OR groups |
| `notice pre/3 terminat*` | within three words, in this order |
| `(sale OR transfer) w/4 "all assets"` | either word near the phrase |
| `assign*` | every word that begins so |
| `AND` `OR` `NOT`, `( )` | in capitals; NOT binds tighter than AND, AND tighter than OR |
| `^5` after any term, phrase, proximity or group | counts five times in the score |
| `["change control"~5^5, "assign consent"~10]` | a list: OR of its parts |
| `type:lease`, `party:acme`, `label:7.2`, `heading:term` | only there |
| `collection:"Project Larch"`, `date:2019..2021-06` | only there; in quotes it may have spaces |

Case, accents and punctuation do not matter: `non-compete` is the phrase "non compete". No word of
the text serves two parts of a proximity: `"party party"~5` needs two of them.
"""

from fourcorners.search.query.parser import parse_query
from fourcorners.search.query.tree import (
    And,
    Field,
    FieldName,
    Leaf,
    Mode,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Proximity,
    Query,
    Word,
    tree_fields,
    tree_leaves,
    without_fields,
)

__all__ = [
    "And",
    "Field",
    "FieldName",
    "Leaf",
    "Mode",
    "Node",
    "Not",
    "Or",
    "Phrase",
    "Prefix",
    "Proximity",
    "Query",
    "Word",
    "parse_query",
    "tree_fields",
    "tree_leaves",
    "without_fields",
]
