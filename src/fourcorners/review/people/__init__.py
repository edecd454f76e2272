"""What people say of findings: annotations, assignments, imported reports."""
