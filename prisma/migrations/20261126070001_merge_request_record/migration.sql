-- Servers of the version before leave all of it out.
ALTER TABLE "merge_requests" ADD COLUMN "closed_at" TIMESTAMPTZ(3),
ADD COLUMN "closed_by_id" INTEGER,
ADD COLUMN "merged_at" TIMESTAMPTZ(3),
ADD COLUMN "squash" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "squash_commit_message" TEXT,
ADD COLUMN "squash_commit_sha" TEXT,
ADD COLUMN "merge_error" TEXT,
ADD COLUMN "rebasing_since" TIMESTAMPTZ(3),
ADD COLUMN "discussion_locked" BOOLEAN;

-- AddForeignKey
ALTER TABLE "merge_requests" ADD CONSTRAINT "merge_requests_closed_by_id_fkey" FOREIGN KEY ("closed_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Which commits a merge request brought. A job adds those of the versions that are there.
ALTER TABLE "merge_request_versions" ADD COLUMN "commits_stored" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "merge_request_commits" (
    "merge_request_id" INTEGER NOT NULL,
    "sha" TEXT NOT NULL,

    CONSTRAINT "merge_request_commits_pkey" PRIMARY KEY ("merge_request_id", "sha")
);

-- CreateIndex
CREATE INDEX "merge_request_commits_sha_merge_request_id_idx" ON "merge_request_commits"("sha", "merge_request_id");

-- AddForeignKey
ALTER TABLE "merge_request_commits" ADD CONSTRAINT "merge_request_commits_merge_request_id_fkey" FOREIGN KEY ("merge_request_id") REFERENCES "merge_requests"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- When the state became what it is, whichever server or version changes it.
CREATE FUNCTION "merge_request_state_since"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."closed_at" := CASE WHEN NEW."state" = 'closed' THEN now() END;
  NEW."closed_by_id" := CASE WHEN NEW."state" = 'closed' THEN NEW."closed_by_id" END;
  NEW."merged_at" := CASE WHEN NEW."state" = 'merged' THEN now() END;
  RETURN NEW;
END $$;

CREATE TRIGGER "merge_requests_state_since" BEFORE UPDATE OF "state" ON "merge_requests"
  FOR EACH ROW WHEN (NEW."state" IS DISTINCT FROM OLD."state") EXECUTE FUNCTION "merge_request_state_since"();
