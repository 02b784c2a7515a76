-- Topics of projects are compared whatever their case, by an index.
CREATE FUNCTION "lower_texts"("texts" text[]) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT ARRAY(SELECT lower("text") FROM unnest("texts") "text") $$;
