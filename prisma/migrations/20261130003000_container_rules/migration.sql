-- Who may push and delete tags of images, and which tags are deleted on a schedule. Servers of the version before ask for neither.
CREATE TYPE "container_protection_role" AS ENUM ('maintainer', 'owner', 'admin');

CREATE TABLE "container_tag_protection_rules" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "tag_name_pattern" TEXT NOT NULL,
    "minimum_access_level_for_push" "container_protection_role",
    "minimum_access_level_for_delete" "container_protection_role",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "container_tag_protection_rules_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "container_tag_protection_rules_levels" CHECK (("minimum_access_level_for_push" IS NULL) = ("minimum_access_level_for_delete" IS NULL))
);

CREATE UNIQUE INDEX "container_tag_protection_rules_project_id_tag_name_pattern_key" ON "container_tag_protection_rules"("project_id", "tag_name_pattern");

CREATE INDEX "container_tag_protection_rules_project_id_id_idx" ON "container_tag_protection_rules"("project_id", "id");

ALTER TABLE "container_tag_protection_rules" ADD CONSTRAINT "container_tag_protection_rules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "container_expiration_policies" (
    "project_id" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT false,
    "cadence" TEXT NOT NULL DEFAULT '1d',
    "keep_n" INTEGER DEFAULT 10,
    "older_than" TEXT DEFAULT '90d',
    "name_regex" TEXT NOT NULL DEFAULT '.*',
    "name_regex_keep" TEXT,
    "next_run_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "container_expiration_policies_pkey" PRIMARY KEY ("project_id")
);

CREATE INDEX "container_expiration_policies_due" ON "container_expiration_policies"("next_run_at") WHERE "enabled";

ALTER TABLE "container_expiration_policies" ADD CONSTRAINT "container_expiration_policies_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
