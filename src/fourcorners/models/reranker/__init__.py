"""Rerankers: a question and a passage to a score."""
