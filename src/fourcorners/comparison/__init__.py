"""Two versions of a contract: their clauses aligned, and what differs in words and values."""
