-- Merge requests with a text in their description.
CREATE INDEX CONCURRENTLY "merge_requests_description_trgm" ON "merge_requests" USING GIN ("description" gin_trgm_ops);
