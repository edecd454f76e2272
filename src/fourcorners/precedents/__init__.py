"""Find precedents: the best clauses of a bank or of whole contracts to draft from."""
