-- AlterTable
ALTER TABLE "deploy_tokens" ADD COLUMN     "created_by_id" INTEGER;

-- CreateIndex
CREATE INDEX "deploy_tokens_created_by_id_idx" ON "deploy_tokens"("created_by_id");

-- AddForeignKey
ALTER TABLE "deploy_tokens" ADD CONSTRAINT "deploy_tokens_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
