"""Cross-references and the labels that they name."""
