-- Finding tenders. {within} stands for the reader's filters on "c" (a chunk), {where} for those on "t" (a tender);
-- {operand} for the embedding cast as the model's approximate index has it.

-- name: tenders_by_number(forms, uuids, reference)
-- A number that a source, the procedure or its buyer gave; the tender's own id before all.
SELECT found.id
FROM (
    SELECT 0 AS rank, t.id FROM tender t WHERE t.id = ANY (CAST(:uuids AS uuid[]))
    UNION ALL
    SELECT 0, r.new_id FROM tender_redirect r WHERE r.old_id = ANY (CAST(:uuids AS uuid[]))
    UNION ALL
    SELECT 1, k.tender_id FROM tender_key k
    WHERE k.kind IN ('ocid', 'procedure_uuid', 'notice_uuid', 'oj_number', 'cosinex_project', 'netserver_oid')
      AND k.value = ANY (:forms)
    UNION ALL
    SELECT 1, t.id FROM tender t WHERE t.ocid = ANY (:forms)
    UNION ALL
    SELECT 1, s.tender_id FROM tender_source s WHERE s.notice_id = ANY (:forms)
    UNION ALL
    SELECT 2, t.id FROM tender t WHERE lower(t.reference) = :reference
) AS found
GROUP BY found.id
ORDER BY min(found.rank), found.id
LIMIT 200;

-- name: tenders_in_order(ids)
-- Those of a ranked list that pass the filters, in the order of the list.
SELECT t.id
FROM unnest(CAST(:ids AS uuid[])) WITH ORDINALITY AS ranked (id, position) JOIN tender t USING (id)
WHERE {where}
ORDER BY ranked.position;

-- name: tenders_of_cpv_branch(now, count)
-- What can still be bid for comes first.
SELECT t.id
FROM tender t
WHERE {where}
ORDER BY tender_state(t.status, t.deadline_at, :now) = 'open' DESC NULLS LAST, t.published_at DESC NULLS LAST, t.id
LIMIT :count;

-- name: active_model()^
SELECT model, dim, min_score FROM embedding_model WHERE active;

-- name: collection_size()^
-- Estimates that autovacuum keeps; -1 before its first look at a table.
SELECT (SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = CAST('chunk_embedding' AS regclass)) AS embeddings,
       (SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = CAST('chunk' AS regclass)) AS chunks,
       (SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = CAST('tender' AS regclass)) AS tenders;

-- name: count_within(enough)
SELECT count(*) FROM (SELECT FROM tender t WHERE {where} LIMIT :enough) AS counted;

-- name: nearest_exact(vector, model, count)
-- Each tender's nearest chunk. The operand is cast otherwise than in the index, so that no approximate plan is possible.
SELECT near.tender_id, CAST(near.best[2] AS bigint) AS chunk_id
FROM (
    SELECT c.tender_id, min(ARRAY[e.embedding <=> CAST(:vector AS halfvec), CAST(c.id AS float8)]) AS best
    FROM chunk_embedding e JOIN chunk c ON c.id = e.chunk_id
    WHERE e.model = :model AND {within}
    GROUP BY c.tender_id
) AS near
ORDER BY near.best, near.tender_id
LIMIT :count;

-- name: nearest_approximate(vector, model, chunks, count)
-- The index hands out rows in relaxed order; the materialised part takes them, the outer one puts them in order.
WITH near AS MATERIALIZED (
    SELECT c.tender_id, c.id, {operand} <=> CAST(:vector AS halfvec) AS distance
    FROM chunk_embedding e JOIN chunk c ON c.id = e.chunk_id
    WHERE e.model = :model AND {within}
    ORDER BY {operand} <=> CAST(:vector AS halfvec)
    LIMIT :chunks
)
SELECT best.tender_id, best.id AS chunk_id
FROM (SELECT DISTINCT ON (near.tender_id) near.* FROM near ORDER BY near.tender_id, near.distance, near.id) AS best
ORDER BY best.distance, best.id
LIMIT :count;

