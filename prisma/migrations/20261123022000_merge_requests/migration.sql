-- Nothing wrote merge requests before: the table is empty.

-- A merge request outlives the fork that it came from.
ALTER TABLE "merge_requests" DROP CONSTRAINT "merge_requests_source_project_id_fkey";
ALTER TABLE "merge_requests" ALTER COLUMN "source_project_id" DROP NOT NULL;
ALTER TABLE "merge_requests" ADD CONSTRAINT "merge_requests_source_project_id_fkey" FOREIGN KEY ("source_project_id") REFERENCES "projects"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "merge_requests" ADD COLUMN "checked_source_sha" TEXT, ADD COLUMN "checked_target_sha" TEXT;

-- AlterTable
ALTER TABLE "project_counters" ADD COLUMN "last_merge_request_iid" INTEGER NOT NULL DEFAULT 0;
UPDATE "project_counters" c SET "last_merge_request_iid" = m.iid
  FROM (SELECT "target_project_id", max("iid") AS iid FROM "merge_requests" GROUP BY 1) m WHERE m."target_project_id" = c."project_id";

-- CreateTable
CREATE TABLE "merge_request_versions" (
    "id" SERIAL NOT NULL,
    "merge_request_id" INTEGER NOT NULL,
    "head_commit_sha" TEXT NOT NULL,
    "base_commit_sha" TEXT,
    "start_commit_sha" TEXT NOT NULL,
    "real_size" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'collected',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "merge_request_versions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "merge_request_versions_merge_request_id_id_idx" ON "merge_request_versions"("merge_request_id", "id");

-- CreateIndex
CREATE INDEX "merge_request_versions_head_commit_sha_idx" ON "merge_request_versions"("head_commit_sha");

-- AddForeignKey
ALTER TABLE "merge_request_versions" ADD CONSTRAINT "merge_request_versions_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateIndex
CREATE UNIQUE INDEX "merge_requests_open" ON "merge_requests"("source_project_id", "source_branch", "target_project_id", "target_branch") WHERE (state = 'opened');

-- CreateIndex
CREATE INDEX "merge_requests_open_by_target" ON "merge_requests"("target_project_id", "target_branch", "id") WHERE (state = 'opened');

-- CreateIndex
CREATE INDEX "merge_requests_target_project_id_created_at_id_idx" ON "merge_requests"("target_project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "merge_requests_target_project_id_updated_at_id_idx" ON "merge_requests"("target_project_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "merge_requests_target_project_id_state_created_at_id_idx" ON "merge_requests"("target_project_id", "state", "created_at", "id");

-- CreateIndex
CREATE INDEX "merge_requests_target_project_id_state_updated_at_id_idx" ON "merge_requests"("target_project_id", "state", "updated_at", "id");
