-- Merge requests with a text in their title.
CREATE INDEX CONCURRENTLY "merge_requests_title_trgm" ON "merge_requests" USING GIN ("title" gin_trgm_ops);
