ALTER TABLE "personal_access_tokens" ADD COLUMN "project_id" INTEGER,
  ADD COLUMN "namespace_id" INTEGER;

ALTER TABLE "personal_access_tokens" ADD CONSTRAINT "personal_access_tokens_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "personal_access_tokens" ADD CONSTRAINT "personal_access_tokens_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
