"""Fourcorners reads a folder of contracts and answers from it, and from nothing else."""

from fourcorners.version import __version__

__all__ = ["__version__"]
