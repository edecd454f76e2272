"""The review grid: what every cell is at a glance, held in memory for all who look at it.

- `glances.py`: what the library says of cells, read quickly, and what has changed since.
- `matrix.py`: a grid in arrays, kept up to date; which rows and cells fit what is asked.
- `asked.py`: what is asked of a grid, from an address and back to one.
- `windows.py`: the rows of a window, with their words, as a page shows them.
"""
