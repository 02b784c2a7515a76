-- The order by last change that the issues of an author have.
CREATE INDEX CONCURRENTLY "issues_author_id_updated_at_id_idx" ON "issues"("author_id", "updated_at", "id");
