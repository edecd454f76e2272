"""The graph of a library: what clauses define, cite and except, and which contracts amend which.

Edges within a document are worked out from its outline when they are asked for; those between
documents are kept in the library and brought up to date when documents have come or gone.
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
