CREATE UNIQUE INDEX CONCURRENTLY "variables_namespace_id_key_environment_scope_key" ON "variables" ("namespace_id", "key", "environment_scope");
