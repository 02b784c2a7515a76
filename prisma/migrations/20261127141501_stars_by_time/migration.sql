CREATE INDEX CONCURRENTLY "project_stars_project_id_created_at_user_id_idx" ON "project_stars" ("project_id", "created_at", "user_id");
