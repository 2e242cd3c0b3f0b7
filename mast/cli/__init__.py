"""The ``mast`` command. Results go to stdout, progress and complaints to stderr."""

from mast.cli.app import app, main

__all__ = ["app", "main"]
