-- CreateEnum
CREATE TYPE "resource_process_mode" AS ENUM ('unordered', 'oldest_first', 'newest_first', 'newest_ready_first');

-- CreateTable
CREATE TABLE "resource_groups" (
    "id" SERIAL NOT NULL,
    "project_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "process_mode" "resource_process_mode" NOT NULL DEFAULT 'unordered',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "resource_groups_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "resource_groups_project_id_id_idx" ON "resource_groups"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "resource_groups_project_id_key_key" ON "resource_groups"("project_id", "key");

-- AddForeignKey
ALTER TABLE "resource_groups" ADD CONSTRAINT "resource_groups_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
