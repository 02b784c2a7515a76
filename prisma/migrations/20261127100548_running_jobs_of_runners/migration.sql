CREATE INDEX CONCURRENTLY "jobs_running_of_runner" ON "jobs" ("runner_id") WHERE "status" IN ('running', 'canceling');
