"""How well each clause suits a query."""
