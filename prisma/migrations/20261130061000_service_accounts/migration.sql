-- CreateEnum
CREATE TYPE "service_account_kind" AS ENUM ('server', 'group', 'project');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "provisioned_by_group_id" INTEGER,
ADD COLUMN     "provisioned_by_project_id" INTEGER,
ADD COLUMN     "service_account" "service_account_kind",
ADD CONSTRAINT "users_service_accounts_are_bots" CHECK (("bot" OR "service_account" IS NULL)
  AND ("provisioned_by_group_id" IS NULL OR "service_account" = 'group')
  AND ("provisioned_by_project_id" IS NULL OR "service_account" = 'project'));

-- CreateIndex
CREATE INDEX "users_service_account_id_idx" ON "users"("service_account", "id");

-- CreateIndex
CREATE INDEX "users_provisioned_by_group_id_id_idx" ON "users"("provisioned_by_group_id", "id");

-- CreateIndex
CREATE INDEX "users_provisioned_by_project_id_id_idx" ON "users"("provisioned_by_project_id", "id");

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_provisioned_by_group_id_fkey" FOREIGN KEY ("provisioned_by_group_id") REFERENCES "namespaces"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_provisioned_by_project_id_fkey" FOREIGN KEY ("provisioned_by_project_id") REFERENCES "projects"("id") ON DELETE SET NULL ON UPDATE CASCADE;
