CREATE INDEX CONCURRENTLY "personal_access_tokens_last_used_at_id_idx" ON "personal_access_tokens" ("last_used_at", "id");
