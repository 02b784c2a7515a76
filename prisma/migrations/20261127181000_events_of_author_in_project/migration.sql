-- The projects in which a user did something lately are found by one look into the index for each project.
CREATE INDEX CONCURRENTLY "events_author_id_project_id_created_at_idx" ON "events"("author_id", "project_id", "created_at");
