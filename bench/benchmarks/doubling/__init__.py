"""How time and memory grow with a text that means harm: kinds of it, stages of the work, ratios."""
