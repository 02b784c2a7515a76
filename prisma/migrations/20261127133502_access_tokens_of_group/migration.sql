CREATE INDEX CONCURRENTLY "personal_access_tokens_namespace_id_id_idx" ON "personal_access_tokens" ("namespace_id", "id");
