"""From a prepared document to the cells of its provisions."""
