"""Find what must be read with a quoted sentence: definitions, exceptions, clauses that it needs."""
