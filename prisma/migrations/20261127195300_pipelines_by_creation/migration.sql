-- The charts of a project count the pipelines of the last days, weeks or months.
CREATE INDEX CONCURRENTLY "pipelines_project_id_created_at_idx" ON "pipelines"("project_id", "created_at");
