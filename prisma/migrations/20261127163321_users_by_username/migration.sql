CREATE INDEX CONCURRENTLY "users_username_id_idx" ON "users" ("username", "id");
