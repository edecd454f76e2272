"""The graph of a library: what clauses define, cite and except, and which contracts amend which.

Edges within a document are computed from its outline on demand; those between documents are stored
in the library and updated when documents are added or removed.
"""

from fourcorners.search.graph.expand import LinkedPassage, LinkKind, Located, expand_hits
from fourcorners.search.graph.links import Amendment, Links, SharedParty, links_of, update_links
from fourcorners.search.graph.statements import Relation

__all__ = [
    "Amendment",
    "LinkKind",
    "LinkedPassage",
    "Links",
    "Located",
    "Relation",
    "SharedParty",
    "expand_hits",
    "links_of",
    "update_links",
]
