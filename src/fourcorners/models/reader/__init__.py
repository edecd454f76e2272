"""The reader: what a clause says to questions put to it, in which words, and of whom."""
