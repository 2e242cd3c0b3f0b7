"""The ``trustrail`` command. Results go to stdout, progress and complaints to stderr."""

from trustrail.cli.app import app, main

__all__ = ["app", "main"]
