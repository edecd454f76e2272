"""Mark-ups: changes of a contract proposed to a person, decided by them, and written."""
