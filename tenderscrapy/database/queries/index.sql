-- name: load_tenders(ids)
SELECT id::text AS id, content_hash, indexed_hash, index_status, title, title_lang, description, buyer_name, country,
    nuts, cpv, notice_type, procedure_type, reference, value_amount, value_min_amount, value_currency, value_is_gross,
    published_at, deadline_at, deadline_is_date, deadline_zone, status, ocid, lots
FROM tender WHERE id = ANY (CAST(:ids AS uuid[]));

-- name: sources_of(ids)
SELECT tender_id::text AS tender_id, source_code, notice_id FROM tender_source
WHERE tender_id = ANY (CAST(:ids AS uuid[])) ORDER BY first_seen_at, id;

-- name: files_of(ids)
SELECT tender_id::text AS tender_id, id, coalesce(filename, '') AS filename, media_type, path FROM attachment
WHERE tender_id = ANY (CAST(:ids AS uuid[])) AND status = 'ready' ORDER BY id;

-- name: try_lock(work)$
-- Held by the session: it vanishes with a worker that dies. Two hashes of one tender are two pieces of work.
SELECT pg_try_advisory_lock(hashtextextended(:work, 7012));

-- name: unlock_all()$
SELECT pg_advisory_unlock_all();

-- name: set_processing(ids)
-- Those that are still to be done: another worker may have finished one since it was loaded.
UPDATE tender SET index_status = 'processing', processing_since = now()
WHERE id = ANY (CAST(:ids AS uuid[])) AND indexed_hash IS DISTINCT FROM content_hash
RETURNING id::text;

-- name: set_unchanged(ids)!
-- The content came back to what is indexed already.
UPDATE tender SET index_status = 'ready', index_error = NULL, processing_since = NULL
WHERE id = ANY (CAST(:ids AS uuid[])) AND indexed_hash = content_hash AND index_status <> 'ready';

-- name: release(ids)!
UPDATE tender SET index_status = 'pending', processing_since = NULL
WHERE id = ANY (CAST(:ids AS uuid[])) AND index_status = 'processing';

-- name: set_failed(id, content_hash, error)!
UPDATE tender SET index_status = 'failed', index_error = :error, processing_since = NULL
WHERE id = :id AND (index_status = 'processing' OR content_hash = :content_hash);

-- name: lock_hash(id)$
SELECT content_hash FROM tender WHERE id = :id FOR UPDATE;

-- name: delete_chunks(id)!
DELETE FROM chunk WHERE tender_id = :id;

-- name: put_chunks(id, title, buyer, rows)
INSERT INTO chunk (tender_id, attachment_id, ordinal, text, lang, page, section, start_offset, end_offset, words)
SELECT :id, r.attachment_id, r.ordinal, r.text, r.lang, r.page, r.section, r.start_offset, r.end_offset,
    chunk_words(r.lang, :title, :buyer, r.words)
FROM json_to_recordset(CAST(:rows AS json)) AS r (attachment_id bigint, ordinal integer, text text, words text, lang text,
    page integer, section text, start_offset integer, end_offset integer)
RETURNING id, ordinal;

-- name: put_embeddings(model, dim, ids, vectors)!
INSERT INTO chunk_embedding (chunk_id, model, dim, embedding)
SELECT v.chunk_id, :model, :dim, CAST(v.embedding AS halfvec)
FROM unnest(CAST(:ids AS bigint[]), CAST(:vectors AS text[])) AS v (chunk_id, embedding)
-- a chunk that was replaced meanwhile needs no vector
WHERE v.chunk_id IN (SELECT id FROM chunk WHERE id = ANY (CAST(:ids AS bigint[])) FOR KEY SHARE)
ON CONFLICT (chunk_id, model) DO UPDATE SET dim = EXCLUDED.dim, embedding = EXCLUDED.embedding;

-- name: set_extraction_errors(rows)!
UPDATE attachment SET extraction_error = r.error
FROM json_to_recordset(CAST(:rows AS json)) AS r (id bigint, error text)
WHERE attachment.id = r.id AND attachment.extraction_error IS DISTINCT FROM r.error;

-- name: set_ready(id, content_hash)!
UPDATE tender SET indexed_hash = :content_hash, index_status = 'ready', index_error = NULL, processing_since = NULL
WHERE id = :id;

-- name: active_model()^
SELECT model, dim FROM embedding_model WHERE active;

-- name: put_model(model, dim)!
INSERT INTO embedding_model (model, dim) VALUES (:model, :dim) ON CONFLICT (model) DO NOTHING;

-- name: model_dim(model)$
SELECT dim FROM embedding_model WHERE model = :model;

-- name: deactivate_models(model)!
-- Before the other one becomes active: the unique index is checked row by row.
UPDATE embedding_model SET active = false WHERE active AND model <> :model;

-- name: activate_model(model)!
UPDATE embedding_model SET active = true WHERE model = :model AND NOT active;

-- name: model_has_vectors(model)$
SELECT EXISTS (SELECT FROM chunk_embedding WHERE model = :model);

-- name: model_lock()$
SELECT pg_advisory_xact_lock(7012, 1);

-- name: counts()
SELECT index_status, count(*) FROM tender GROUP BY index_status;

-- name: chunks_without(model, after, count)
SELECT c.id, t.title, coalesce(t.description, ''), coalesce(c.section, ''), c.text
FROM chunk c JOIN tender t ON t.id = c.tender_id
WHERE c.id > :after AND NOT EXISTS (SELECT FROM chunk_embedding e WHERE e.chunk_id = c.id AND e.model = :model)
ORDER BY c.id LIMIT :count;

-- name: titled_passages(model, count)
-- Tenders with more to find than their card; spread over the collection, the same ones each time.
SELECT t.title, t.id::text FROM tender t
WHERE EXISTS (
    SELECT FROM chunk c JOIN chunk_embedding e ON e.chunk_id = c.id AND e.model = :model
    WHERE c.tender_id = t.id AND c.section <> 'card')
ORDER BY md5(t.id::text) LIMIT :count;

-- name: best_cosine(vector, model, tender_id)$
SELECT max(1 - (e.embedding <=> CAST(:vector AS halfvec)))
FROM chunk_embedding e JOIN chunk c ON c.id = e.chunk_id
WHERE e.model = :model AND c.tender_id = :tender_id AND c.section <> 'card';

-- name: set_min_score(model, score)!
UPDATE embedding_model SET min_score = :score WHERE model = :model;
