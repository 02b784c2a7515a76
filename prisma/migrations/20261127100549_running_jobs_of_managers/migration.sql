CREATE INDEX CONCURRENTLY "jobs_running_of_manager" ON "jobs" ("manager_id") WHERE "status" IN ('running', 'canceling');
