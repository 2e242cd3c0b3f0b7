-- Digested text is kept as text, times as whole milliseconds: nothing that was hashed is read back as another type.

-- One row: what this store is, fixed when it is created.
CREATE TABLE store (
    only_row SMALLINT PRIMARY KEY CHECK (only_row = 1),
    store_id TEXT NOT NULL,
    tenant_in_flight BIGINT NOT NULL,
    tenant_total BIGINT NOT NULL,
    global_in_flight BIGINT NOT NULL,
    global_total BIGINT NOT NULL
);

-- Plans apart from runs, so that the row each commit rewrites stays small.
CREATE TABLE plans (
    binding_digest BYTEA PRIMARY KEY CHECK (length(binding_digest) = 32),
    plan TEXT NOT NULL
);

CREATE TABLE runs (
    run BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    binding_digest BYTEA NOT NULL REFERENCES plans (binding_digest),
    version BIGINT NOT NULL CHECK (version >= 1),
    status TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    head BYTEA NOT NULL CHECK (length(head) = 32),
    checksum BYTEA NOT NULL CHECK (length(checksum) = 32)
);

-- previous is the chain's head before the row; unique, so that two rows can never continue from one.
-- output is the accepted result, in the row whose receipt binds it.
CREATE TABLE journal (
    run BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    previous BYTEA NOT NULL CHECK (length(previous) = 32),
    entry TEXT NOT NULL,
    state_digest BYTEA NOT NULL CHECK (length(state_digest) = 32),
    output TEXT,
    PRIMARY KEY (run, sequence),
    UNIQUE (run, previous)
);

CREATE TABLE ledgers (
    scope TEXT PRIMARY KEY,
    reserved BIGINT NOT NULL CHECK (reserved >= 0 AND reserved <= in_flight_cap),
    spent BIGINT NOT NULL CHECK (spent >= 0 AND spent + reserved <= total_cap),
    in_flight_cap BIGINT NOT NULL,
    total_cap BIGINT NOT NULL
);

CREATE TABLE notices (
    notice BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    kind TEXT NOT NULL,
    task_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    UNIQUE (run_id, sequence)
);

-- Ids of deleted runs: never used again.
CREATE TABLE retired (
    run_id TEXT PRIMARY KEY
);
