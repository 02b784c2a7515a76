CREATE INDEX CONCURRENTLY "personal_access_tokens_name_trgm" ON "personal_access_tokens" USING GIN ("name" gin_trgm_ops);
