-- Who may push, publish and delete images and packages. Servers of the version before ask for none of it.
CREATE TABLE "container_protection_repository_rules" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "repository_path_pattern" TEXT NOT NULL,
    "minimum_access_level_for_push" "container_protection_role",
    "minimum_access_level_for_delete" "container_protection_role",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "container_protection_repository_rules_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "container_protection_repository_rules_levels" CHECK ("minimum_access_level_for_push" IS NOT NULL OR "minimum_access_level_for_delete" IS NOT NULL)
);

CREATE TABLE "packages_protection_rules" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "package_type" "package_type" NOT NULL,
    "package_name_pattern" TEXT NOT NULL,
    "minimum_access_level_for_push" "container_protection_role",
    "minimum_access_level_for_delete" "container_protection_role",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "packages_protection_rules_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "packages_protection_rules_levels" CHECK ("minimum_access_level_for_push" IS NOT NULL OR "minimum_access_level_for_delete" IS NOT NULL)
);

CREATE UNIQUE INDEX "container_protection_repository_rules_pattern_key" ON "container_protection_repository_rules"("project_id", "repository_path_pattern");
CREATE INDEX "container_protection_repository_rules_project_id_id_idx" ON "container_protection_repository_rules"("project_id", "id");
CREATE UNIQUE INDEX "packages_protection_rules_pattern_key" ON "packages_protection_rules"("project_id", "package_type", "package_name_pattern");
CREATE INDEX "packages_protection_rules_project_id_id_idx" ON "packages_protection_rules"("project_id", "id");

ALTER TABLE "container_protection_repository_rules" ADD CONSTRAINT "container_protection_repository_rules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "packages_protection_rules" ADD CONSTRAINT "packages_protection_rules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
