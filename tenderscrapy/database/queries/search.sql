-- Finding tenders. {within}, {early} and {late} stand for the reader's filters on "c" (a chunk, by its tender_id), {among}
-- for the same on "e" (its vector), {where} for those on "t" (a tender), {operand} for the vector cast as the index has it.

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

-- name: collection_size(enough)^
-- Chunks counted up to :enough; the others are estimates that autovacuum keeps, -1 before its first look at a table.
SELECT (SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = CAST('chunk_embedding' AS regclass)) AS embeddings,
       (SELECT count(*) FROM (SELECT FROM chunk LIMIT :enough) AS counted) AS chunks,
       (SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = CAST('tender' AS regclass)) AS tenders;

-- name: count_within(enough)
SELECT count(*) FROM (SELECT FROM tender t WHERE {where} LIMIT :enough) AS counted;

-- name: nearest_exact(vector, model, chunks, count)
-- The nearest chunk of each tender, out of the :chunks nearest; seen says how many of these there were. The distance is
-- all that travels: rows with their vectors would not fit into the memory of a sort.
WITH allowed AS MATERIALIZED (
    SELECT c.id FROM chunk c WHERE {within}
),
compared AS MATERIALIZED (
    SELECT e.chunk_id, e.embedding <=> CAST(:vector AS halfvec) AS distance
    FROM chunk_embedding e
    WHERE e.model = :model AND {among}
),
near AS (
    SELECT compared.chunk_id, compared.distance FROM compared ORDER BY compared.distance, compared.chunk_id LIMIT :chunks
)
SELECT CAST(best.place[2] AS bigint) AS chunk_id, best.seen
FROM (
    SELECT min(ARRAY[near.distance, CAST(near.chunk_id AS float8)]) AS place, sum(count(*)) OVER () AS seen
    FROM near JOIN chunk c ON c.id = near.chunk_id
    GROUP BY c.tender_id
) AS best
ORDER BY best.place
LIMIT :count;

-- name: nearest_approximate(vector, model, chunks, count)
-- The same by the model's index, which only answers an operand cast as it is. Its rows come in relaxed order: the
-- materialised part takes them, the outer one sorts. The filters look at one row after the other as the index hands it
-- out, so {among} is a scalar subquery, which the planner cannot turn into a join.
WITH near AS MATERIALIZED (
    SELECT e.chunk_id, {operand} <=> CAST(:vector AS halfvec) AS distance
    FROM chunk_embedding e
    WHERE e.model = :model AND {among}
    ORDER BY {operand} <=> CAST(:vector AS halfvec)
    LIMIT :chunks
)
SELECT CAST(best.place[2] AS bigint) AS chunk_id, best.seen
FROM (
    SELECT min(ARRAY[near.distance, CAST(near.chunk_id AS float8)]) AS place, sum(count(*)) OVER () AS seen
    FROM near JOIN chunk c ON c.id = near.chunk_id
    GROUP BY c.tender_id
) AS best
ORDER BY best.place
LIMIT :count;

-- name: query_terms(words, configs, compounding, min_stem)
-- A word's stems in each language, and those of the :compounding ones also as beginnings of longer words: a stemmer of
-- another language may cut into the second part of a compound (Schulb-us), which then begins quite other words.
SELECT said.position, string_agg(DISTINCT said.exact, ' | ') AS exact,
       string_agg(DISTINCT CASE WHEN said.compounding
           THEN regexp_replace(said.exact, '''((?:[^'']|''''){' || :min_stem || ',})''', '''\1'':*', 'g')
           ELSE said.exact END, ' | ') AS begins
FROM (
    SELECT w.position, config = ANY (CAST(:compounding AS regconfig[])) AS compounding,
           '(' || CAST(plainto_tsquery(config, w.word) AS text) || ')' AS exact
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
-- Each tender's chunk that has the most telling words of the query. {early} narrows each word's chunks, {late} the
-- tenders that are left: where the words are rare the filters look at few rows that way. Weights are added as whole
-- numbers, whose sum does not depend on the order that a plan meets them in; the id with a sign keeps the planner from
-- walking the table in that order.
SELECT CAST(-c.match[2] AS bigint) AS chunk_id
FROM (
    SELECT matched.tender_id, max(ARRAY[CAST(matched.weight AS float8), CAST(-matched.id AS float8)]) AS match
    FROM (
        SELECT hit.tender_id, hit.id, sum(CAST(round(term.weight * 1e6) AS bigint)) AS weight
        FROM unnest(CAST(:terms AS text[]), CAST(:weights AS float8[])) AS term (query, weight)
        CROSS JOIN LATERAL (
            SELECT c.tender_id, c.id FROM chunk c
            WHERE c.words @@ CAST(term.query AS tsquery) AND {early}
            ORDER BY -c.id LIMIT :per_term
        ) AS hit
        GROUP BY hit.tender_id, hit.id
    ) AS matched
    GROUP BY matched.tender_id
) AS c
WHERE {late}
ORDER BY c.match DESC
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

-- name: passages(chunks, marked, options, card)
-- The part of each chunk where the query's words stand, between private-use characters that the text itself loses. A card
-- repeats what is shown beside it anyway: the description speaks in its place.
SELECT shown.chunk_id, shown.tender_id, shown.attachment_id, shown.filename, shown.page, shown.section,
       CASE WHEN :marked = '' THEN NULL
            ELSE ts_headline(text_config(shown.lang), shown.text, CAST(:marked AS tsquery), :options)
       END AS headline,
       left(shown.text, 1000) AS beginning
FROM (
    SELECT c.id AS chunk_id, c.tender_id, c.attachment_id, f.filename, c.page,
           CASE WHEN said.own THEN c.section ELSE 'description' END AS section,
           CASE WHEN said.own THEN c.lang ELSE t.title_lang END AS lang,
           translate(left(CASE WHEN said.own THEN c.text ELSE t.description END, 20000), E'\uE000\uE001', '') AS text
    FROM chunk c
    JOIN tender t ON t.id = c.tender_id
    LEFT JOIN attachment f ON f.id = c.attachment_id
    CROSS JOIN LATERAL (SELECT c.section IS DISTINCT FROM :card OR t.description IS NULL AS own) AS said
    WHERE c.id = ANY (:chunks)
) AS shown;
