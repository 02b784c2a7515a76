-- The labels of a project that have a priority, by which lists are ordered.
CREATE INDEX CONCURRENTLY "labels_with_priority" ON "labels" ("project_id") INCLUDE ("id", "priority") WHERE "priority" IS NOT NULL;
