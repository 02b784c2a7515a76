-- Issues and merge requests are assigned to any number of users, of whom assignee_id names the first.
CREATE TABLE "issue_assignees" (
    "issue_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "issue_assignees_pkey" PRIMARY KEY ("issue_id", "position")
);
CREATE UNIQUE INDEX "issue_assignees_issue_id_user_id_key" ON "issue_assignees" ("issue_id", "user_id");
CREATE INDEX "issue_assignees_user_id_position_issue_id_idx" ON "issue_assignees" ("user_id", "position", "issue_id");
ALTER TABLE "issue_assignees" ADD CONSTRAINT "issue_assignees_issue_id_fkey"
  FOREIGN KEY ("issue_id") REFERENCES "issues" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "issue_assignees" ADD CONSTRAINT "issue_assignees_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "merge_request_assignees" (
    "merge_request_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "merge_request_assignees_pkey" PRIMARY KEY ("merge_request_id", "position")
);
CREATE UNIQUE INDEX "merge_request_assignees_merge_request_id_user_id_key" ON "merge_request_assignees" ("merge_request_id", "user_id");
CREATE INDEX "merge_request_assignees_user_id_position_merge_request_id_idx" ON "merge_request_assignees" ("user_id", "position", "merge_request_id");
ALTER TABLE "merge_request_assignees" ADD CONSTRAINT "merge_request_assignees_merge_request_id_fkey"
  FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "merge_request_assignees" ADD CONSTRAINT "merge_request_assignees_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Servers of the version before only write the column: what they write is then the whole list. Those of this version write the
-- list first, and find nothing to do here.
CREATE FUNCTION "follow_issue_assignee"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."assignee_id" IS NOT DISTINCT FROM
    (SELECT a."user_id" FROM "issue_assignees" a WHERE a."issue_id" = NEW."id" AND a."position" = 0) THEN
    RETURN NULL;
  END IF;
  DELETE FROM "issue_assignees" WHERE "issue_id" = NEW."id";
  INSERT INTO "issue_assignees" ("issue_id", "user_id", "position")
    SELECT NEW."id", NEW."assignee_id", 0 WHERE NEW."assignee_id" IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER "issue_assigned" AFTER INSERT ON "issues"
  FOR EACH ROW WHEN (NEW."assignee_id" IS NOT NULL) EXECUTE FUNCTION "follow_issue_assignee"();
CREATE TRIGGER "issue_reassigned" AFTER UPDATE OF "assignee_id" ON "issues"
  FOR EACH ROW WHEN (OLD."assignee_id" IS DISTINCT FROM NEW."assignee_id") EXECUTE FUNCTION "follow_issue_assignee"();

CREATE FUNCTION "follow_merge_request_assignee"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."assignee_id" IS NOT DISTINCT FROM
    (SELECT a."user_id" FROM "merge_request_assignees" a WHERE a."merge_request_id" = NEW."id" AND a."position" = 0) THEN
    RETURN NULL;
  END IF;
  DELETE FROM "merge_request_assignees" WHERE "merge_request_id" = NEW."id";
  INSERT INTO "merge_request_assignees" ("merge_request_id", "user_id", "position")
    SELECT NEW."id", NEW."assignee_id", 0 WHERE NEW."assignee_id" IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER "merge_request_assigned" AFTER INSERT ON "merge_requests"
  FOR EACH ROW WHEN (NEW."assignee_id" IS NOT NULL) EXECUTE FUNCTION "follow_merge_request_assignee"();
CREATE TRIGGER "merge_request_reassigned" AFTER UPDATE OF "assignee_id" ON "merge_requests"
  FOR EACH ROW WHEN (OLD."assignee_id" IS DISTINCT FROM NEW."assignee_id") EXECUTE FUNCTION "follow_merge_request_assignee"();
