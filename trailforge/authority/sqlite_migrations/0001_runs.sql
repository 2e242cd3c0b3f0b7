-- One row: what this store is, fixed when it is created.
CREATE TABLE store (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    store_id TEXT NOT NULL,
    tenant_in_flight INTEGER NOT NULL,
    tenant_total INTEGER NOT NULL,
    global_in_flight INTEGER NOT NULL,
    global_total INTEGER NOT NULL
) STRICT;

-- Plans apart from runs, so that the row each commit rewrites stays small.
CREATE TABLE plans (
    binding_digest BLOB PRIMARY KEY CHECK (length(binding_digest) = 32),
    plan TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    run INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    binding_digest BLOB NOT NULL REFERENCES plans,
    version INTEGER NOT NULL CHECK (version >= 1),
    status TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    head BLOB NOT NULL CHECK (length(head) = 32),
    checksum BLOB NOT NULL CHECK (length(checksum) = 32)
) STRICT;

-- previous is the chain's head before the row. output is the accepted result, in the row whose receipt binds it.
-- One writer at a time and the compare-and-swap on runs.version keep two rows from continuing one.
CREATE TABLE journal (
    run INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    previous BLOB NOT NULL CHECK (length(previous) = 32),
    entry TEXT NOT NULL,
    state_digest BLOB NOT NULL CHECK (length(state_digest) = 32),
    output TEXT,
    PRIMARY KEY (run, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledgers (
    scope TEXT PRIMARY KEY,
    reserved INTEGER NOT NULL CHECK (reserved >= 0 AND reserved <= in_flight_cap),
    spent INTEGER NOT NULL CHECK (spent >= 0 AND spent + reserved <= total_cap),
    in_flight_cap INTEGER NOT NULL,
    total_cap INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
    notice INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL,
    task_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    UNIQUE (run_id, sequence)
) STRICT;

-- Ids of deleted runs: never used again.
CREATE TABLE retired (
    run_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
