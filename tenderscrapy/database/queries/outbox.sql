-- Rows wait while published_at is NULL. One that left with an error is a dead letter.

-- name: claim_waiting(topic, lease, count)
-- A claim is a lease: it ends by itself when its holder dies. The key order of one tender's events does not matter.
UPDATE outbox SET claimed_until = now() + make_interval(secs => :lease), attempts = attempts + 1, error = NULL
WHERE id IN (
    SELECT id FROM outbox
    WHERE published_at IS NULL AND topic = :topic AND (claimed_until IS NULL OR claimed_until < now())
    ORDER BY id LIMIT :count FOR UPDATE SKIP LOCKED)
RETURNING id, key, payload, attempts;

-- name: renew(ids, lease)!
UPDATE outbox SET claimed_until = now() + make_interval(secs => :lease)
WHERE id = ANY (CAST(:ids AS bigint[])) AND published_at IS NULL;

-- name: settle(ids)!
UPDATE outbox SET published_at = now(), claimed_until = NULL, error = NULL
WHERE id = ANY (CAST(:ids AS bigint[])) AND published_at IS NULL;

-- name: put_off(ids, wait, error)!
UPDATE outbox SET claimed_until = now() + make_interval(secs => :wait), error = :error
WHERE id = ANY (CAST(:ids AS bigint[])) AND published_at IS NULL;

-- name: give_back(ids)!
-- As if never claimed: nobody tried.
UPDATE outbox SET claimed_until = NULL, attempts = greatest(attempts - 1, 0)
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
UPDATE outbox SET published_at = NULL, claimed_until = NULL, attempts = 0, error = NULL
WHERE published_at IS NOT NULL AND error IS NOT NULL AND topic = :topic;

-- name: unindexed(stuck_after)
-- Tenders that no waiting row will bring into the index. Dead letters stay dead until someone replays them.
SELECT t.id::text AS id, t.content_hash, coalesce(
    (SELECT s.source_code FROM tender_source s WHERE s.tender_id = t.id ORDER BY s.id LIMIT 1), 'unknown') AS source_code
FROM tender t
WHERE t.index_status <> 'ready' AND t.index_status <> 'failed'
  AND (t.index_status <> 'processing' OR t.processing_since IS NULL
       OR t.processing_since < now() - make_interval(secs => :stuck_after))
  AND NOT EXISTS (SELECT FROM outbox o WHERE o.key = t.id::text AND o.published_at IS NULL)
  AND NOT EXISTS (
      SELECT FROM outbox o
      WHERE o.key = t.id::text AND o.published_at IS NOT NULL AND o.error IS NOT NULL
        AND o.payload ->> 'content_hash' = t.content_hash);

-- name: stuck(stuck_after)
SELECT t.id::text AS id, t.content_hash, coalesce(
    (SELECT s.source_code FROM tender_source s WHERE s.tender_id = t.id ORDER BY s.id LIMIT 1), 'unknown') AS source_code
FROM tender t
WHERE t.index_status = 'processing' AND t.processing_since < now() - make_interval(secs => :stuck_after)
  AND NOT EXISTS (SELECT FROM outbox o WHERE o.key = t.id::text AND o.published_at IS NULL);

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
