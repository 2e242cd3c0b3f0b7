-- Statements of the SQLite authority. Parameters are named; `tenant_scope` is the tenant's ledger.

-- create_store --
-- The first opener decides what the store is; later ones find it decided.
INSERT OR IGNORE INTO store (only_row, store_id, tenant_in_flight, tenant_total, global_in_flight, global_total)
VALUES (1, :store_id, :tenant_in_flight, :tenant_total, :global_in_flight, :global_total);

-- create_ledger --
INSERT OR IGNORE INTO ledgers (scope, reserved, spent, in_flight_cap, total_cap)
VALUES (:scope, 0, 0, :in_flight_cap, :total_cap);

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
SELECT forgotten FROM ids WHERE run_id = :run_id;

-- take_id --
INSERT INTO ids (run_id) VALUES (:run_id);

-- create_plan --
INSERT OR IGNORE INTO plans (binding_digest, plan) VALUES (:binding_digest, :plan);

-- create_run --
-- Returns nothing when the id is taken. The number is above every one in use, also by rows whose run is gone.
INSERT INTO runs (run, run_id, tenant, binding_digest, version, status, checkpoint, head, checksum)
VALUES (1 + max(ifnull((SELECT max(run) FROM runs), 0), ifnull((SELECT max(run) FROM journal), 0)),
        :run_id, :tenant, :binding_digest, :version, :status, :checkpoint, :head, :checksum)
ON CONFLICT (run_id) DO NOTHING
RETURNING run;

-- move_checkpoint --
-- Compare and swap: returns nothing when the run is not at the expected version.
UPDATE runs
SET version = :version, status = :status, checkpoint = :checkpoint, head = :head, checksum = :checksum
WHERE run_id = :run_id AND version = :expected_version
RETURNING run;

-- append_journal --
INSERT INTO journal (run, sequence, previous, entry, state_digest, output)
VALUES (:run, :sequence, :previous, :entry, :state_digest, :output);

-- move_units --
-- Both ledgers or none: the caller requires two rows back. A cap is only asked when its figure grows.
UPDATE ledgers
SET reserved = reserved + :reserve - :settle, spent = spent + :settle
WHERE scope IN ('global', :tenant_scope)
  AND (:reserve <= :settle OR reserved + :reserve - :settle <= in_flight_cap)
  AND (:reserve = 0 OR reserved + spent + :reserve <= total_cap)
RETURNING 1;

-- read_ledgers --
SELECT scope, reserved, spent, in_flight_cap, total_cap FROM ledgers
WHERE scope IN ('global', :tenant_scope) ORDER BY scope DESC;

-- read_ledger --
SELECT reserved, spent FROM ledgers WHERE scope = :scope;

-- announce --
INSERT INTO notices (run_id, sequence, kind, task_id, reason)
VALUES (:run_id, :sequence, :kind, :task_id, :reason);

-- read_position --
SELECT version, head FROM runs WHERE run_id = :run_id;

-- settle_position --
-- After a failed write: what took effect.
SELECT version, head FROM runs WHERE run_id = :run_id;

-- read_run --
SELECT runs.run, tenant, binding_digest, version, status, checkpoint, head, checksum, plans.plan
FROM runs LEFT JOIN plans USING (binding_digest) WHERE run_id = :run_id;

-- read_journal --
SELECT sequence, previous, entry, state_digest, output FROM journal WHERE run = :run ORDER BY sequence;

-- list_runs --
SELECT run_id, tenant, status, version FROM runs WHERE :tenant IS NULL OR tenant = :tenant ORDER BY run_id;

-- list_notices --
SELECT run_id, sequence, kind, task_id, reason FROM notices
WHERE :run_id IS NULL OR run_id = :run_id ORDER BY notice;

-- delete_run --
-- A run with an attempt under way or in doubt reserves units: it is not deleted.
DELETE FROM runs WHERE run_id = :run_id AND version = :expected_version AND status NOT IN ('RUNNING', 'UNKNOWN')
RETURNING run, binding_digest;

-- read_status --
SELECT version, status FROM runs WHERE run_id = :run_id;

-- delete_journal --
DELETE FROM journal WHERE run = :run;

-- delete_notices --
DELETE FROM notices WHERE run_id = :run_id;

-- delete_plan --
DELETE FROM plans WHERE binding_digest = :binding_digest
  AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.binding_digest = :binding_digest);

-- retire_id --
UPDATE ids SET forgotten = 1 WHERE run_id = :run_id;

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
