CREATE UNIQUE INDEX CONCURRENTLY "variables_server_key" ON "variables" ("key") WHERE "project_id" IS NULL AND "namespace_id" IS NULL;
