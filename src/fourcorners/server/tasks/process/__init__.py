"""The workshop: a process of its own, in which a server's tasks are done.

Reading contracts, reviews and questions would hold up the pages if they shared a process with them.
So `fourcorners serve` does none of it itself:

- `keeper.py` stands in the server's process. It starts the workshop when there is a task, tells it
  of new ones, starts it anew when it dies, and ends it with the server.
- `inside.py` is the workshop: the `Runner` at a lower priority. It parks what is in hand and goes
  when the server says so or is gone, however that ended; without tasks it goes after a while, and
  its memory with it.

They share nothing but the library and a pipe: the tasks, how far they are and what came of them
stand in the library, with leases, so that neither process can lose or double a task by its end.
"""

from __future__ import annotations
