-- Rows travel as one JSON array a statement: the server unpacks it, and every table is written by one statement a batch.

-- name: known_sources(rows)
-- The stored notices among those of a batch, with the tender that each belongs to.
SELECT s.id, s.source_code, s.notice_id, s.tender_id, s.content_hash, s.revised_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (source_code text, notice_id text)
JOIN tender_source s USING (source_code, notice_id);

-- name: key_owners(rows)
SELECT k.kind, k.value, k.tender_id
FROM json_to_recordset(CAST(:rows AS json)) AS r (kind text, value text)
JOIN tender_key k USING (kind, value);

-- name: ocids_of(ids)
SELECT tender_id, value FROM tender_key WHERE tender_id = ANY (CAST(:ids AS uuid[])) AND kind = 'ocid';

-- name: lock_tenders(ids)
-- In one order for every process, so that two batches over the same tenders wait instead of deadlocking.
SELECT id, content_hash FROM tender WHERE id = ANY (CAST(:ids AS uuid[])) ORDER BY id FOR UPDATE;

-- name: snapshots_of(ids)
SELECT tender_id, source_code, notice_id, snapshot FROM tender_source WHERE tender_id = ANY (CAST(:ids AS uuid[]));

-- name: ready_files(ids)
SELECT tender_id, source_url, sha256 FROM attachment WHERE tender_id = ANY (CAST(:ids AS uuid[])) AND status = 'ready';

-- name: touch_sources(ids)!
UPDATE tender_source SET last_seen_at = now() WHERE id = ANY (CAST(:ids AS bigint[]));

-- name: put_tenders(rows)!
-- Fields always follow the sources; the index only hears of a tender whose content hash is new.
INSERT INTO tender AS t (id, title, title_lang, description, buyer_name, buyers, country, nuts, cpv, notice_type,
    procedure_type, reference, value_amount, value_min_amount, value_currency, value_is_gross, published_at, deadline_at,
    deadline_is_date, deadline_zone, deadline_kind, status, ocid, lots, links, conflicts, content_hash)
SELECT r.* FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, title text, title_lang text, description text,
    buyer_name text, buyers jsonb, country text, nuts text[], cpv text[], notice_type text, procedure_type text,
    reference text, value_amount numeric, value_min_amount numeric, value_currency text, value_is_gross boolean,
    published_at timestamptz, deadline_at timestamptz, deadline_is_date boolean, deadline_zone text, deadline_kind text,
    status text, ocid text, lots jsonb, links jsonb, conflicts jsonb, content_hash text)
ON CONFLICT (id) DO UPDATE SET title = EXCLUDED.title, title_lang = EXCLUDED.title_lang,
    description = EXCLUDED.description, buyer_name = EXCLUDED.buyer_name, buyers = EXCLUDED.buyers,
    country = EXCLUDED.country, nuts = EXCLUDED.nuts, cpv = EXCLUDED.cpv, notice_type = EXCLUDED.notice_type,
    procedure_type = EXCLUDED.procedure_type, reference = EXCLUDED.reference, value_amount = EXCLUDED.value_amount,
    value_min_amount = EXCLUDED.value_min_amount, value_currency = EXCLUDED.value_currency,
    value_is_gross = EXCLUDED.value_is_gross, published_at = EXCLUDED.published_at,
    deadline_at = EXCLUDED.deadline_at, deadline_is_date = EXCLUDED.deadline_is_date,
    deadline_zone = EXCLUDED.deadline_zone, deadline_kind = EXCLUDED.deadline_kind, status = EXCLUDED.status,
    ocid = EXCLUDED.ocid, lots = EXCLUDED.lots, links = EXCLUDED.links, conflicts = EXCLUDED.conflicts,
    index_status = CASE WHEN t.content_hash = EXCLUDED.content_hash THEN t.index_status ELSE 'pending' END,
    updated_at = CASE WHEN t.content_hash = EXCLUDED.content_hash THEN t.updated_at ELSE now() END,
    content_hash = EXCLUDED.content_hash;

-- name: put_sources(rows)
-- A notice that another process stored meanwhile comes back without its row: the batch is then decided again.
INSERT INTO tender_source AS s (tender_id, source_code, notice_id, url, ocid, content_hash, snapshot, revised_at)
SELECT r.tender_id, r.source_code, r.notice_id, r.url, r.ocid, r.content_hash, r.snapshot, r.revised_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (tender_id uuid, source_code text, notice_id text, url text,
    ocid text, content_hash text, snapshot jsonb, revised_at timestamptz)
