-- For takeovers of placeholders, and for the deletion of users, which clears these columns. Most rows have nobody in them.
CREATE INDEX "issues_updated_by" ON "issues" ("updated_by_id") WHERE "updated_by_id" IS NOT NULL;
CREATE INDEX "issues_last_edited_by" ON "issues" ("last_edited_by_id") WHERE "last_edited_by_id" IS NOT NULL;
CREATE INDEX "merge_requests_updated_by" ON "merge_requests" ("updated_by_id") WHERE "updated_by_id" IS NOT NULL;
CREATE INDEX "merge_requests_last_edited_by" ON "merge_requests" ("last_edited_by_id") WHERE "last_edited_by_id" IS NOT NULL;
