"""One file per instrumentation, each with one ``DIALECT``."""
