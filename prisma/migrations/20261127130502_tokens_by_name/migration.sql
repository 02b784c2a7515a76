CREATE INDEX CONCURRENTLY "personal_access_tokens_name_id_idx" ON "personal_access_tokens" ("name", "id");
