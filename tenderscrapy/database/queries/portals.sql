-- name: known_rows(code, ids)
-- What is stored of the notices that a page of a portal's list names.
SELECT notice_id, snapshot, last_seen_at FROM tender_source
WHERE source_code = :code AND notice_id = ANY (CAST(:ids AS text[]));

-- name: walked_clean()
-- Sources that were read whole once, with at least one notice.
SELECT DISTINCT source_code FROM crawl_run WHERE state = 'complete' AND fetched > 0;

-- name: last_state(code)$
-- How the newest run of a source that has ended did so.
SELECT state FROM crawl_run WHERE source_code = :code AND finished_at IS NOT NULL ORDER BY id DESC LIMIT 1;
