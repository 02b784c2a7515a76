-- Servers of the previous version make no rows: a group without one is unordered, and gets its row with its next job.
INSERT INTO "resource_groups" ("project_id", "key")
SELECT DISTINCT "project_id", "resource_group" FROM "jobs" WHERE "resource_group" IS NOT NULL
ON CONFLICT DO NOTHING;
