-- The confidential issues that somebody sees as their assignee.
CREATE INDEX CONCURRENTLY "issues_confidential_assignee" ON "issues" ("assignee_id") WHERE "confidential";
