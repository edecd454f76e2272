"""How well the comparison of two versions finds edits that are known."""
