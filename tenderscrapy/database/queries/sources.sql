-- name: add_source(code, platform, name, enabled)!
-- A known source; the name follows the code, the rest belongs to the operator.
INSERT INTO source (code, platform, name, enabled)
VALUES (:code, :platform, :name, :enabled)
ON CONFLICT (code) DO UPDATE SET name = EXCLUDED.name, platform = EXCLUDED.platform
WHERE (source.name, source.platform) IS DISTINCT FROM (EXCLUDED.name, EXCLUDED.platform);

-- name: codes()
SELECT code FROM source ORDER BY code;

-- name: cursor_of(code)$
SELECT cursor FROM source WHERE code = :code;

-- name: set_cursor(code, platform, cursor)!
INSERT INTO source (code, platform, cursor, last_polled_at)
VALUES (:code, :platform, :cursor, now())
ON CONFLICT (code) DO UPDATE SET cursor = EXCLUDED.cursor, last_polled_at = now();

-- name: polled(code, not_before)!
UPDATE source SET last_polled_at = now(), not_before = :not_before WHERE code = :code;

-- name: newest_edition(code)$
-- The highest edition date committed; one from the future must not hide what comes before it.
SELECT max(revised_at) FROM tender_source WHERE source_code = :code AND revised_at <= now();

-- name: try_lock_source(code)$
SELECT pg_try_advisory_lock(hashtextextended('crawl ' || :code, 0));

-- name: notice_dead_peers()
-- The server lets go of a crawl's lock when its connection ends. A host that died without a word is noticed within about
-- a minute then, not after the two hours of most systems.
SELECT set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
       set_config('tcp_keepalives_count', '3', false);

-- name: close_stale_runs(code)
-- A living crawl holds its source's lock, on whatever host it runs; we hold that of :code. So a run that says it is
-- running, and whose lock nobody else holds, has died without a word.
UPDATE crawl_run SET state = 'failed', finished_at = seen_alive_at, reason = 'the process ended without a word'
WHERE state = 'running' AND (source_code = :code OR hashtextextended('crawl ' || source_code, 0) <> ALL (ARRAY(
    SELECT CAST(l.classid AS bigint) << 32 | CAST(l.objid AS bigint) FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))))
RETURNING source_code;

-- name: open_run(code, spider, process)$
INSERT INTO crawl_run (source_code, spider, process) VALUES (:code, :spider, :process) RETURNING id;

-- name: run_counts(id, announced, pages, fetched, new, changed, unchanged, rejected, quarantined, attachments_ok, attachments_failed)!
UPDATE crawl_run SET seen_alive_at = now(), announced = :announced, pages = :pages, fetched = :fetched, new = :new,
    changed = :changed, unchanged = :unchanged, rejected = :rejected, quarantined = :quarantined,
    attachments_ok = :attachments_ok, attachments_failed = :attachments_failed
WHERE id = :id;

-- name: close_run(id, state, reason)!
UPDATE crawl_run SET state = :state, reason = :reason, finished_at = coalesce(finished_at, now()), seen_alive_at = now()
WHERE id = :id;

-- name: overview()^
-- What this installation holds, for people.
SELECT (SELECT count(*) FROM tender) AS tenders,
       (SELECT count(*) FROM tender WHERE index_status = 'ready') AS indexed,
       (SELECT count(*) FROM tender WHERE index_status IN ('pending', 'processing')) AS waiting,
       (SELECT count(*) FROM attachment WHERE status = 'ready') AS files,
       (SELECT count(*) FROM attachment WHERE status = 'pending') AS files_waiting;

-- name: last_run(code)^
SELECT state, reason, fetched, new, changed FROM crawl_run WHERE source_code = :code ORDER BY id DESC LIMIT 1;
