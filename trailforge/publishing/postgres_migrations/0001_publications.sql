-- Intents, the approvals of them, and the operations they led to. Nothing here is ever deleted.

CREATE TABLE clock (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    seen_at BIGINT NOT NULL  -- milliseconds since 1970; time never runs backwards here
);

INSERT INTO clock (only_row, seen_at) VALUES (1, 0);

CREATE TABLE intents (
    intent_digest TEXT PRIMARY KEY,
    body TEXT NOT NULL  -- canonical JSON
);

CREATE TABLE approvals (
    approval TEXT PRIMARY KEY,
    intent_digest TEXT NOT NULL REFERENCES intents (intent_digest),
    number BIGINT NOT NULL,
    body TEXT NOT NULL,  -- canonical JSON
    UNIQUE (intent_digest, number)
);

-- An approval ends once: the primary key is what makes it usable a single time.
CREATE TABLE approval_ends (
    approval TEXT PRIMARY KEY REFERENCES approvals (approval),
    how TEXT NOT NULL CHECK (how IN ('CONSUMED', 'REVOKED')),
    ended_at BIGINT NOT NULL
);

CREATE TABLE operations (
    operation TEXT PRIMARY KEY,
    intent_digest TEXT NOT NULL UNIQUE REFERENCES intents (intent_digest),
    version BIGINT NOT NULL,
    state TEXT NOT NULL,
    head BYTEA NOT NULL  -- head of the trail, 32 bytes
);

CREATE TABLE trail (
    operation TEXT NOT NULL REFERENCES operations (operation),
    sequence BIGINT NOT NULL,
    previous BYTEA NOT NULL,
    entry TEXT NOT NULL,  -- canonical JSON
    PRIMARY KEY (operation, sequence),
    UNIQUE (operation, previous)
);
