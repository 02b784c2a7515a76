-- The releases of a project, by when they were created.
CREATE INDEX CONCURRENTLY "releases_by_creation" ON "releases" ("project_id", "created_at", "id");
