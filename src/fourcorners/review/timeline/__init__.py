"""A contract's term as a line of time: what its words say, where it stands on a day, what comes."""
