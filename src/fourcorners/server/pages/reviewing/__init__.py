"""Pages of reviews: the grid, its findings, columns, families and views, and what waits."""
