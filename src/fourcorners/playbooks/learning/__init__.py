"""Learning a provision's queries from a bank."""
