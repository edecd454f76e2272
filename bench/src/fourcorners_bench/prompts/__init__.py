"""The prompts of the benchmarks: those of papers, which the product has no use for."""
