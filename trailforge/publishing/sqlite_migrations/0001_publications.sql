-- Intents, the approvals of them, and the operations they led to. Nothing here is ever deleted.

CREATE TABLE clock (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    seen_at INTEGER NOT NULL  -- milliseconds since 1970; time never runs backwards here
) STRICT;

INSERT INTO clock (only_row, seen_at) VALUES (1, 0);

CREATE TABLE intents (
    intent_digest TEXT PRIMARY KEY,
    body TEXT NOT NULL  -- canonical JSON
) STRICT;

CREATE TABLE approvals (
    approval TEXT PRIMARY KEY,
    intent_digest TEXT NOT NULL REFERENCES intents (intent_digest),
    number INTEGER NOT NULL,
    body TEXT NOT NULL,  -- canonical JSON
    UNIQUE (intent_digest, number)
) STRICT;

-- An approval ends once: the primary key is what makes it usable a single time.
CREATE TABLE approval_ends (
    approval TEXT PRIMARY KEY REFERENCES approvals (approval),
    how TEXT NOT NULL CHECK (how IN ('CONSUMED', 'REVOKED')),
    ended_at INTEGER NOT NULL
) STRICT;

CREATE TABLE operations (
    operation TEXT PRIMARY KEY,
    intent_digest TEXT NOT NULL UNIQUE REFERENCES intents (intent_digest),
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    head BLOB NOT NULL  -- head of the trail, 32 bytes
) STRICT;

CREATE TABLE trail (
    operation TEXT NOT NULL REFERENCES operations (operation),
    sequence INTEGER NOT NULL,
    previous BLOB NOT NULL,
    entry TEXT NOT NULL,  -- canonical JSON
    PRIMARY KEY (operation, sequence),
    UNIQUE (operation, previous)
) STRICT;