ON CONFLICT (source_code, notice_id) DO UPDATE SET url = EXCLUDED.url, ocid = EXCLUDED.ocid,
    content_hash = EXCLUDED.content_hash, snapshot = EXCLUDED.snapshot, revised_at = EXCLUDED.revised_at,
    last_seen_at = now()
WHERE s.tender_id = EXCLUDED.tender_id
RETURNING s.id, s.source_code, s.notice_id;

-- name: put_keys(rows)
INSERT INTO tender_key (kind, value, tender_id, tender_source_id)
SELECT r.kind, r.value, r.tender_id, r.tender_source_id
FROM json_to_recordset(CAST(:rows AS json)) AS r (kind text, value text, tender_id uuid, tender_source_id bigint)
ORDER BY r.kind, r.value
ON CONFLICT (kind, value) DO NOTHING
RETURNING kind, value;

-- name: put_versions(rows)!
INSERT INTO notice_version (tender_source_id, content_hash, snapshot, revised_at)
SELECT r.tender_source_id, r.content_hash, r.snapshot, r.revised_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (tender_source_id bigint, content_hash text, snapshot jsonb,
    revised_at timestamptz)
ON CONFLICT (tender_source_id, content_hash) DO NOTHING;

-- name: put_current_versions(ids)!
-- What the sources show now; the snapshots are here already and need not travel twice.
INSERT INTO notice_version (tender_source_id, content_hash, snapshot, revised_at)
SELECT id, content_hash, snapshot, revised_at FROM tender_source WHERE id = ANY (CAST(:ids AS bigint[])) ORDER BY id
ON CONFLICT (tender_source_id, content_hash) DO NOTHING;

-- name: put_decisions(rows)!
INSERT INTO match_decision (tender_source_id, candidate_tender_id, class, key_kind, algorithm_version)
SELECT r.tender_source_id, r.candidate_tender_id, r.class, r.key_kind, r.algorithm_version
FROM json_to_recordset(CAST(:rows AS json)) AS r (tender_source_id bigint, candidate_tender_id uuid, class text,
    key_kind text, algorithm_version text);

-- name: put_attachments(rows)!
INSERT INTO attachment AS a (tender_id, source_code, source_url, filename, description, media_type)
SELECT r.tender_id, r.source_code, r.source_url, r.filename, r.description, r.media_type
FROM json_to_recordset(CAST(:rows AS json)) AS r (tender_id uuid, source_code text, source_url text, filename text,
    description text, media_type text)
ON CONFLICT (tender_id, source_url) DO UPDATE SET status = 'pending', attempts = 0, next_attempt_at = now()
WHERE a.status = 'skipped';

-- name: skip_attachments(ids, rows)!
-- Files that the current editions of these tenders no longer name; ``rows`` holds those that they do name.
UPDATE attachment SET status = 'skipped'
WHERE tender_id = ANY (CAST(:ids AS uuid[])) AND status <> 'skipped'
  AND NOT EXISTS (
      SELECT FROM json_to_recordset(CAST(:rows AS json)) AS r (tender_id uuid, source_url text)
      WHERE r.tender_id = attachment.tender_id AND r.source_url = attachment.source_url);

-- name: put_outbox(rows)!
INSERT INTO outbox (topic, key, payload)
SELECT r.topic, r.key, r.payload
FROM json_to_recordset(CAST(:rows AS json)) AS r (topic text, key text, payload jsonb);

-- name: set_tender_hash(id, content_hash)!
UPDATE tender SET content_hash = :content_hash, index_status = 'pending', updated_at = now() WHERE id = :id;

-- name: put_quarantine(source_code, notice_id, payload, reason)!
INSERT INTO quarantine (source_code, notice_id, payload, reason)
VALUES (:source_code, :notice_id, CAST(:payload AS jsonb), :reason)
ON CONFLICT (source_code, notice_id) DO UPDATE
SET payload = EXCLUDED.payload, reason = EXCLUDED.reason, seen_at = now();

-- name: quarantined()
SELECT id, source_code, notice_id, payload FROM quarantine ORDER BY id;

-- name: leave_quarantine(source_code, notice_id)!
DELETE FROM quarantine WHERE source_code = :source_code AND notice_id = :notice_id;
