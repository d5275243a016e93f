-- Files of tenders: who fetches which, and what became of it. A claim is a lease: whoever dies loses it.

-- name: claim(source_code, due_until, busy, lease)
-- The next file that is due and whose host is not in ``busy``; an empty source_code means all sources. The window keeps
-- the search short when one busy host has a long queue.
UPDATE attachment SET claimed_until = now() + make_interval(secs => :lease)
WHERE id = (
    SELECT a.id FROM attachment a JOIN (
        SELECT id, next_attempt_at FROM attachment
        WHERE status = 'pending' AND next_attempt_at <= least(now(), CAST(:due_until AS timestamptz))
          AND (claimed_until IS NULL OR claimed_until <= now())
          AND (:source_code = '' OR source_code = :source_code OR starts_with(source_code, :source_code || ':'))
        ORDER BY next_attempt_at, id
        LIMIT 20000) due ON due.id = a.id
    WHERE a.status = 'pending' AND (a.claimed_until IS NULL OR a.claimed_until <= now())
      AND NOT coalesce(lower(substring(a.source_url FROM '://\[?([^]/:?#]+)')), '') = ANY (CAST(:busy AS text[]))
    ORDER BY due.next_attempt_at, a.id
    LIMIT 1
    FOR UPDATE OF a SKIP LOCKED)
RETURNING id, tender_id::text, source_code, source_url, filename, media_type, attempts;

-- name: renew(ids, lease)!
UPDATE attachment SET claimed_until = now() + make_interval(secs => :lease)
WHERE id = ANY (CAST(:ids AS bigint[])) AND status = 'pending';

-- name: release(ids)!
UPDATE attachment SET claimed_until = NULL WHERE id = ANY (CAST(:ids AS bigint[]));

-- name: set_ready(rows)
-- A file that its tender no longer names, or that another process stored, is left as it is.
UPDATE attachment AS a SET status = 'ready', path = r.path, sha256 = r.sha256, size = r.size, filename = r.filename,
    media_type = r.media_type, error_message = NULL, extraction_error = NULL, claimed_until = NULL, fetched_at = now(),
    attempts = a.attempts + 1
FROM json_to_recordset(CAST(:rows AS json)) AS r (id bigint, path text, sha256 text, size bigint, filename text,
    media_type text)
WHERE a.id = r.id AND a.status = 'pending'
RETURNING a.tender_id::text, a.source_code;

-- name: set_retry(id, error_message, wait, attempts)!
UPDATE attachment SET error_message = :error_message, attempts = :attempts, claimed_until = NULL,
    next_attempt_at = now() + make_interval(secs => :wait)
WHERE id = :id AND status = 'pending';

-- name: set_failed(id, error_message, attempts)!
UPDATE attachment SET status = 'failed', error_message = :error_message, attempts = :attempts, claimed_until = NULL
WHERE id = :id AND status = 'pending';

-- name: more_of(tender_id, ids, source_code, due_until, busy)$
-- Whether files of a tender, other than ``ids``, can be had soon.
SELECT EXISTS (
    SELECT FROM attachment
    WHERE tender_id = :tender_id AND status = 'pending' AND NOT id = ANY (CAST(:ids AS bigint[]))
      AND next_attempt_at <= least(now() + interval '30 seconds', CAST(:due_until AS timestamptz))
      AND NOT coalesce(lower(substring(source_url FROM '://\[?([^]/:?#]+)')), '') = ANY (CAST(:busy AS text[]))
      AND (:source_code = '' OR source_code = :source_code OR starts_with(source_code, :source_code || ':')));

-- name: waiting(source_code, due_until, busy)^
-- Seconds until the next unclaimed file of a host that is not in ``busy`` is due, and whether there are claims.
SELECT
    extract(epoch FROM min(next_attempt_at) FILTER (
        WHERE (claimed_until IS NULL OR claimed_until <= now())
          AND next_attempt_at <= CAST(:due_until AS timestamptz)
          AND NOT coalesce(lower(substring(source_url FROM '://\[?([^]/:?#]+)')), '') = ANY (CAST(:busy AS text[]))) - now())::float,
    count(*) FILTER (WHERE claimed_until > now()) > 0
FROM attachment
WHERE status = 'pending'
  AND (:source_code = '' OR source_code = :source_code OR starts_with(source_code, :source_code || ':'));

-- name: now()$
SELECT now();

-- name: lock_tenders_of(ids)
-- In the order in which storage takes its locks: tenders, then their files.
SELECT t.id FROM tender t WHERE t.id IN (SELECT tender_id FROM attachment WHERE id = ANY (CAST(:ids AS bigint[])))
ORDER BY t.id FOR UPDATE;

-- name: counts(source_code)
SELECT status, count(*) FROM attachment
WHERE :source_code = '' OR source_code = :source_code OR starts_with(source_code, :source_code || ':')
GROUP BY status ORDER BY status;

-- name: referenced(paths)
SELECT DISTINCT path FROM attachment WHERE path = ANY (CAST(:paths AS text[]));
