"""The reader of answers: it judges a question and a sentence together."""
