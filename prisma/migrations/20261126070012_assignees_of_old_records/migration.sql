-- The lists of what was assigned before there were any. The rows are locked, so that none is reassigned in between.
INSERT INTO "issue_assignees" ("issue_id", "user_id", "position")
  SELECT "id", "assignee_id", 0 FROM "issues" WHERE "assignee_id" IS NOT NULL FOR SHARE
  ON CONFLICT DO NOTHING;
INSERT INTO "merge_request_assignees" ("merge_request_id", "user_id", "position")
  SELECT "id", "assignee_id", 0 FROM "merge_requests" WHERE "assignee_id" IS NOT NULL FOR SHARE
  ON CONFLICT DO NOTHING;
