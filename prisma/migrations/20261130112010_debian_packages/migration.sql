-- Packages of Debian, and the distributions that they are in.
ALTER TYPE "package_type" ADD VALUE IF NOT EXISTS 'debian';

CREATE TABLE "debian_distributions" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER,
    "group_id" INTEGER,
    "codename" TEXT NOT NULL,
    "suite" TEXT,
    "origin" TEXT,
    "label" TEXT,
    "version" TEXT,
    "description" TEXT,
    "valid_time" INTEGER,
    "components" TEXT[],
    "architectures" TEXT[],
    "public_key" TEXT NOT NULL,
    "private_key_encrypted" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "debian_distributions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "debian_distributions_owner" CHECK (("project_id" IS NULL) <> ("group_id" IS NULL))
);

CREATE UNIQUE INDEX "debian_distributions_project_id_codename_key" ON "debian_distributions"("project_id", "codename");
CREATE UNIQUE INDEX "debian_distributions_project_id_suite_key" ON "debian_distributions"("project_id", "suite");
CREATE UNIQUE INDEX "debian_distributions_group_id_codename_key" ON "debian_distributions"("group_id", "codename");
CREATE UNIQUE INDEX "debian_distributions_group_id_suite_key" ON "debian_distributions"("group_id", "suite");
CREATE INDEX "debian_distributions_project_id_id_idx" ON "debian_distributions"("project_id", "id");
CREATE INDEX "debian_distributions_group_id_id_idx" ON "debian_distributions"("group_id", "id");

ALTER TABLE "debian_distributions" ADD CONSTRAINT "debian_distributions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "debian_distributions" ADD CONSTRAINT "debian_distributions_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
