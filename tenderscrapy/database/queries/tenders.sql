-- Tenders as they are shown. {where} stands for the reader's filters on "t", {after} for the place in the list,
-- {column} and {direction} for its order.

-- name: tenders_by_id(ids, now)
SELECT t.id, t.title, t.title_lang, t.description, t.buyer_name, t.buyers, t.country, t.nuts, t.cpv, t.notice_type,
       t.procedure_type, t.reference, t.value_amount, t.value_min_amount, t.value_currency, t.value_is_gross,
       t.published_at, t.deadline_at, t.deadline_is_date, t.deadline_zone, t.deadline_kind, t.status,
       tender_state(t.status, t.deadline_at, :now) AS state, t.ocid, t.lots, t.links, t.conflicts, t.index_status,
       t.created_at, t.updated_at
FROM unnest(CAST(:ids AS uuid[])) WITH ORDINALITY AS wanted (id, position) JOIN tender t USING (id)
ORDER BY wanted.position;

-- name: sources_of(ids)
SELECT s.tender_id, s.id, s.source_code, s.notice_id, s.url, s.ocid, s.first_seen_at, s.last_seen_at
FROM tender_source s
WHERE s.tender_id = ANY (CAST(:ids AS uuid[]))
ORDER BY s.tender_id, s.first_seen_at, s.id;

-- name: ready_files_of(ids)
SELECT tender_id, count(*) FROM attachment
WHERE tender_id = ANY (CAST(:ids AS uuid[])) AND status = 'ready'
GROUP BY tender_id;

-- name: attachments_of(id)
SELECT id, source_code, source_url, filename, description, media_type, status, size, sha256, error_message,
       extraction_error, fetched_at
FROM attachment
WHERE tender_id = :id
ORDER BY status = 'skipped', lower(coalesce(filename, source_url)), id;

-- name: versions_of(id)
-- Each notice's editions, oldest first: a source that is read from its newest page on is seen in another order.
SELECT v.tender_source_id, s.source_code, s.notice_id, v.content_hash, v.snapshot, v.revised_at, v.seen_at
FROM notice_version v JOIN tender_source s ON s.id = v.tender_source_id
WHERE s.tender_id = :id
ORDER BY v.tender_source_id, v.revised_at NULLS FIRST, v.seen_at, v.id;

-- name: redirected(id)$
-- Where a tender went that was joined with another one, however often that happened.
WITH RECURSIVE chain AS (
    SELECT r.new_id, 1 AS steps FROM tender_redirect r WHERE r.old_id = :id
    UNION ALL
    SELECT r.new_id, chain.steps + 1
    FROM chain JOIN tender_redirect r ON r.old_id = chain.new_id
    WHERE chain.steps < 20
)
SELECT chain.new_id FROM chain JOIN tender t ON t.id = chain.new_id ORDER BY chain.steps DESC LIMIT 1;

-- name: list_tenders(count)
SELECT t.id, t.published_at, t.deadline_at
FROM tender t
WHERE {where} AND {after}
ORDER BY t.{column} {direction} NULLS LAST, t.id
LIMIT :count;

-- name: count_tenders()
SELECT count(*) FROM tender t WHERE {where};

-- name: chunks_of(id)
SELECT id FROM chunk WHERE tender_id = :id ORDER BY ordinal LIMIT 2000;

-- name: file(id)^
SELECT path, filename, media_type, size FROM attachment WHERE id = :id AND status = 'ready';

-- name: sources()
SELECT s.code, s.platform, s.name, s.enabled, s.note, s.poll_interval, s.last_polled_at, s.not_before,
       coalesce(n.notices, 0) AS notices, r.state AS last_state, r.reason AS last_reason, r.started_at AS last_started_at
FROM source s
LEFT JOIN (SELECT source_code, count(*) AS notices FROM tender_source GROUP BY source_code) AS n ON n.source_code = s.code
LEFT JOIN LATERAL (
    -- the sample is one run for all the sources that it imitates
    SELECT c.state, c.reason, c.started_at FROM crawl_run c WHERE c.source_code IN (s.code, split_part(s.code, ':', 1))
    ORDER BY c.started_at DESC LIMIT 1
) AS r ON true
ORDER BY s.code;

-- name: source_names()
SELECT code, name FROM source;

-- name: runs(before, count)
SELECT id, source_code, spider, state, reason, started_at, seen_alive_at, finished_at, announced, pages, fetched, new,
       changed, unchanged, rejected, quarantined, attachments_ok, attachments_failed
FROM crawl_run
WHERE CAST(:before AS bigint) IS NULL OR id < :before
ORDER BY id DESC
LIMIT :count;

-- name: running()
-- What is being crawled now; a process that died without a word is not.
SELECT id, source_code, started_at, announced, pages, fetched, new, changed
FROM crawl_run
WHERE state = 'running' AND seen_alive_at > now() - interval '5 minutes'
ORDER BY started_at;

-- name: unindexed()$
SELECT count(*) FROM tender WHERE index_status IN ('pending', 'processing');

-- name: countries()
SELECT country, count(*) FROM tender WHERE country IS NOT NULL GROUP BY country;

-- name: source_counts()
SELECT source_code, count(DISTINCT tender_id) FROM tender_source GROUP BY source_code ORDER BY source_code;

-- name: state_counts(now)
SELECT tender_state(status, deadline_at, :now) AS state, count(*) FROM tender GROUP BY 1;
