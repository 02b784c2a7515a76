-- Which merge request a pipeline is of. Such pipelines have the source `api`, the only one that servers of the version before know.
ALTER TABLE "pipelines" ADD COLUMN "merge_request_id" INTEGER;
