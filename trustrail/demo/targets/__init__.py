"""One file per framework, each with ``FRAMEWORK`` (its package) and ``run_journey``; imported only when it runs."""
