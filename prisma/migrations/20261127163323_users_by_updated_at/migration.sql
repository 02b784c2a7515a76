CREATE INDEX CONCURRENTLY "users_updated_at_id_idx" ON "users" ("updated_at", "id");
