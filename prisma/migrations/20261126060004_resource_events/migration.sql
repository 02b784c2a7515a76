-- What labels and milestones issues and merge requests were given and lost, and when they were closed, reopened and merged.
CREATE TYPE "resource_event_action" AS ENUM ('add', 'remove');
CREATE TYPE "resource_event_state" AS ENUM ('closed', 'reopened', 'merged');

CREATE TABLE "label_events" (
    "id" SERIAL NOT NULL,
    "issue_id" INTEGER,
    "merge_request_id" INTEGER,
    "user_id" INTEGER,
    "action" "resource_event_action" NOT NULL,
    "label_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "label_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "label_events_subject" CHECK (("issue_id" IS NULL) <> ("merge_request_id" IS NULL))
);

CREATE INDEX "label_events_issue_id_id_idx" ON "label_events"("issue_id", "id");
CREATE INDEX "label_events_merge_request_id_id_idx" ON "label_events"("merge_request_id", "id");
CREATE INDEX "label_events_user_id_idx" ON "label_events"("user_id");
CREATE INDEX "label_events_label_id_idx" ON "label_events"("label_id");

ALTER TABLE "label_events" ADD CONSTRAINT "label_events_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "label_events" ADD CONSTRAINT "label_events_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "label_events" ADD CONSTRAINT "label_events_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id")
    ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "label_events" ADD CONSTRAINT "label_events_label_id_fkey" FOREIGN KEY ("label_id") REFERENCES "labels"("id")
    ON DELETE SET NULL ON UPDATE CASCADE;

CREATE TABLE "milestone_events" (
    "id" SERIAL NOT NULL,
    "issue_id" INTEGER,
    "merge_request_id" INTEGER,
    "user_id" INTEGER,
    "action" "resource_event_action" NOT NULL,
    "milestone_id" INTEGER,
    "state" "merge_request_state" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "milestone_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "milestone_events_subject" CHECK (("issue_id" IS NULL) <> ("merge_request_id" IS NULL))
);

CREATE INDEX "milestone_events_issue_id_id_idx" ON "milestone_events"("issue_id", "id");
CREATE INDEX "milestone_events_merge_request_id_id_idx" ON "milestone_events"("merge_request_id", "id");
CREATE INDEX "milestone_events_user_id_idx" ON "milestone_events"("user_id");
CREATE INDEX "milestone_events_milestone_id_idx" ON "milestone_events"("milestone_id");

ALTER TABLE "milestone_events" ADD CONSTRAINT "milestone_events_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "milestone_events" ADD CONSTRAINT "milestone_events_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "milestone_events" ADD CONSTRAINT "milestone_events_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id")
    ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "milestone_events" ADD CONSTRAINT "milestone_events_milestone_id_fkey" FOREIGN KEY ("milestone_id") REFERENCES "milestones"("id")
    ON DELETE SET NULL ON UPDATE CASCADE;

CREATE TABLE "state_events" (
    "id" SERIAL NOT NULL,
    "issue_id" INTEGER,
    "merge_request_id" INTEGER,
    "user_id" INTEGER,
    "state" "resource_event_state" NOT NULL,
    "source_commit" TEXT,
    "source_merge_request_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "state_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "state_events_subject" CHECK (("issue_id" IS NULL) <> ("merge_request_id" IS NULL))
);

CREATE INDEX "state_events_issue_id_id_idx" ON "state_events"("issue_id", "id");
CREATE INDEX "state_events_merge_request_id_id_idx" ON "state_events"("merge_request_id", "id");
CREATE INDEX "state_events_user_id_idx" ON "state_events"("user_id");
CREATE INDEX "state_events_source_merge_request_id_idx" ON "state_events"("source_merge_request_id");

ALTER TABLE "state_events" ADD CONSTRAINT "state_events_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "state_events" ADD CONSTRAINT "state_events_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "state_events" ADD CONSTRAINT "state_events_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id")
    ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "state_events" ADD CONSTRAINT "state_events_source_merge_request_id_fkey" FOREIGN KEY ("source_merge_request_id") REFERENCES "merge_requests"("id")
    ON DELETE SET NULL ON UPDATE CASCADE;
