-- The releases of a project, by when they are released.
CREATE INDEX CONCURRENTLY "releases_by_release" ON "releases" ("project_id", "released_at", "id");
