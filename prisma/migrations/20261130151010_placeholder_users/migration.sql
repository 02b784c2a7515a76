-- CreateEnum
CREATE TYPE "import_source_user_status" AS ENUM ('pending_reassignment', 'awaiting_approval', 'reassignment_in_progress', 'rejected', 'keep_as_placeholder', 'completed');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "placeholder_source" TEXT,
ADD CONSTRAINT "users_placeholders_are_nobody" CHECK ("placeholder_source" IS NULL
  OR ("ghost" AND "state" = 'blocked' AND NOT "admin" AND NOT "bot"));

-- There is one ghost, but many placeholders are ghosts too.
DROP INDEX "users_ghost";
CREATE UNIQUE INDEX "users_ghost" ON "users" ("ghost") WHERE "ghost" AND "placeholder_source" IS NULL;

-- Orphans are looked for every day.
CREATE INDEX "users_placeholders" ON "users" ("id") WHERE "placeholder_source" IS NOT NULL;

-- CreateTable
CREATE TABLE "import_source_users" (
    "id" SERIAL NOT NULL,
    "namespace_id" INTEGER NOT NULL,
    "source_hostname" TEXT NOT NULL,
    "source_user_identifier" TEXT NOT NULL,
    "source_username" TEXT NOT NULL,
    "source_name" TEXT NOT NULL,
    "placeholder_user_id" INTEGER,
    "reassign_to_user_id" INTEGER,
    "reassigned_by_id" INTEGER,
    "status" "import_source_user_status" NOT NULL DEFAULT 'pending_reassignment',
    "accepted_at" TIMESTAMPTZ(3),
    "to_ghost" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "import_source_users_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "import_source_users_placeholder_user_id_key" ON "import_source_users"("placeholder_user_id");

-- CreateIndex
CREATE INDEX "import_source_users_namespace_id_id_idx" ON "import_source_users"("namespace_id", "id");

-- CreateIndex
CREATE INDEX "import_source_users_reassign_to_user_id_id_idx" ON "import_source_users"("reassign_to_user_id", "id");

-- CreateIndex
CREATE INDEX "import_source_users_reassigned_by_id_idx" ON "import_source_users"("reassigned_by_id");

-- CreateIndex
CREATE UNIQUE INDEX "import_source_users_namespace_id_source_hostname_source_use_key" ON "import_source_users"("namespace_id", "source_hostname", "source_user_identifier");

-- AddForeignKey
ALTER TABLE "import_source_users" ADD CONSTRAINT "import_source_users_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_source_users" ADD CONSTRAINT "import_source_users_placeholder_user_id_fkey" FOREIGN KEY ("placeholder_user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_source_users" ADD CONSTRAINT "import_source_users_reassign_to_user_id_fkey" FOREIGN KEY ("reassign_to_user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_source_users" ADD CONSTRAINT "import_source_users_reassigned_by_id_fkey" FOREIGN KEY ("reassigned_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
