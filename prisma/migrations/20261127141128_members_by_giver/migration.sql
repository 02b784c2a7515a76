CREATE INDEX CONCURRENTLY "members_created_by_id_idx" ON "members" ("created_by_id");
