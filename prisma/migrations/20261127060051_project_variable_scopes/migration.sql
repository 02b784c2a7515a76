CREATE UNIQUE INDEX CONCURRENTLY "variables_project_id_key_environment_scope_key" ON "variables" ("project_id", "key", "environment_scope");
