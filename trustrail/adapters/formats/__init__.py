"""One file per recorded shape, each with one ``ADAPTER``."""
