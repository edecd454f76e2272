"""A page of results: which benchmarks it has, what became of them, and how it looks."""
