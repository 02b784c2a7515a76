CREATE INDEX CONCURRENTLY "deploy_keys_fingerprint_idx" ON "deploy_keys" ("fingerprint");
