"""Dates, terms and notice of a contract: what is written, judged for what it is."""
