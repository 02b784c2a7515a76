CREATE INDEX CONCURRENTLY "users_public_email_idx" ON "users" ("public_email");
