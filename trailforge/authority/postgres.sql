-- Statements of the PostgreSQL authority. Parameters are named; `tenant_scope` is the tenant's ledger.

-- create_store --
-- The first opener decides what the store is; later ones find it decided.
INSERT INTO store (only_row, store_id, tenant_in_flight, tenant_total, global_in_flight, global_total)
VALUES (1, %(store_id)s, %(tenant_in_flight)s, %(tenant_total)s, %(global_in_flight)s, %(global_total)s)
ON CONFLICT DO NOTHING;

-- create_ledger --
INSERT INTO ledgers (scope, reserved, spent, in_flight_cap, total_cap)
VALUES (%(scope)s, 0, 0, %(in_flight_cap)s, %(total_cap)s)
ON CONFLICT DO NOTHING;

-- read_store --
SELECT store_id, tenant_in_flight, tenant_total, global_in_flight, global_total FROM store;

-- edited_caps --
-- Ledgers whose caps are not those of the store.
SELECT scope FROM ledgers CROSS JOIN store
WHERE (scope = 'global' AND (in_flight_cap <> global_in_flight OR total_cap <> global_total))
   OR (scope <> 'global' AND (in_flight_cap <> tenant_in_flight OR total_cap <> tenant_total))
ORDER BY scope;

-- find_id --
-- Whether the id was ever given out, and whether its run was deleted since.
SELECT forgotten FROM ids WHERE run_id = %(run_id)s;

-- take_id --
INSERT INTO ids (run_id) VALUES (%(run_id)s);

-- create_plan --
INSERT INTO plans (binding_digest, plan) VALUES (%(binding_digest)s, %(plan)s)
ON CONFLICT DO NOTHING;

-- create_run --
-- Returns nothing when the id is taken.
INSERT INTO runs (run_id, tenant, binding_digest, version, status, checkpoint, head, checksum)
VALUES (%(run_id)s, %(tenant)s, %(binding_digest)s, %(version)s, %(status)s, %(checkpoint)s, %(head)s, %(checksum)s)
ON CONFLICT (run_id) DO NOTHING
RETURNING run;

-- move_checkpoint --
-- Compare and swap: returns nothing when the run is not at the expected version.
UPDATE runs
SET version = %(version)s, status = %(status)s, checkpoint = %(checkpoint)s, head = %(head)s, checksum = %(checksum)s
WHERE run_id = %(run_id)s AND version = %(expected_version)s
RETURNING run;

-- append_journal --
INSERT INTO journal (run, sequence, previous, entry, state_digest, output)
VALUES (%(run)s, %(sequence)s, %(previous)s, %(entry)s, %(state_digest)s, %(output)s);

-- move_units --
-- Both ledgers or none: the caller requires two rows back. A cap is only asked when its figure grows.
-- The rows are locked in the order of their names, so that no two writers wait for each other.
WITH locked AS (
    SELECT scope FROM ledgers WHERE scope IN ('global', %(tenant_scope)s) ORDER BY scope FOR UPDATE
)
UPDATE ledgers
SET reserved = reserved + %(reserve)s::bigint - %(settle)s::bigint, spent = spent + %(settle)s::bigint
FROM locked
WHERE ledgers.scope = locked.scope
  AND (%(reserve)s::bigint <= %(settle)s::bigint
       OR reserved + %(reserve)s::bigint - %(settle)s::bigint <= in_flight_cap)
  AND (%(reserve)s::bigint = 0 OR reserved + spent + %(reserve)s::bigint <= total_cap)
RETURNING 1;

-- read_ledgers --
SELECT scope, reserved, spent, in_flight_cap, total_cap FROM ledgers
WHERE scope IN ('global', %(tenant_scope)s) ORDER BY scope DESC;

-- read_ledger --
SELECT reserved, spent FROM ledgers WHERE scope = %(scope)s;

-- announce --
INSERT INTO notices (run_id, sequence, kind, task_id, reason)
VALUES (%(run_id)s, %(sequence)s, %(kind)s, %(task_id)s, %(reason)s);

-- read_position --
SELECT version, head FROM runs WHERE run_id = %(run_id)s;

-- settle_position --
-- After a failed write: what took effect. Waits for a server process that may still be committing it.
SELECT version, head FROM runs WHERE run_id = %(run_id)s FOR UPDATE;

-- read_run --
SELECT runs.run, tenant, binding_digest, version, status, checkpoint, head, checksum, plans.plan
FROM runs LEFT JOIN plans USING (binding_digest) WHERE run_id = %(run_id)s;

-- read_journal --
SELECT sequence, previous, entry, state_digest, output FROM journal WHERE run = %(run)s ORDER BY sequence;

-- list_runs --
SELECT run_id, tenant, status, version FROM runs WHERE %(tenant)s::text IS NULL OR tenant = %(tenant)s ORDER BY run_id;

-- list_notices --
SELECT run_id, sequence, kind, task_id, reason FROM notices
WHERE %(run_id)s::text IS NULL OR run_id = %(run_id)s ORDER BY notice;

-- delete_run --
-- A run with an attempt under way or in doubt reserves units: it is not deleted.
DELETE FROM runs WHERE run_id = %(run_id)s AND version = %(expected_version)s AND status NOT IN ('RUNNING', 'UNKNOWN')
RETURNING run, binding_digest;

-- read_status --
SELECT version, status FROM runs WHERE run_id = %(run_id)s;

-- delete_journal --
DELETE FROM journal WHERE run = %(run)s;

-- delete_notices --
DELETE FROM notices WHERE run_id = %(run_id)s;

-- delete_plan --
DELETE FROM plans WHERE binding_digest = %(binding_digest)s
  AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.binding_digest = %(binding_digest)s);

-- retire_id --
UPDATE ids SET forgotten = 1 WHERE run_id = %(run_id)s;

-- orphans --
-- Rows that belong to no run: the mark of a deletion that was cut short by hand.
SELECT DISTINCT run FROM journal
WHERE run NOT IN (SELECT run FROM runs);

-- lost_runs --
-- Ids that were given out and not retired, without their run.
SELECT run_id FROM ids WHERE forgotten = 0 AND run_id NOT IN (SELECT run_id FROM runs) ORDER BY run_id;

-- unnamed_runs --
-- Runs whose id was never given out, or is retired: nothing would keep the id from being given out again.
SELECT run_id FROM runs WHERE run_id NOT IN (SELECT run_id FROM ids WHERE forgotten = 0) ORDER BY run_id;

-- now --
SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- server --
SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit'),
       current_setting('full_page_writes'), current_schema();
