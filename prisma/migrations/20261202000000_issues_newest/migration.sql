-- The newest issues of the whole server: of lists across many projects, most of a page is among them.
CREATE INDEX CONCURRENTLY "issues_newest" ON "issues" ("created_at", "id") WHERE "deleted_at" IS NULL;
