"""Originals: the files that contracts were read from, next to the library or in a bucket."""
