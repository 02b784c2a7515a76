-- CreateEnum
CREATE TYPE "release_link_type" AS ENUM ('other', 'runbook', 'image', 'package');

-- AlterTable
ALTER TABLE "hooks" ADD COLUMN     "releases_events" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "releases" ADD COLUMN     "author_id" INTEGER,
ADD COLUMN     "name" TEXT,
ADD COLUMN     "released_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- Releases of before count as released when they were made.
UPDATE "releases" SET "released_at" = "created_at";

-- CreateTable
CREATE TABLE "release_links" (
    "id" SERIAL NOT NULL,
    "release_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "direct_asset_path" TEXT,
    "type" "release_link_type" NOT NULL DEFAULT 'other',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "release_links_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "release_milestones" (
    "release_id" INTEGER NOT NULL,
    "milestone_id" INTEGER NOT NULL,

    CONSTRAINT "release_milestones_pkey" PRIMARY KEY ("release_id","milestone_id")
);

-- CreateIndex
CREATE INDEX "release_links_release_id_id_idx" ON "release_links"("release_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "release_links_release_id_name_key" ON "release_links"("release_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "release_links_release_id_url_key" ON "release_links"("release_id", "url");

-- CreateIndex
CREATE UNIQUE INDEX "release_links_release_id_direct_asset_path_key" ON "release_links"("release_id", "direct_asset_path");

-- CreateIndex
CREATE INDEX "release_milestones_milestone_id_idx" ON "release_milestones"("milestone_id");

-- AddForeignKey
ALTER TABLE "releases" ADD CONSTRAINT "releases_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "release_links" ADD CONSTRAINT "release_links_release_id_fkey" FOREIGN KEY ("release_id") REFERENCES "releases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "release_milestones" ADD CONSTRAINT "release_milestones_release_id_fkey" FOREIGN KEY ("release_id") REFERENCES "releases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "release_milestones" ADD CONSTRAINT "release_milestones_milestone_id_fkey" FOREIGN KEY ("milestone_id") REFERENCES "milestones"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Releases are events of their own.
CREATE OR REPLACE FUNCTION "hooks_for"(kind text, project int) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT h."id" FROM "hooks" h
    WHERE h."disabled_at" IS NULL AND CASE kind
      WHEN 'push' THEN h."push_events" WHEN 'tag_push' THEN h."tag_push_events" WHEN 'issue' THEN h."issues_events"
      WHEN 'confidential_issue' THEN h."confidential_issues_events" WHEN 'merge_request' THEN h."merge_requests_events"
      WHEN 'note' THEN h."note_events" WHEN 'confidential_note' THEN h."note_events" AND h."confidential_issues_events"
      WHEN 'job' THEN h."job_events" WHEN 'pipeline' THEN h."pipeline_events"
      WHEN 'release' THEN h."releases_events" ELSE false END
      AND (h."project_id" = project OR h."namespace_id" IN (
        SELECT unnest(n."lineage") FROM "projects" p JOIN "namespaces" n ON n."id" = p."namespace_id" WHERE p."id" = project))
  UNION ALL
  SELECT h."id" FROM "hooks" h
    WHERE h."project_id" IS NULL AND h."namespace_id" IS NULL AND h."disabled_at" IS NULL AND CASE
      WHEN kind = 'push' THEN h."push_events" WHEN kind = 'tag_push' THEN h."tag_push_events"
      ELSE kind NOT IN ('issue', 'confidential_issue', 'merge_request', 'note', 'confidential_note', 'job', 'pipeline', 'release') END
$$;
