"""The review grid: what every cell is at a glance, held in memory for all who look at it.

- `cell_summaries.py`: what the library says of cells, read quickly, and what has changed since.
- `matrix.py`: a grid in arrays, kept up to date. `dates.py`: as grave as the day has it.
- `query.py`: what is asked of a grid, from an address and back to one, and what fits it.
- `windows.py`: the rows of a window, with their words, as a page shows them.
"""
