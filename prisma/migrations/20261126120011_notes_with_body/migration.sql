-- For searches: other than system notes.
CREATE INDEX CONCURRENTLY "notes_body_trgm" ON "notes" USING GIN ("body" gin_trgm_ops) WHERE NOT "system";
