-- What asks for somebody's attention.
CREATE TYPE "todo_action" AS ENUM ('assigned', 'mentioned', 'build_failed', 'marked', 'approval_required', 'unmergeable',
    'directly_addressed');
CREATE TYPE "todo_state" AS ENUM ('pending', 'done');

CREATE TABLE "todos" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "author_id" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "issue_id" INTEGER,
    "merge_request_id" INTEGER,
    "note_id" INTEGER,
    "action" "todo_action" NOT NULL,
    "state" "todo_state" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "todos_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "todos_target" CHECK (num_nonnulls("issue_id", "merge_request_id") = 1)
);

-- Nobody has two pending ones about the same thing.
CREATE UNIQUE INDEX "todos_pending_issue" ON "todos"("user_id", "issue_id") WHERE "state" = 'pending' AND "issue_id" IS NOT NULL;
CREATE UNIQUE INDEX "todos_pending_merge_request" ON "todos"("user_id", "merge_request_id")
    WHERE "state" = 'pending' AND "merge_request_id" IS NOT NULL;
CREATE INDEX "todos_user_id_state_id_idx" ON "todos"("user_id", "state", "id");
CREATE INDEX "todos_user_id_state_project_id_id_idx" ON "todos"("user_id", "state", "project_id", "id");
CREATE INDEX "todos_author_id_idx" ON "todos"("author_id");
CREATE INDEX "todos_project_id_idx" ON "todos"("project_id");
CREATE INDEX "todos_issue_id_idx" ON "todos"("issue_id");
CREATE INDEX "todos_merge_request_id_idx" ON "todos"("merge_request_id");
CREATE INDEX "todos_note_id_idx" ON "todos"("note_id");

ALTER TABLE "todos" ADD CONSTRAINT "todos_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "todos" ADD CONSTRAINT "todos_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "todos" ADD CONSTRAINT "todos_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "todos" ADD CONSTRAINT "todos_issue_id_fkey" FOREIGN KEY ("issue_id") REFERENCES "issues"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "todos" ADD CONSTRAINT "todos_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "todos" ADD CONSTRAINT "todos_note_id_fkey" FOREIGN KEY ("note_id") REFERENCES "notes"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
