-- AlterTable
ALTER TABLE "container_tags" ADD COLUMN     "deploy_token_id" INTEGER,
ADD COLUMN     "pushed_by_id" INTEGER;

-- AlterTable
ALTER TABLE "packages" ADD COLUMN     "deploy_token_id" INTEGER;

-- CreateIndex
CREATE INDEX "container_tags_pushed_by_id_idx" ON "container_tags"("pushed_by_id");

-- CreateIndex
CREATE INDEX "container_tags_deploy_token_id_idx" ON "container_tags"("deploy_token_id");

-- CreateIndex
CREATE INDEX "packages_deploy_token_id_idx" ON "packages"("deploy_token_id");

-- AddForeignKey
ALTER TABLE "container_tags" ADD CONSTRAINT "container_tags_pushed_by_id_fkey" FOREIGN KEY ("pushed_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_tags" ADD CONSTRAINT "container_tags_deploy_token_id_fkey" FOREIGN KEY ("deploy_token_id") REFERENCES "deploy_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "packages" ADD CONSTRAINT "packages_deploy_token_id_fkey" FOREIGN KEY ("deploy_token_id") REFERENCES "deploy_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;
