"""Measures that the benchmarks share: intervals, statistics, tables and plots."""
