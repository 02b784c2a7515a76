CREATE INDEX CONCURRENTLY "users_created_by_id_idx" ON "users" ("created_by_id");
