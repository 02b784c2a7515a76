CREATE INDEX CONCURRENTLY "personal_access_tokens_expires_at_id_idx" ON "personal_access_tokens" ("expires_at", "id");
