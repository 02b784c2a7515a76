-- The issues that are assigned to a user, in the orders of their list.
CREATE INDEX CONCURRENTLY "issues_assignee_id_created_at_id_idx" ON "issues" ("assignee_id", "created_at", "id");
