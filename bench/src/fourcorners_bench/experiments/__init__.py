"""Experiments as files: what is varied, and which rows of a paper each run is compared with."""
