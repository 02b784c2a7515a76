CREATE INDEX CONCURRENTLY "ssh_keys_fingerprint_idx" ON "ssh_keys" ("fingerprint");
