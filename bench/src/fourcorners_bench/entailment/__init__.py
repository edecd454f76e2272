"""Entailment (ContractNLI): loading, running, scoring, reporting."""
