-- Versions of before have none.
ALTER TABLE "merge_request_versions" ADD COLUMN "patch_id_sha" TEXT;
