-- The users who are asked to review a merge request, and those who approved it.
CREATE TYPE "review_state" AS ENUM ('unreviewed', 'review_started', 'reviewed', 'approved', 'unapproved', 'requested_changes');

CREATE TABLE "merge_request_reviewers" (
    "id" SERIAL NOT NULL,
    "merge_request_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "state" "review_state" NOT NULL DEFAULT 'unreviewed',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "merge_request_reviewers_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "merge_request_reviewers_merge_request_id_user_id_key" ON "merge_request_reviewers" ("merge_request_id", "user_id");
CREATE INDEX "merge_request_reviewers_user_id_merge_request_id_idx" ON "merge_request_reviewers" ("user_id", "merge_request_id");
ALTER TABLE "merge_request_reviewers" ADD CONSTRAINT "merge_request_reviewers_merge_request_id_fkey"
  FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "merge_request_reviewers" ADD CONSTRAINT "merge_request_reviewers_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "merge_request_approvals" (
    "id" SERIAL NOT NULL,
    "merge_request_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "merge_request_approvals_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "merge_request_approvals_merge_request_id_user_id_key" ON "merge_request_approvals" ("merge_request_id", "user_id");
CREATE INDEX "merge_request_approvals_user_id_idx" ON "merge_request_approvals" ("user_id");
ALTER TABLE "merge_request_approvals" ADD CONSTRAINT "merge_request_approvals_merge_request_id_fkey"
  FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "merge_request_approvals" ADD CONSTRAINT "merge_request_approvals_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
