-- Statements of the PostgreSQL review store. The server's clock is the only one.

-- keep_draft --
-- Returns nothing when a draft of this review is stored already.
INSERT INTO drafts (review_id, body, digest) VALUES (%(review_id)s, %(body)s, %(digest)s)
ON CONFLICT (review_id) DO NOTHING
RETURNING review_id;

-- load_draft --
SELECT body, digest FROM drafts WHERE review_id = %(review_id)s;

-- add_message --
INSERT INTO outbox (message_id, topic, body, repeats, state, attempts, deadline, reason, version)
VALUES (%(message_id)s, %(topic)s, %(body)s, %(repeats)s, 'PENDING', 0, 0, '', 1)
ON CONFLICT (message_id) DO NOTHING;

-- claim --
-- SKIP LOCKED: two relays that claim at once get different messages and neither waits.
WITH due AS (
    SELECT message_id FROM outbox WHERE state = 'PENDING' ORDER BY position LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE outbox
SET state = 'SENDING', attempts = attempts + 1, version = version + 1,
    deadline = floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + %(sending_ms)s
FROM due WHERE outbox.message_id = due.message_id
RETURNING outbox.position, outbox.message_id, topic, body, repeats, state, attempts, deadline, reason, version;

-- settle --
-- Compare and swap; success after the deadline is doubt, judged by the server's clock.
UPDATE outbox
SET version = version + 1, deadline = 0,
    state = CASE WHEN %(state)s = 'SENT' AND state = 'SENDING' AND clock.now >= deadline
        THEN 'UNKNOWN' ELSE %(state)s END,
    reason = CASE WHEN %(state)s = 'SENT' AND state = 'SENDING' AND clock.now >= deadline
        THEN 'acknowledged ' || (clock.now - deadline) || ' ms after the deadline' ELSE %(reason)s END
FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS clock
WHERE message_id = %(message_id)s AND version = %(version)s
RETURNING position, message_id, topic, body, repeats, state, attempts, deadline, reason, version;

-- expire --
UPDATE outbox
SET state = 'UNKNOWN', deadline = 0, reason = 'no outcome was stored by the deadline', version = version + 1
WHERE state = 'SENDING' AND deadline <= floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
RETURNING message_id;

-- find --
SELECT position, message_id, topic, body, repeats, state, attempts, deadline, reason, version
FROM outbox WHERE message_id = %(message_id)s;

-- messages_in --
SELECT position, message_id, topic, body, repeats, state, attempts, deadline, reason, version
FROM outbox WHERE state = %(state)s ORDER BY position;
