-- Groups and projects that are moved in from another GitLab together. Servers of the version before do not know them.
CREATE TYPE "bulk_import_status" AS ENUM ('created', 'started', 'finished', 'failed', 'timeout', 'canceled');
CREATE TYPE "bulk_import_entity_kind" AS ENUM ('group', 'project');

CREATE TABLE "bulk_imports" (
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "status" "bulk_import_status" NOT NULL DEFAULT 'created',
    "url" TEXT NOT NULL,
    "token" BYTEA,
    "has_failures" BOOLEAN NOT NULL DEFAULT false,
    "continues_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bulk_imports_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "bulk_import_entities" (
    "id" SERIAL NOT NULL,
    "bulk_import_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" "bulk_import_entity_kind" NOT NULL,
    "status" "bulk_import_status" NOT NULL DEFAULT 'created',
    "source_full_path" TEXT NOT NULL,
    "destination_slug" TEXT NOT NULL,
    "destination_namespace" TEXT NOT NULL,
    "migrate_projects" BOOLEAN NOT NULL DEFAULT true,
    "migrate_memberships" BOOLEAN NOT NULL DEFAULT true,
    "parent_id" INTEGER,
    "namespace_id" INTEGER,
    "project_id" INTEGER,
    "error" TEXT,
    "counts" JSONB NOT NULL DEFAULT '[]',
    "left_out" JSONB NOT NULL DEFAULT '[]',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "continues_at" TIMESTAMPTZ(3),
    "storage" TEXT,
    "correlation_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bulk_import_entities_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "bulk_imports_user_id_id_idx" ON "bulk_imports"("user_id", "id");
CREATE INDEX "bulk_import_entities_bulk_import_id_id_idx" ON "bulk_import_entities"("bulk_import_id", "id");
CREATE INDEX "bulk_import_entities_user_id_id_idx" ON "bulk_import_entities"("user_id", "id");
CREATE INDEX "bulk_import_entities_parent_id_idx" ON "bulk_import_entities"("parent_id");
CREATE INDEX "bulk_import_entities_namespace_id_idx" ON "bulk_import_entities"("namespace_id");
CREATE INDEX "bulk_import_entities_project_id_idx" ON "bulk_import_entities"("project_id");

ALTER TABLE "bulk_imports" ADD CONSTRAINT "bulk_imports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "bulk_import_entities" ADD CONSTRAINT "bulk_import_entities_bulk_import_id_fkey" FOREIGN KEY ("bulk_import_id") REFERENCES "bulk_imports"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "bulk_import_entities" ADD CONSTRAINT "bulk_import_entities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "bulk_import_entities" ADD CONSTRAINT "bulk_import_entities_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "bulk_import_entities"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "bulk_import_entities" ADD CONSTRAINT "bulk_import_entities_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "bulk_import_entities" ADD CONSTRAINT "bulk_import_entities_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE SET NULL ON UPDATE CASCADE;
