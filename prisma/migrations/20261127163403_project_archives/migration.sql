-- CreateEnum
CREATE TYPE "project_export_state" AS ENUM ('queued', 'started', 'finished', 'failed');

-- AlterTable
ALTER TABLE "application_settings" ADD COLUMN     "max_export_size" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "max_import_size" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "project_export_enabled" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "namespaces" ADD COLUMN     "avatar_key" TEXT;

-- CreateTable
CREATE TABLE "group_avatars" (
    "group_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "group_avatars_pkey" PRIMARY KEY ("group_id")
);

-- CreateTable
CREATE TABLE "project_exports" (
    "project_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "state" "project_export_state" NOT NULL DEFAULT 'queued',
    "description" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "secret" TEXT,
    "file_name" TEXT,
    "size" BIGINT,
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_exports_pkey" PRIMARY KEY ("project_id","user_id")
);

-- CreateTable
CREATE TABLE "project_archive_imports" (
    "project_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "secret" TEXT,
    "settings" JSONB NOT NULL,
    "overwrites" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "correlation_id" TEXT NOT NULL,
    "failed_relations" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "project_archive_imports_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE INDEX "project_exports_user_id_idx" ON "project_exports"("user_id");

-- CreateIndex
CREATE INDEX "project_exports_finished_at_idx" ON "project_exports"("finished_at");

-- CreateIndex
CREATE INDEX "project_archive_imports_user_id_idx" ON "project_archive_imports"("user_id");

-- AddForeignKey
ALTER TABLE "group_avatars" ADD CONSTRAINT "group_avatars_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_exports" ADD CONSTRAINT "project_exports_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_exports" ADD CONSTRAINT "project_exports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_archive_imports" ADD CONSTRAINT "project_archive_imports_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_archive_imports" ADD CONSTRAINT "project_archive_imports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
