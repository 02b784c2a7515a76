CREATE INDEX CONCURRENTLY "personal_access_tokens_project_id_id_idx" ON "personal_access_tokens" ("project_id", "id");
