"""Words that are hidden, in disguise, or addressed to a machine."""
