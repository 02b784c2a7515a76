-- Of what was changed before nobody noted who did.
ALTER TABLE "issues" ADD COLUMN "updated_by_id" INTEGER,
  ADD COLUMN "last_edited_by_id" INTEGER,
  ADD COLUMN "last_edited_at" TIMESTAMPTZ(3);

ALTER TABLE "merge_requests" ADD COLUMN "updated_by_id" INTEGER,
  ADD COLUMN "last_edited_by_id" INTEGER,
  ADD COLUMN "last_edited_at" TIMESTAMPTZ(3);
