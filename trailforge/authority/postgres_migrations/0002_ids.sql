-- Every id this store ever gave to a run: none is given twice, whatever becomes of the run's row.
CREATE TABLE ids (
    run_id TEXT PRIMARY KEY,
    forgotten SMALLINT NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1))
);

INSERT INTO ids (run_id) SELECT run_id FROM runs;
INSERT INTO ids (run_id, forgotten) SELECT run_id, 1 FROM retired;
DROP TABLE retired;
