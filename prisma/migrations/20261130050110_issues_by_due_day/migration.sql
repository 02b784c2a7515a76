-- The open issues that are due on a day, of the whole server: for reminders.
CREATE INDEX CONCURRENTLY "issues_open_due_date" ON "issues" ("due_date", "id") WHERE "state" = 'opened' AND "deleted_at" IS NULL AND "due_date" IS NOT NULL;
