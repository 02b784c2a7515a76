-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "members_only" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "repository_enabled" BOOLEAN NOT NULL DEFAULT true;

-- The names of features are those of src/access/permissions/features.ts.
ALTER TABLE "projects" ADD CONSTRAINT "projects_members_only" CHECK ("members_only" <@
  ARRAY['issues', 'mergeRequests', 'repository', 'jobs', 'wiki', 'snippets', 'containerRegistry']::TEXT[]);
