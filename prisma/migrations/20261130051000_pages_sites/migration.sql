-- CreateEnum
CREATE TYPE "pages_access" AS ENUM ('disabled', 'private', 'enabled', 'public');

-- AlterTable
ALTER TABLE "application_settings" ADD COLUMN     "max_pages_size" INTEGER NOT NULL DEFAULT 100;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "pages_access" "pages_access" NOT NULL DEFAULT 'enabled';

-- CreateTable
CREATE TABLE "pages_deployments" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "job_id" INTEGER,
    "pipeline_id" INTEGER NOT NULL,
    "path_prefix" TEXT NOT NULL DEFAULT '',
    "root_directory" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "file_count" INTEGER NOT NULL,
    "size" BIGINT NOT NULL,
    "index_size" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pages_deployments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pages_settings" (
    "project_id" INTEGER NOT NULL,
    "unique_domain" TEXT,
    "unique_domain_enabled" BOOLEAN NOT NULL DEFAULT false,
    "https_only" BOOLEAN NOT NULL DEFAULT true,
    "primary_domain" TEXT,
    "problem" TEXT,
    "problem_job_id" INTEGER,

    CONSTRAINT "pages_settings_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "pages_domains" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "domain" TEXT NOT NULL,
    "verification_code" TEXT NOT NULL,
    "auto_ssl_enabled" BOOLEAN NOT NULL DEFAULT true,
    "verified_at" TIMESTAMPTZ(3),
    "enabled_until" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pages_domains_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "site_codes" (
    "code_hash" BYTEA NOT NULL,
    "session_id" INTEGER NOT NULL,
    "host" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "site_codes_pkey" PRIMARY KEY ("code_hash")
);

-- CreateTable
CREATE TABLE "site_sessions" (
    "id" SERIAL NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "session_id" INTEGER NOT NULL,
    "host" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "site_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "pages_deployments_secret_key" ON "pages_deployments"("secret");

-- CreateIndex
CREATE INDEX "pages_deployments_project_id_id_idx" ON "pages_deployments"("project_id", "id");

-- CreateIndex
CREATE INDEX "pages_deployments_job_id_idx" ON "pages_deployments"("job_id");

-- CreateIndex
CREATE INDEX "pages_deployments_expires_at_idx" ON "pages_deployments"("expires_at");

-- CreateIndex
CREATE INDEX "pages_deployments_deleted_at_idx" ON "pages_deployments"("deleted_at");

-- CreateIndex
CREATE UNIQUE INDEX "pages_settings_unique_domain_key" ON "pages_settings"("unique_domain");

-- CreateIndex
CREATE INDEX "pages_domains_domain_idx" ON "pages_domains"("domain");

-- CreateIndex
CREATE UNIQUE INDEX "pages_domains_project_id_domain_key" ON "pages_domains"("project_id", "domain");

-- CreateIndex
CREATE INDEX "site_codes_session_id_idx" ON "site_codes"("session_id");

-- CreateIndex
CREATE INDEX "site_codes_expires_at_idx" ON "site_codes"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "site_sessions_token_hash_key" ON "site_sessions"("token_hash");

-- CreateIndex
CREATE INDEX "site_sessions_session_id_idx" ON "site_sessions"("session_id");

-- AddForeignKey
ALTER TABLE "pages_deployments" ADD CONSTRAINT "pages_deployments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pages_deployments" ADD CONSTRAINT "pages_deployments_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pages_settings" ADD CONSTRAINT "pages_settings_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pages_domains" ADD CONSTRAINT "pages_domains_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site_codes" ADD CONSTRAINT "site_codes_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "site_sessions" ADD CONSTRAINT "site_sessions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Of each part of a site one deployment is served, and one project has proved a domain.
CREATE UNIQUE INDEX "pages_deployments_active" ON "pages_deployments"("project_id", "path_prefix") WHERE "deleted_at" IS NULL;
CREATE UNIQUE INDEX "pages_domains_proved" ON "pages_domains"("domain") WHERE "verified_at" IS NOT NULL;
