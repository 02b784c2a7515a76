-- Packages of PyPI, Maven, Helm, NuGet, Composer, Terraform, Conan and RubyGems.
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'pypi';
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'maven';
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'helm';
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'nuget';
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'composer';
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'terraform_module';
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'conan';
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'rubygems';

-- What registries show of a file.
ALTER TABLE "package_files" ADD COLUMN "details" JSONB;

-- The versions of a package in all projects, whatever the case of its name.
CREATE INDEX "packages_type_lower_name_id_idx" ON "packages" ("type", lower("name"), "id");

-- States of Terraform.
CREATE TABLE "terraform_states" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "lock_id" TEXT,
    "lock_info" JSONB,
    "locked_by_id" INTEGER,
    "locked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "terraform_states_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "terraform_state_versions" (
    "id" SERIAL NOT NULL,
    "state_id" INTEGER NOT NULL,
    "serial" BIGINT NOT NULL,
    "content" BYTEA NOT NULL,
    "size" INTEGER NOT NULL,
    "created_by_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "terraform_state_versions_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "terraform_states_locked_by_id_idx" ON "terraform_states"("locked_by_id");
CREATE UNIQUE INDEX "terraform_states_project_id_name_key" ON "terraform_states"("project_id", "name");
CREATE INDEX "terraform_state_versions_created_by_id_idx" ON "terraform_state_versions"("created_by_id");
CREATE UNIQUE INDEX "terraform_state_versions_state_id_serial_key" ON "terraform_state_versions"("state_id", "serial");

ALTER TABLE "terraform_states" ADD CONSTRAINT "terraform_states_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "terraform_states" ADD CONSTRAINT "terraform_states_locked_by_id_fkey" FOREIGN KEY ("locked_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "terraform_state_versions" ADD CONSTRAINT "terraform_state_versions_state_id_fkey" FOREIGN KEY ("state_id") REFERENCES "terraform_states"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "terraform_state_versions" ADD CONSTRAINT "terraform_state_versions_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
