CREATE INDEX CONCURRENTLY "users_created_at_id_idx" ON "users" ("created_at", "id");
