-- Statements of the publication store on PostgreSQL.

-- server_time --
SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- lock_writers --
-- The row lock ends with the transaction; every writer takes it first.
SELECT seen_at FROM clock FOR UPDATE;

-- read_clock --
SELECT seen_at FROM clock;

-- move_clock --
-- Returns the store's time: it never runs backwards.
UPDATE clock SET seen_at = greatest(seen_at, %(now)s) RETURNING seen_at;

-- keep_intent --
INSERT INTO intents (intent_digest, body) VALUES (%(intent_digest)s, %(body)s) ON CONFLICT DO NOTHING;

-- read_intent --
SELECT body FROM intents WHERE intent_digest = %(intent_digest)s;

-- count_approvals --
SELECT count(*) FROM approvals WHERE intent_digest = %(intent_digest)s;

-- keep_approval --
INSERT INTO approvals (approval, intent_digest, number, body) VALUES (%(approval)s, %(intent_digest)s, %(number)s, %(body)s);

-- read_approval --
-- With how it ended, or NULL.
SELECT approvals.body, approval_ends.how
FROM approvals LEFT JOIN approval_ends USING (approval)
WHERE approval = %(approval)s;

-- end_approval --
-- Returns nothing when it has ended before.
INSERT INTO approval_ends (approval, how, ended_at) VALUES (%(approval)s, %(how)s, %(ended_at)s)
ON CONFLICT DO NOTHING
RETURNING approval;

-- open_operation --
INSERT INTO operations (operation, intent_digest, version, state, head)
VALUES (%(operation)s, %(intent_digest)s, %(version)s, %(state)s, %(head)s);

-- move_operation --
-- Compare and swap: returns nothing when the operation is not at the expected version.
UPDATE operations SET version = %(version)s, state = %(state)s, head = %(head)s
WHERE operation = %(operation)s AND version = %(expected_version)s
RETURNING operation;

-- append_trail --
INSERT INTO trail (operation, sequence, previous, entry) VALUES (%(operation)s, %(sequence)s, %(previous)s, %(entry)s);

-- read_operation --
SELECT intent_digest, version, state, head FROM operations WHERE operation = %(operation)s;

-- read_trail --
SELECT sequence, previous, entry FROM trail WHERE operation = %(operation)s ORDER BY sequence;

-- list_operations --
SELECT operation FROM operations WHERE state = %(state)s ORDER BY operation;
