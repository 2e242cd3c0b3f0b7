# ruff: noqa: INP001 - imported from the working directory, as a host's own module is
"""The example adapters after a change of what they do, and so in another version."""

from dataclasses import replace

import example_adapters

ADAPTERS = tuple(replace(adapter, version="2") for adapter in example_adapters.ADAPTERS)
"""The same adapters, in version 2."""
