-- For searches by title.
CREATE INDEX CONCURRENTLY "snippets_title_trgm" ON "snippets" USING GIN ("title" gin_trgm_ops);
