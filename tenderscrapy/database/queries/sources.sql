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

-- name: close_stale_runs(code)
-- We hold the source's lock, so a run that says it is running has died without a word.
UPDATE crawl_run SET state = 'failed', finished_at = seen_alive_at, reason = 'the process ended without a word'
WHERE source_code = :code AND state = 'running'
RETURNING id;

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
