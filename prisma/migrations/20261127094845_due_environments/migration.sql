CREATE INDEX CONCURRENTLY "environments_due" ON "environments" ("auto_stop_at") WHERE "auto_stop_at" IS NOT NULL;
