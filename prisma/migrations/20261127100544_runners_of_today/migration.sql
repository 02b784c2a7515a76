-- AlterTable
ALTER TABLE "job_traces" ADD COLUMN     "debug" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "cancels_gracefully" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "ending_at" TIMESTAMPTZ(3),
ADD COLUMN     "manager_id" INTEGER;

-- AlterTable
ALTER TABLE "namespaces" ADD COLUMN     "runners_token" BYTEA,
ADD COLUMN     "runners_token_hash" BYTEA;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "ci_default_git_depth" INTEGER,
ADD COLUMN     "group_runners_enabled" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "runners" ADD COLUMN     "creator_id" INTEGER,
ADD COLUMN     "group_id" INTEGER,
ADD COLUMN     "is_created" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "maintenance_note" TEXT,
ADD COLUMN     "maximum_timeout" INTEGER,
ADD COLUMN     "ref_protected" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "runner_managers" (
    "id" SERIAL NOT NULL,
    "runner_id" INTEGER NOT NULL,
    "system_id" TEXT NOT NULL,
    "version" TEXT,
    "revision" TEXT,
    "platform" TEXT,
    "architecture" TEXT,
    "ip_address" TEXT,
    "contacted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "runner_managers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "runner_managers_runner_id_id_idx" ON "runner_managers"("runner_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "runner_managers_runner_id_system_id_key" ON "runner_managers"("runner_id", "system_id");

-- CreateIndex
CREATE INDEX "runners_group_id_id_idx" ON "runners"("group_id", "id");

-- CreateIndex
CREATE INDEX "runners_creator_id_idx" ON "runners"("creator_id");

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_manager_id_fkey" FOREIGN KEY ("manager_id") REFERENCES "runner_managers"("id") ON DELETE SET NULL ON UPDATE CASCADE NOT VALID;

-- AddForeignKey
ALTER TABLE "runners" ADD CONSTRAINT "runners_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runners" ADD CONSTRAINT "runners_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runner_managers" ADD CONSTRAINT "runner_managers_runner_id_fkey" FOREIGN KEY ("runner_id") REFERENCES "runners"("id") ON DELETE CASCADE ON UPDATE CASCADE;
