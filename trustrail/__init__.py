"""trustrail: canonical events, deterministic controls, gates, and signed, replayable evidence packs."""
