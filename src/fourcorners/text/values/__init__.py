"""Dates, periods, amounts and numbers as contracts write them: each parsed here, and only here."""
