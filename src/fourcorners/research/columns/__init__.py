"""Custom columns: a reviewer's question, put to every contract of a review."""
