"""Columns that reviewers ask for: a question of their own, put to every contract of a review.

- `kept.py`: the questions, with all their versions; a playbook out of those that stand.
- `filling.py`: the cell of a contract: its own words, or that nothing was found, and why.
- `work.py`: the cells of a column, filled one by one and kept as they come.
- `reporting.py`: the columns in a review that is sent as a file.
- `reading.py`: what people wrote in such a file, brought back.
"""
