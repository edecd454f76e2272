"""What people do with the columns that they ask for; `research/columns` holds and fills them.

- `kept.py`: the columns, with what cannot be told by its status.
- `asking.py`: ask one, ask it otherwise, fill it, take it out.
"""
