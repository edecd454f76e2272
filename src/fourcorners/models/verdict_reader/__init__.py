"""The verdict reader: what a clause says, asked one question at a time."""
