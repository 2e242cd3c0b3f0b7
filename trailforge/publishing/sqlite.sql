-- Statements of the publication store on SQLite.

-- read_clock --
SELECT seen_at FROM clock;

-- move_clock --
-- Returns the store's time: it never runs backwards.
UPDATE clock SET seen_at = max(seen_at, :now) RETURNING seen_at;

-- keep_intent --
INSERT INTO intents (intent_digest, body) VALUES (:intent_digest, :body) ON CONFLICT DO NOTHING;

-- read_intent --
SELECT body FROM intents WHERE intent_digest = :intent_digest;

-- count_approvals --
SELECT count(*) FROM approvals WHERE intent_digest = :intent_digest;

-- keep_approval --
INSERT INTO approvals (approval, intent_digest, number, body) VALUES (:approval, :intent_digest, :number, :body);

-- read_approval --
-- With how it ended, or NULL.
SELECT approvals.body, approval_ends.how
FROM approvals LEFT JOIN approval_ends USING (approval)
WHERE approval = :approval;

-- end_approval --
-- Returns nothing when it has ended before.
INSERT INTO approval_ends (approval, how, ended_at) VALUES (:approval, :how, :ended_at)
ON CONFLICT DO NOTHING
RETURNING approval;

-- open_operation --
INSERT INTO operations (operation, intent_digest, version, state, head)
VALUES (:operation, :intent_digest, :version, :state, :head);

-- move_operation --
-- Compare and swap: returns nothing when the operation is not at the expected version.
UPDATE operations SET version = :version, state = :state, head = :head
WHERE operation = :operation AND version = :expected_version
RETURNING operation;

-- append_trail --
INSERT INTO trail (operation, sequence, previous, entry) VALUES (:operation, :sequence, :previous, :entry);

-- read_operation --
SELECT intent_digest, version, state, head FROM operations WHERE operation = :operation;

-- read_trail --
SELECT sequence, previous, entry FROM trail WHERE operation = :operation ORDER BY sequence;

-- list_operations --
SELECT operation FROM operations WHERE state = :state ORDER BY operation;
