-- Searches of many projects find comments on commits by their text.
CREATE INDEX CONCURRENTLY "commit_comments_note_trgm" ON "commit_comments" USING GIN ("note" gin_trgm_ops);
