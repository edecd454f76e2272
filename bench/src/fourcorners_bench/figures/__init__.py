"""The papers' figures, and others, drawn from the records of benchmarks."""
