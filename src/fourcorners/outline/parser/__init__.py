"""From the lines of a document to the tree of its clauses."""
