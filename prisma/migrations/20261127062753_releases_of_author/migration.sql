CREATE INDEX CONCURRENTLY "releases_author_id_idx" ON "releases" ("author_id");
