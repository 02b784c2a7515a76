-- The confidential issues that somebody sees as their author.
CREATE INDEX CONCURRENTLY "issues_confidential_author" ON "issues" ("author_id") WHERE "confidential";
