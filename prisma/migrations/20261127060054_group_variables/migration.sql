CREATE INDEX CONCURRENTLY "variables_namespace_id_id_idx" ON "variables" ("namespace_id", "id");
