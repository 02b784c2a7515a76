CREATE UNIQUE INDEX CONCURRENTLY "namespaces_runners_token_hash_key" ON "namespaces" ("runners_token_hash");
