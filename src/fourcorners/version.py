"""The version of the installed package: that of its tag, and what came after it."""

from importlib.metadata import version

__version__ = version("fourcorners")
