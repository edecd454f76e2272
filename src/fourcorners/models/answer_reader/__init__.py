"""The reader of answers: a question beside a sentence."""
