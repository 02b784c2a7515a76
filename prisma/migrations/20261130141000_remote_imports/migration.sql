-- Imports of projects from other servers. Servers of the version before do not know them; only imports that are canceled lead to the
-- new status.
ALTER TYPE "ImportStatus" ADD VALUE IF NOT EXISTS 'canceled';

CREATE TABLE "remote_imports" (
    "project_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "provider" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "source" BYTEA,
    "parts" TEXT[],
    "phase" TEXT,
    "counts" JSONB NOT NULL DEFAULT '[]',
    "left_out" JSONB NOT NULL DEFAULT '[]',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "continues_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "remote_imports_pkey" PRIMARY KEY ("project_id")
);

CREATE INDEX "remote_imports_user_id_idx" ON "remote_imports"("user_id");

ALTER TABLE "remote_imports" ADD CONSTRAINT "remote_imports_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "remote_imports" ADD CONSTRAINT "remote_imports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Where an administrator left the sources of imports as they were, there is one more.
ALTER TABLE "application_settings" ALTER COLUMN "import_sources" SET DEFAULT ARRAY['git', 'gitlab_project', 'github']::TEXT[];
UPDATE "application_settings" SET "import_sources" = ARRAY['git', 'gitlab_project', 'github'] WHERE "import_sources" = ARRAY['git', 'gitlab_project'];
