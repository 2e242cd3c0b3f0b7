-- Drafts and the outbox that announces them. Text that is digested is kept as text; times are milliseconds since
-- 1970 in whole numbers, so that nothing changes on its way in or out.

CREATE TABLE drafts (
    review_id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    digest TEXT NOT NULL
);

CREATE TABLE outbox (
    message_id TEXT PRIMARY KEY,
    position BIGINT GENERATED ALWAYS AS IDENTITY,
    topic TEXT NOT NULL,
    body TEXT NOT NULL,
    repeats TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('PENDING', 'SENDING', 'SENT', 'UNKNOWN', 'EXHAUSTED')),
    attempts BIGINT NOT NULL,
    deadline BIGINT NOT NULL,
    reason TEXT NOT NULL,
    version BIGINT NOT NULL
);

CREATE INDEX outbox_by_state ON outbox (state, position);
