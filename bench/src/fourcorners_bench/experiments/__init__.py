"""Experiments as files: what is varied, and which rows of a paper stand beside each run."""
