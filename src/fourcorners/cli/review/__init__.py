"""Commands of a review."""
