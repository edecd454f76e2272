"""Whether a contract answers a question, and how sure that is."""
