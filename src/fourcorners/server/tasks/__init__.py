"""Long work: the queue of tasks, what runs them, and what each kind does."""
