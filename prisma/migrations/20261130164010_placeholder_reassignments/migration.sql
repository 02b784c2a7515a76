-- AlterTable
ALTER TABLE "application_settings" ADD COLUMN     "allow_bypass_placeholder_confirmation" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "allow_contribution_mapping_to_admins" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "import_source_users" ADD COLUMN     "confirmation_skipped" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "import_type" TEXT NOT NULL DEFAULT 'gitlab_project';

-- CreateTable
CREATE TABLE "import_source_memberships" (
    "id" SERIAL NOT NULL,
    "source_user_id" INTEGER NOT NULL,
    "project_id" INTEGER,
    "group_id" INTEGER,
    "access_level" INTEGER NOT NULL,
    "expires_at" DATE,
    "importer_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "import_source_memberships_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "import_source_memberships_one_place" CHECK (num_nonnulls("project_id", "group_id") = 1)
);

-- CreateTable
CREATE TABLE "reassignment_tables" (
    "id" SERIAL NOT NULL,
    "namespace_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "rows" JSONB NOT NULL,
    "total_count" INTEGER NOT NULL,
    "next_row" INTEGER NOT NULL DEFAULT 0,
    "assigned_count" INTEGER NOT NULL DEFAULT 0,
    "failures" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "reassignment_tables_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "import_source_users_namespace_id_source_name_id_idx" ON "import_source_users"("namespace_id", "source_name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "import_source_memberships_source_user_id_project_id_key" ON "import_source_memberships"("source_user_id", "project_id");

-- CreateIndex
CREATE UNIQUE INDEX "import_source_memberships_source_user_id_group_id_key" ON "import_source_memberships"("source_user_id", "group_id");

-- CreateIndex
CREATE INDEX "import_source_memberships_project_id_idx" ON "import_source_memberships"("project_id");

-- CreateIndex
CREATE INDEX "import_source_memberships_group_id_idx" ON "import_source_memberships"("group_id");

-- CreateIndex
CREATE INDEX "import_source_memberships_importer_id_idx" ON "import_source_memberships"("importer_id");

-- CreateIndex
CREATE INDEX "reassignment_tables_namespace_id_idx" ON "reassignment_tables"("namespace_id");

-- CreateIndex
CREATE INDEX "reassignment_tables_user_id_idx" ON "reassignment_tables"("user_id");

-- CreateIndex
CREATE INDEX "reassignment_tables_created_at_idx" ON "reassignment_tables"("created_at");

-- AddForeignKey
ALTER TABLE "import_source_memberships" ADD CONSTRAINT "import_source_memberships_source_user_id_fkey" FOREIGN KEY ("source_user_id") REFERENCES "import_source_users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_source_memberships" ADD CONSTRAINT "import_source_memberships_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_source_memberships" ADD CONSTRAINT "import_source_memberships_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_source_memberships" ADD CONSTRAINT "import_source_memberships_importer_id_fkey" FOREIGN KEY ("importer_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reassignment_tables" ADD CONSTRAINT "reassignment_tables_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reassignment_tables" ADD CONSTRAINT "reassignment_tables_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
