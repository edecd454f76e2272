"""The contract card: title, type, parties, dates, governing law."""
