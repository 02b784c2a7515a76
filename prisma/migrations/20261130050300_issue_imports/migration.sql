-- Tables of issues that people send, row by row, and how far each is.
CREATE TABLE "issue_imports" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "rows" JSONB NOT NULL,
    "total_count" INTEGER NOT NULL,
    "next_row" INTEGER NOT NULL DEFAULT 0,
    "created_count" INTEGER NOT NULL DEFAULT 0,
    "failures" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "issue_imports_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "issue_imports_project_id_user_id_id_idx" ON "issue_imports"("project_id", "user_id", "id");
CREATE INDEX "issue_imports_user_id_idx" ON "issue_imports"("user_id");
CREATE INDEX "issue_imports_created_at_idx" ON "issue_imports"("created_at");

ALTER TABLE "issue_imports" ADD CONSTRAINT "issue_imports_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "issue_imports" ADD CONSTRAINT "issue_imports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
