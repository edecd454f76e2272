"""Record what people say of findings: annotations, assignments, imported reports."""
