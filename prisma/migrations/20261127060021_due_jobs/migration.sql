CREATE INDEX CONCURRENTLY "jobs_due" ON "jobs" ("scheduled_at") WHERE "scheduled_at" IS NOT NULL;
