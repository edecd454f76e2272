"""Reviewing a document against a provision: evidence in, findings out."""
