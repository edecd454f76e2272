"""The add-in for Word: its manifest, its pane, and the operator's Office.js."""
