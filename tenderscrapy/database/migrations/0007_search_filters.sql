-- What lets a search look at a few tenders only: those of a branch of the CPV or of a region, and their chunks.
-- depends: 0006_index_words

-- Every beginning of hierarchical codes from two characters on: a filter by a branch becomes an overlap that an index
-- answers, and that the planner can estimate. Doubles do no harm there.
CREATE FUNCTION code_branches(codes text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(
    SELECT left(code, length) FROM unnest(codes) AS code CROSS JOIN unnest('{2,3,4,5,6,7,8}'::integer[]) AS length
);
DROP INDEX tender_cpv;
CREATE INDEX tender_cpv_branches ON tender USING gin (code_branches(cpv));
CREATE INDEX tender_nuts_branches ON tender USING gin (code_branches(nuts));

-- A tender's chunks without reading the chunks, whose texts are long.
CREATE INDEX chunk_tender ON chunk (tender_id) INCLUDE (id);
-- A buyer's own number, as a reader types it.
CREATE INDEX tender_reference ON tender (lower(reference));
