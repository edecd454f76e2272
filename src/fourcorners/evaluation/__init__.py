"""Measuring the whole on public benchmarks: data sets, measures, run files, tables."""
