"""Fourcorners measured on public benchmarks: data sets, measures, run files, tables."""
