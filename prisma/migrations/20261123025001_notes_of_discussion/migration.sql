-- The answers of one thread.
CREATE INDEX CONCURRENTLY "notes_discussion_id_idx" ON "notes"("discussion_id");
