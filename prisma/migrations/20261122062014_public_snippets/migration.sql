-- The snippets that everybody sees, newest first.
CREATE INDEX CONCURRENTLY "snippets_public" ON "snippets" ("id") WHERE "project_id" IS NULL AND "visibility" = 'public';
