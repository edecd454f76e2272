"""What belongs beside a quoted sentence: definitions, exceptions, clauses that it needs."""
