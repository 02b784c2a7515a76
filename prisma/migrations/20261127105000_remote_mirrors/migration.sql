-- CreateEnum
CREATE TYPE "mirror_status" AS ENUM ('none', 'scheduled', 'started', 'finished', 'failed', 'to_retry');

-- CreateTable
CREATE TABLE "remote_mirrors" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "url_encrypted" BYTEA NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT false,
    "only_protected_branches" BOOLEAN NOT NULL DEFAULT false,
    "keep_divergent_refs" BOOLEAN,
    "update_status" "mirror_status" NOT NULL DEFAULT 'none',
    "due_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "last_update_at" TIMESTAMPTZ(3),
    "last_update_started_at" TIMESTAMPTZ(3),
    "last_successful_update_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "remote_mirrors_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "remote_mirrors_project_id_id_idx" ON "remote_mirrors"("project_id", "id");

-- CreateIndex
CREATE INDEX "remote_mirrors_due_at_idx" ON "remote_mirrors"("due_at");

-- AddForeignKey
ALTER TABLE "remote_mirrors" ADD CONSTRAINT "remote_mirrors_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
