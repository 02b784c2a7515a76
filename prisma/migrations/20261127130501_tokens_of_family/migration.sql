CREATE INDEX CONCURRENTLY "personal_access_tokens_family_id_idx" ON "personal_access_tokens" ("family_id");
