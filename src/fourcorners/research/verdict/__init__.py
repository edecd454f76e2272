"""Yes, no, or it depends: what the words found say to a question of yes or no."""
