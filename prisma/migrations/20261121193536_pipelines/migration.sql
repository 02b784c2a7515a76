-- CreateEnum
CREATE TYPE "environment_state" AS ENUM ('available', 'stopped');

-- CreateEnum
CREATE TYPE "job_status" AS ENUM ('created', 'pending', 'running', 'success', 'failed', 'canceled', 'skipped', 'manual');

-- CreateEnum
CREATE TYPE "pipeline_source" AS ENUM ('push', 'api', 'trigger', 'external');

-- AlterTable
ALTER TABLE "project_counters" ADD COLUMN     "last_deployment_iid" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "environments" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "external_url" TEXT,
    "state" "environment_state" NOT NULL DEFAULT 'available',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "environments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deployments" (
    "id" SERIAL NOT NULL,
    "iid" INTEGER NOT NULL,
    "project_id" INTEGER NOT NULL,
    "environment_id" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "tag" BOOLEAN NOT NULL DEFAULT false,
    "sha" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "job_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deployments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pipelines" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "ref" TEXT NOT NULL,
    "tag" BOOLEAN NOT NULL DEFAULT false,
    "sha" TEXT NOT NULL,
    "before_sha" TEXT,
    "status" "job_status" NOT NULL DEFAULT 'pending',
    "source" "pipeline_source" NOT NULL,
    "user_id" INTEGER NOT NULL,
    "trigger_id" INTEGER,
    "variables_encrypted" BYTEA,
    "yaml_errors" TEXT,
    "coverage" DOUBLE PRECISION,
    "duration" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "committed_at" TIMESTAMPTZ(3),
    "push_key" TEXT,

    CONSTRAINT "pipelines_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "jobs" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "pipeline_id" INTEGER NOT NULL,
    "generic" BOOLEAN NOT NULL DEFAULT false,
    "name" TEXT NOT NULL,
    "stage" TEXT NOT NULL,
    "stage_index" INTEGER NOT NULL,
    "status" "job_status" NOT NULL DEFAULT 'created',
    "retried" BOOLEAN NOT NULL DEFAULT false,
    "allow_failure" BOOLEAN NOT NULL DEFAULT false,
    "when" TEXT NOT NULL DEFAULT 'on_success',
    "user_id" INTEGER NOT NULL,
    "description" TEXT,
    "target_url" TEXT,
    "coverage" DOUBLE PRECISION,
    "options" JSONB,
    "environment" TEXT,
    "environment_url" TEXT,
    "environment_action" TEXT,
    "on_stop" TEXT,
    "runner_id" INTEGER,
    "artifacts_filename" TEXT,
    "artifacts_size" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "queued_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "erased_at" TIMESTAMPTZ(3),

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_trace_chunks" (
    "job_id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "job_trace_chunks_pkey" PRIMARY KEY ("job_id","position")
);

-- CreateTable
CREATE TABLE "triggers" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "owner_id" INTEGER,
    "description" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "token_encrypted" BYTEA NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "triggers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "environments_project_id_id_idx" ON "environments"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "environments_project_id_name_key" ON "environments"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "environments_project_id_slug_key" ON "environments"("project_id", "slug");

-- CreateIndex
CREATE INDEX "deployments_project_id_id_idx" ON "deployments"("project_id", "id");

-- CreateIndex
CREATE INDEX "deployments_environment_id_id_idx" ON "deployments"("environment_id", "id");

-- CreateIndex
CREATE INDEX "deployments_job_id_idx" ON "deployments"("job_id");

-- CreateIndex
CREATE INDEX "deployments_user_id_idx" ON "deployments"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "deployments_project_id_iid_key" ON "deployments"("project_id", "iid");

-- CreateIndex
CREATE UNIQUE INDEX "pipelines_push_key_key" ON "pipelines"("push_key");

-- CreateIndex
CREATE INDEX "pipelines_project_id_id_idx" ON "pipelines"("project_id", "id");

-- CreateIndex
CREATE INDEX "pipelines_project_id_sha_id_idx" ON "pipelines"("project_id", "sha", "id");

-- CreateIndex
CREATE INDEX "pipelines_project_id_ref_id_idx" ON "pipelines"("project_id", "ref", "id");

-- CreateIndex
CREATE INDEX "pipelines_project_id_status_id_idx" ON "pipelines"("project_id", "status", "id");

-- CreateIndex
CREATE INDEX "pipelines_project_id_user_id_id_idx" ON "pipelines"("project_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "pipelines_user_id_idx" ON "pipelines"("user_id");

-- CreateIndex
CREATE INDEX "pipelines_trigger_id_idx" ON "pipelines"("trigger_id");

-- CreateIndex
CREATE INDEX "jobs_project_id_generic_id_idx" ON "jobs"("project_id", "generic", "id");

-- CreateIndex
CREATE INDEX "jobs_project_id_generic_status_id_idx" ON "jobs"("project_id", "generic", "status", "id");

-- CreateIndex
CREATE INDEX "jobs_pipeline_id_id_idx" ON "jobs"("pipeline_id", "id");

-- CreateIndex
CREATE INDEX "jobs_user_id_idx" ON "jobs"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "triggers_token_hash_key" ON "triggers"("token_hash");

-- CreateIndex
CREATE INDEX "triggers_project_id_id_idx" ON "triggers"("project_id", "id");

-- CreateIndex
CREATE INDEX "triggers_owner_id_idx" ON "triggers"("owner_id");

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_trigger_id_fkey" FOREIGN KEY ("trigger_id") REFERENCES "triggers"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_pipeline_id_fkey" FOREIGN KEY ("pipeline_id") REFERENCES "pipelines"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_trace_chunks" ADD CONSTRAINT "job_trace_chunks_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "triggers" ADD CONSTRAINT "triggers_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
