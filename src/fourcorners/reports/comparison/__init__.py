"""The comparison of two versions as a page, a Word document and JSON."""
