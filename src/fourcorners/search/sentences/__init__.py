"""The sentences that answer a question: scored by signals and read with it."""