-- name: query_terms(words, configs, min_stem)
-- A word's stems in each language, and the same as beginnings of longer words: German and Dutch write compounds.
SELECT said.position, string_agg(DISTINCT said.exact, ' | ') AS exact,
       string_agg(DISTINCT regexp_replace(said.exact, '''((?:[^'']|''''){' || :min_stem || ',})''', '''\1'':*', 'g'), ' | ')
           AS begins
FROM (
    SELECT w.position, '(' || CAST(plainto_tsquery(config, w.word) AS text) || ')' AS exact
    FROM unnest(CAST(:words AS text[])) WITH ORDINALITY AS w (word, position)
    CROSS JOIN unnest(CAST(:configs AS regconfig[])) AS config
) AS said
WHERE said.exact <> '()'
GROUP BY said.position
ORDER BY said.position;

-- name: phrase_query(phrase, configs)$
SELECT string_agg(DISTINCT '(' || CAST(said AS text) || ')', ' | ')
FROM unnest(CAST(:configs AS regconfig[])) AS config
CROSS JOIN LATERAL phraseto_tsquery(config, :phrase) AS said
WHERE numnode(said) > 0;

-- name: chunk_frequencies(terms, enough)
-- In how many chunks each term occurs, counted up to :enough: beyond that a word says little.
SELECT (SELECT count(*)
        FROM (SELECT FROM chunk c WHERE c.words @@ CAST(term.query AS tsquery) LIMIT :enough) AS counted) AS frequency
FROM unnest(CAST(:terms AS text[])) WITH ORDINALITY AS term (query, position)
ORDER BY term.position;

-- name: matching_words(terms, weights, per_term, count)
-- Each tender's chunk that has the most telling words of the query.
SELECT best.tender_id, CAST(-best.match[2] AS bigint) AS chunk_id
FROM (
    SELECT matched.tender_id, max(ARRAY[matched.weight, CAST(-matched.id AS float8)]) AS match
    FROM (
        SELECT hit.tender_id, hit.id, sum(term.weight) AS weight
        FROM unnest(CAST(:terms AS text[]), CAST(:weights AS float8[])) AS term (query, weight)
        CROSS JOIN LATERAL (
            SELECT c.tender_id, c.id FROM chunk c
            WHERE c.words @@ CAST(term.query AS tsquery) AND {within}
            LIMIT :per_term
        ) AS hit
        GROUP BY hit.tender_id, hit.id
    ) AS matched
    GROUP BY matched.tender_id
) AS best
ORDER BY best.match DESC
LIMIT :count;

-- name: chunk_scores(chunks, vector, model, exact, begins, weights, body, beginning)
-- How near each chunk is in meaning, and what share of the query's weight its words cover. A word in the title counts
-- in full, elsewhere :body; a longer word that begins with it counts :beginning of that.
SELECT c.id AS chunk_id, c.tender_id, 1 - (e.embedding <=> CAST(:vector AS halfvec)) AS cosine,
       (SELECT coalesce(sum(term.weight * greatest(
                   CASE WHEN title.words @@ term.exact THEN 1 WHEN c.words @@ term.exact THEN :body ELSE 0 END,
                   CASE WHEN title.words @@ term.begins THEN 1 WHEN c.words @@ term.begins THEN :body ELSE 0 END
                       * :beginning)) / nullif(sum(term.weight), 0), 0)
        FROM unnest(CAST(CAST(:exact AS text[]) AS tsquery[]), CAST(CAST(:begins AS text[]) AS tsquery[]),
                    CAST(:weights AS float8[])) AS term (exact, begins, weight)
        CROSS JOIN ts_filter(c.words, '{a}') AS title (words)) AS coverage
FROM chunk c LEFT JOIN chunk_embedding e ON e.chunk_id = c.id AND e.model = :model
WHERE c.id = ANY (:chunks);

-- name: passages(chunks, marked, options)
-- The part of each chunk where the query's words stand, between private-use characters that the text itself loses.
SELECT c.id AS chunk_id, c.tender_id, c.attachment_id, f.filename, c.page, c.section,
       CASE WHEN :marked = '' THEN NULL
            ELSE ts_headline(text_config(c.lang), translate(c.text, E'\uE000\uE001', ''), CAST(:marked AS tsquery), :options)
       END AS headline,
       left(c.text, 4000) AS text
FROM chunk c LEFT JOIN attachment f ON f.id = c.attachment_id
WHERE c.id = ANY (:chunks);
