-- CreateEnum
CREATE TYPE "theme" AS ENUM ('system', 'light', 'dark');

-- CreateEnum
CREATE TYPE "diff_view" AS ENUM ('unified', 'split');

-- CreateEnum
CREATE TYPE "first_page" AS ENUM ('start', 'todos', 'issues', 'merge_requests', 'explore');

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "address" TEXT,
ADD COLUMN     "impersonator_id" INTEGER,
ADD COLUMN     "user_agent" TEXT;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "diff_view" "diff_view" NOT NULL DEFAULT 'unified',
ADD COLUMN     "first_page" "first_page" NOT NULL DEFAULT 'start',
ADD COLUMN     "theme" "theme" NOT NULL DEFAULT 'system';

-- CreateTable
CREATE TABLE "user_exports" (
    "user_id" INTEGER NOT NULL,
    "state" "project_export_state" NOT NULL DEFAULT 'queued',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "secret" TEXT,
    "size" BIGINT,
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_exports_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "user_exports_finished_at_idx" ON "user_exports"("finished_at");

-- CreateIndex
CREATE INDEX "sessions_impersonator_id_idx" ON "sessions"("impersonator_id");

-- AddForeignKey
ALTER TABLE "user_exports" ADD CONSTRAINT "user_exports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_impersonator_id_fkey" FOREIGN KEY ("impersonator_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
