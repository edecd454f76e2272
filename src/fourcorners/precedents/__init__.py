"""Precedents: the clauses of a bank or of whole contracts that are the best for a draft."""
