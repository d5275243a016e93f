-- Rows wait while published_at is NULL. One that left with an error is a dead letter.

-- name: hold(holder)$
-- For as long as the session lasts. Its number is new with each session: nothing can be left of an earlier one.
SELECT pg_advisory_lock(7013, :holder);

-- name: claim_waiting(topic, lease, count, holder)
-- A claim is a lease: it ends by itself, and at once when the session that holds it is gone. Without a holder only time
-- ends it. The key order of one tender's events does not matter.
UPDATE outbox
SET claimed_until = now() + make_interval(secs => :lease), claimed_by = :holder, attempts = attempts + 1, error = NULL
WHERE id IN (
    SELECT id FROM outbox
    WHERE published_at IS NULL AND topic = :topic
      AND (claimed_until IS NULL OR claimed_until < now() OR claimed_by IS NOT NULL AND claimed_by <> ALL (ARRAY(
          SELECT CAST(CAST(l.objid AS bigint) AS integer) FROM pg_locks l
          WHERE l.locktype = 'advisory' AND l.classid = 7013 AND l.objsubid = 2 AND l.granted
            AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))))
    ORDER BY id LIMIT :count FOR UPDATE SKIP LOCKED)
RETURNING id, key, payload, attempts;

-- name: renew(ids, lease)!
UPDATE outbox SET claimed_until = now() + make_interval(secs => :lease)
WHERE id = ANY (CAST(:ids AS bigint[])) AND published_at IS NULL;

-- name: settle(ids)!
UPDATE outbox SET published_at = now(), claimed_until = NULL, error = NULL
WHERE id = ANY (CAST(:ids AS bigint[])) AND published_at IS NULL;

-- name: put_off(ids, wait, error)!
UPDATE outbox SET claimed_until = now() + make_interval(secs => :wait), claimed_by = NULL, error = :error
WHERE id = ANY (CAST(:ids AS bigint[])) AND published_at IS NULL;

-- name: give_back(ids)!
-- As if never claimed: nobody tried.
UPDATE outbox SET claimed_until = NULL, claimed_by = NULL, attempts = greatest(attempts - 1, 0)
WHERE id = ANY (CAST(:ids AS bigint[])) AND published_at IS NULL;

-- name: bury(ids, error)!
UPDATE outbox SET published_at = now(), claimed_until = NULL, error = :error
WHERE id = ANY (CAST(:ids AS bigint[])) AND published_at IS NULL;

-- name: next_wait(topic)$
-- Seconds until a row that was put off may be tried again; NULL when none was.
SELECT extract(epoch FROM min(claimed_until) - now())::float FROM outbox
WHERE published_at IS NULL AND topic = :topic AND error IS NOT NULL AND claimed_until >= now();

-- name: waiting(topic)$
SELECT count(*) FROM outbox WHERE published_at IS NULL AND topic = :topic;

-- name: dead(topic)$
SELECT count(*) FROM outbox WHERE published_at IS NOT NULL AND error IS NOT NULL AND topic = :topic;

-- name: revive(topic)!
UPDATE outbox SET published_at = NULL, claimed_until = NULL, claimed_by = NULL, attempts = 0, error = NULL
WHERE published_at IS NOT NULL AND error IS NOT NULL AND topic = :topic;

-- name: unindexed()
-- Tenders that no waiting row will bring into the index. Dead letters stay dead until someone replays them.
SELECT t.id::text AS id, t.content_hash, coalesce(
    (SELECT s.source_code FROM tender_source s WHERE s.tender_id = t.id ORDER BY s.id LIMIT 1), 'unknown') AS source_code
FROM tender t
WHERE t.index_status = 'pending'
  AND NOT EXISTS (SELECT FROM outbox o WHERE o.key = t.id::text AND o.published_at IS NULL)
  AND NOT EXISTS (
      SELECT FROM outbox o
      WHERE o.key = t.id::text AND o.published_at IS NOT NULL AND o.error IS NOT NULL
        AND o.payload ->> 'content_hash' = t.content_hash);

-- name: take_from_dead(stuck_after)
-- Tenders whose worker is gone, which are pending again: nobody holds the lock of their work (index.sql, try_lock). One
-- that is held for longer than :stuck_after may be held by a session that cannot notice its end: somebody should look.
UPDATE tender t
SET index_status = CASE WHEN found.free THEN 'pending' ELSE 'processing' END,
    processing_since = CASE WHEN found.free THEN NULL ELSE now() END
FROM (
    SELECT p.id, hashtextextended(p.id || ' ' || p.content_hash, 7012) <> ALL (ARRAY(
               SELECT CAST(l.classid AS bigint) << 32 | CAST(l.objid AS bigint) FROM pg_locks l
               WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
                 AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))) AS free
    FROM tender p WHERE p.index_status = 'processing' FOR UPDATE SKIP LOCKED
) AS found
WHERE t.id = found.id
  AND (found.free OR t.processing_since IS NULL OR t.processing_since < now() - make_interval(secs => :stuck_after))
RETURNING t.id::text AS id, t.content_hash, coalesce(
    (SELECT s.source_code FROM tender_source s WHERE s.tender_id = t.id ORDER BY s.id LIMIT 1), 'unknown') AS source_code,
    EXISTS (SELECT FROM outbox o WHERE o.key = t.id::text AND o.published_at IS NULL) AS waits;

-- name: held()$
-- Tenders that some worker is at, and those whose events one has claimed.
SELECT count(*) FROM (
    SELECT t.id::text FROM tender t WHERE t.index_status = 'processing'
    UNION
    SELECT o.key FROM outbox o
    WHERE o.published_at IS NULL AND o.claimed_until >= now() AND o.claimed_by IS NOT NULL) AS held;

-- name: not_ready()
SELECT t.id::text AS id, t.content_hash, coalesce(
    (SELECT s.source_code FROM tender_source s WHERE s.tender_id = t.id ORDER BY s.id LIMIT 1), 'unknown') AS source_code
FROM tender t
WHERE t.index_status <> 'ready'
  AND NOT EXISTS (SELECT FROM outbox o WHERE o.key = t.id::text AND o.published_at IS NULL);

-- name: put_rows(rows)!
INSERT INTO outbox (topic, key, payload)
SELECT r.topic, r.key, r.payload
FROM json_to_recordset(CAST(:rows AS json)) AS r (topic text, key text, payload jsonb);

-- name: sweep_published(days)!
DELETE FROM outbox WHERE published_at < now() - make_interval(days => :days) AND error IS NULL;
