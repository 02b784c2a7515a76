-- A pipeline of a project by its number.
CREATE INDEX CONCURRENTLY "pipelines_project_id_iid_idx" ON "pipelines"("project_id", "iid");
