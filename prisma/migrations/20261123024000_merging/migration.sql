-- AlterTable
ALTER TABLE "merge_requests" ADD COLUMN "merging_commit_sha" TEXT,
ADD COLUMN "merge_user_id" INTEGER,
ADD COLUMN "merge_commit_message" TEXT,
ADD COLUMN "finished_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "merge_requests_merge_user_id_idx" ON "merge_requests"("merge_user_id");

-- AddForeignKey
ALTER TABLE "merge_requests" ADD CONSTRAINT "merge_requests_merge_user_id_fkey" FOREIGN KEY ("merge_user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;
