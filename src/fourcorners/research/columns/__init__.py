"""Columns that reviewers ask for: a question of their own, put to every contract of a review."""
