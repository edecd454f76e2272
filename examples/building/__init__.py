"""The parts of ``build_dataroom.py``."""
