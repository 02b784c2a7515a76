-- How long issues and merge requests are thought to take, in seconds.
ALTER TABLE "issues" ADD COLUMN "time_estimate" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "merge_requests" ADD COLUMN "time_estimate" INTEGER NOT NULL DEFAULT 0;

-- Who spent how long on what, and when. What is taken back is an entry below zero; the sum is the time spent in total.
CREATE TABLE "timelogs" (
    "id" SERIAL NOT NULL,
    "issue_id" INTEGER,
    "merge_request_id" INTEGER,
    "user_id" INTEGER NOT NULL,
    "seconds" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "timelogs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "timelogs_subject" CHECK (num_nonnulls("issue_id", "merge_request_id") = 1)
);

CREATE INDEX "timelogs_issue_id_id_idx" ON "timelogs"("issue_id", "id");
CREATE INDEX "timelogs_merge_request_id_id_idx" ON "timelogs"("merge_request_id", "id");
CREATE INDEX "timelogs_user_id_idx" ON "timelogs"("user_id");

ALTER TABLE "timelogs" ADD CONSTRAINT "timelogs_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "timelogs" ADD CONSTRAINT "timelogs_merge_request_id_fkey" FOREIGN KEY ("merge_request_id")
    REFERENCES "merge_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- A server of the previous version deletes users without giving their entries to the ghost: they go then.
ALTER TABLE "timelogs" ADD CONSTRAINT "timelogs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
