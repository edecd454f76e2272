"""The contract as a tree, its terms, references and card, and the passages cut from it."""
