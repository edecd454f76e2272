"""The graph of a library: what clauses define, cite and except, and which contracts amend which.

Edges within a document are computed from its outline on demand; those between documents are stored
in the library and updated when documents are added or removed.
"""

from fourcorners.search.graph.expand import LinkedPassage, LinkKind, Located, expand_hits
from fourcorners.search.graph.links import AmendmentLink, links_of, update_links
from fourcorners.search.graph.statements import AmendmentRelation

__all__ = [
    "AmendmentLink",
    "AmendmentRelation",
    "LinkKind",
    "LinkedPassage",
    "Located",
    "expand_hits",
    "links_of",
    "update_links",
]
