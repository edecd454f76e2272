"""Find passages: the query language, lexical and dense retrieval, and their fusion."""
