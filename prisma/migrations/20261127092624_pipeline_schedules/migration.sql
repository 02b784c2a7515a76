-- AlterTable
ALTER TABLE "pipelines" ADD COLUMN     "schedule_id" INTEGER;

-- CreateTable
CREATE TABLE "pipeline_schedules" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "owner_id" INTEGER,
    "description" TEXT NOT NULL,
    "ref" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "cron_timezone" TEXT NOT NULL DEFAULT 'UTC',
    "active" BOOLEAN NOT NULL DEFAULT true,
    "next_run_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pipeline_schedules_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pipeline_schedule_variables" (
    "id" SERIAL NOT NULL,
    "schedule_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "value_encrypted" BYTEA NOT NULL,
    "is_file" BOOLEAN NOT NULL DEFAULT false,
    "raw" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pipeline_schedule_variables_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "pipeline_schedules_project_id_id_idx" ON "pipeline_schedules"("project_id", "id");

-- CreateIndex
CREATE INDEX "pipeline_schedules_owner_id_idx" ON "pipeline_schedules"("owner_id");

-- CreateIndex
CREATE UNIQUE INDEX "pipeline_schedule_variables_schedule_id_key_key" ON "pipeline_schedule_variables"("schedule_id", "key");

-- AddForeignKey
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_schedule_id_fkey" FOREIGN KEY ("schedule_id") REFERENCES "pipeline_schedules"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pipeline_schedules" ADD CONSTRAINT "pipeline_schedules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pipeline_schedules" ADD CONSTRAINT "pipeline_schedules_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pipeline_schedule_variables" ADD CONSTRAINT "pipeline_schedule_variables_schedule_id_fkey" FOREIGN KEY ("schedule_id") REFERENCES "pipeline_schedules"("id") ON DELETE CASCADE ON UPDATE CASCADE;
