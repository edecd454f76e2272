"""A contract's term as a timeline: what its words say, its status on a day, what is due."""
