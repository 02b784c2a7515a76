-- Those that were changed last, likewise.
CREATE INDEX CONCURRENTLY "issues_latest" ON "issues" ("updated_at", "id") WHERE "deleted_at" IS NULL;
