"""Two versions of a Word file as one with tracked changes, and the check of it."""
