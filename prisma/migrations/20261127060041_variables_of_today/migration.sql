-- Variables of groups and of the server, and several of a project under one key for different environments.
ALTER TABLE "variables" ALTER COLUMN "project_id" DROP NOT NULL,
  ADD COLUMN "namespace_id" INTEGER REFERENCES "namespaces"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  ADD COLUMN "is_file" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "masked" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "hidden" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "raw" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "environment_scope" TEXT NOT NULL DEFAULT '*',
  ADD COLUMN "description" TEXT,
  ADD CONSTRAINT "variables_one_place" CHECK ("project_id" IS NULL OR "namespace_id" IS NULL);
