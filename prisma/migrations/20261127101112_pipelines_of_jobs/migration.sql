CREATE INDEX CONCURRENTLY "pipelines_source_job_id_idx" ON "pipelines" ("source_job_id");
