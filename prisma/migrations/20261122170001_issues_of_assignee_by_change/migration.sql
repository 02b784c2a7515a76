-- The issues that are assigned to a user, in the orders of their list.
CREATE INDEX CONCURRENTLY "issues_assignee_id_updated_at_id_idx" ON "issues" ("assignee_id", "updated_at", "id");
